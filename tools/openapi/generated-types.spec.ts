import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { consoleApiYaml, openApiYaml } from '@offizin/openapi/yaml';
import { CLIENT_TYPES, CONSOLE_TYPES, generatedTypes } from './generated-types';

it.each([
  [CLIENT_TYPES, openApiYaml],
  [CONSOLE_TYPES, consoleApiYaml],
])('%s is what `npm run openapi` would write', (path, description) => {
  const committed = readFileSync(join(checkoutRoot, path), 'utf8');
  expect(committed === generatedTypes(description())).toBe(true);
});
