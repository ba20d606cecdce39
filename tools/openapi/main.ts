import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiYaml } from '@offizin/openapi/document';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { CLIENT_ROUTES, CLIENT_TYPES, clientRoutes, generatedTypes } from './generated-client';

/**
 * `npm run openapi`: writes the committed copy of the OpenAPI description, its types and the client's routes. Specs
 * compare them with the code.
 */
const published = openApiYaml();
const files = {
  'docs/openapi/external-api.yaml': published,
  [CLIENT_TYPES]: generatedTypes(published),
  [CLIENT_ROUTES]: clientRoutes(published),
};
for (const [path, text] of Object.entries(files)) {
  writeFileSync(join(checkoutRoot, path), text);
  console.log(`written: ${path}`);
}
