import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openApiYaml } from '@offizin/openapi/document';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { CLIENT_ROUTES, CLIENT_TYPES, clientRoutes, generatedTypes } from './generated-client';

/**
 * `npm run openapi`: writes the committed copy of the OpenAPI description, its types and the client's routes.
 * With `-- --check` it writes nothing and ends with 1 when one of them differs from the code.
 */
const DESCRIPTION = 'docs/openapi/external-api.yaml';

function main(args: string[]): void {
  const unknown = args.filter((argument) => argument !== '--check');
  if (unknown.length > 0) throw new Error(`Usage: npm run openapi [-- --check]; not ${unknown.join(' ')}.`);
  const check = args.includes('--check');
  const published = openApiYaml();
  settle(DESCRIPTION, published, check);
  settle(CLIENT_TYPES, generatedTypes(published), check);
  settle(CLIENT_ROUTES, clientRoutes(published), check);
}

function settle(path: string, text: string, check: boolean): void {
  const file = join(checkoutRoot, path);
  if (present(file) === text) {
    console.log(`${path} is up to date`);
  } else if (check) {
    console.error(`${path} differs from the code: run \`npm run openapi\` and commit it.`);
    process.exitCode = 1;
  } else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(`${path} written`);
  }
}

function present(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

main(process.argv.slice(2));
