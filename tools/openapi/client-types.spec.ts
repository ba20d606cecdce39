import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { openApiYaml } from '@offizin/openapi/yaml';
import { CLIENT_TYPES, clientTypes } from './client-types';

it(`${CLIENT_TYPES} is what \`npm run openapi\` would write`, () => {
  const committed = readFileSync(join(checkoutRoot, CLIENT_TYPES), 'utf8');
  expect(committed === clientTypes(openApiYaml())).toBe(true);
});
