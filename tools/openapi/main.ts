import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openApiYaml } from '@offizin/openapi/yaml';
import { checkoutRoot } from '@offizin/local-stack/checkout';

/**
 * `npm run openapi`: writes the committed copy of the OpenAPI description, and the client's types from it. With
 * `-- --check` it writes nothing and ends with 1 when one of them is not what the code says.
 */
const DESCRIPTION = 'docs/openapi/external-api.yaml';
const CLIENT_TYPES = 'clients/typescript/src/generated/api.d.ts';

function main(args: string[]): void {
  const unknown = args.filter((argument) => argument !== '--check');
  if (unknown.length > 0) throw new Error(`Usage: npm run openapi [-- --check]; not ${unknown.join(' ')}.`);
  const check = args.includes('--check');
  const yaml = openApiYaml();
  settle(DESCRIPTION, yaml, check);
  settle(CLIENT_TYPES, clientTypes(yaml), check);
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

/** The generator is an ES module with a command line; the latter is its stable side. */
function clientTypes(yaml: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'offizin-openapi-'));
  try {
    const [input, output] = [join(folder, 'api.yaml'), join(folder, 'api.d.ts')];
    writeFileSync(input, yaml);
    const program = join(checkoutRoot, 'node_modules/openapi-typescript/bin/cli.js');
    const run = spawnSync(process.execPath, [program, input, '--default-non-nullable=false', '-o', output], {
      encoding: 'utf8',
    });
    if (run.status !== 0) throw new Error(`openapi-typescript failed: ${run.stderr}`);
    return readFileSync(output, 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
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
