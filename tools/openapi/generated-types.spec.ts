import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { openApiYaml } from '@offizin/openapi/yaml';
import { CLIENT_ROUTES, clientRoutes } from './client-routes';
import { CLIENT_TYPES, generatedTypes } from './generated-types';

it.each([
  [CLIENT_TYPES, () => generatedTypes(openApiYaml())],
  [CLIENT_ROUTES, () => clientRoutes(openApiYaml())],
])('%s is what `npm run openapi` would write', (path, written) => {
  const committed = readFileSync(join(checkoutRoot, path), 'utf8');
  expect(committed === written()).toBe(true);
});
