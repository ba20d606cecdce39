import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { http } from '@offizin/testkit/http';
import { dataFolder, readRunningStack } from '../offizin/running-stack';
import type { DemoFile } from '../up/demo-file';
import { command, lastLine, type Trial } from './programs';
import { recentNode } from './versions';

/**
 * What an integrator does with the published description, by the tools of others. integrator/ is the integrator's project:
 * pinned tools, and a program over the generated client. A copy of it is installed in .data-generators.
 *
 * By package: its commands, one after the other. The last line of the last one is the result. Redocly and
 * openapi-typescript have their tests in `npm test` (tools/openapi, clients/typescript).
 */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  '@stoplight/spectral-cli': ['spectral lint description.yaml --ruleset spectral.yaml --fail-severity hint'],
  '@hey-api/openapi-ts': [
    'openapi-ts --input description.yaml --output generated',
    'tsc -p .',
    './built/calls.js',
  ],
  // The collection is ours, and no description: its requests succeed in their order.
  newman: ['./postman.mjs'],
};

/** By their names in that project. */
const FILES = { 'description.yaml': 'external-api.yaml', 'collection.json': 'postman-collection.json' };
const PROJECT = join(checkoutRoot, '.data-generators', 'integrator');
/** No script of a package runs, and no lock file is written. */
const INSTALL = 'install --engine-strict --ignore-scripts --no-package-lock --no-audit --no-fund'.split(' ');

/** Against the running demo. */
export async function generatorTrials(): Promise<readonly Trial[]> {
  const { demo } = readRunningStack(dataFolder(process.env['OFFIZIN_DATA_DIR']));
  const node = recentNode();
  const PATH = `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}`;
  const versions = await installed({ PATH });
  for (const [file, served] of Object.entries(FILES)) {
    const answer = await http(`${demo.base_url}/openapi/${served}`);
    if (answer.status !== 200) throw new Error(`The gateway answers ${answer.status} for ${served}.`);
    writeFileSync(join(PROJECT, file), answer.body);
  }
  const env = { PATH, ...variablesOf(demo) };
  return Object.entries(TOOLS).map(([name, commands]) => ({
    name: `${name} ${versions[name] ?? ''}`,
    run: async () => {
      let output = '';
      for (const [program = '', ...args] of commands.map((line) => line.split(' '))) {
        // A program without a folder is a command of a package.
        const file = program.includes('/') ? program : join('node_modules', '.bin', program);
        output = await command(node, [file, ...args], { cwd: PROJECT, env });
      }
      return lastLine(output);
    },
  }));
}

/** Copies the integrator's project and installs its packages when they have changed. Answers their versions. */
async function installed(env: Record<string, string>): Promise<Record<string, string>> {
  mkdirSync(PROJECT, { recursive: true });
  for (const name of readdirSync(PROJECT))
    if (name !== 'node_modules') rmSync(join(PROJECT, name), { recursive: true });
  cpSync(join(checkoutRoot, 'tools', 'trials', 'integrator'), PROJECT, { recursive: true });
  const wanted = readFileSync(join(PROJECT, 'package.json'), 'utf8');
  const mark = join(PROJECT, 'node_modules', '.installed');
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== wanted) {
    await command('npm', INSTALL, { cwd: PROJECT, env });
    writeFileSync(mark, wanted);
  }
  return (JSON.parse(wanted) as { dependencies: Record<string, string> }).dependencies;
}

/** What an integrator is given: addresses, keys and ids, as variables of the programs. */
function variablesOf({ base_url, organizations: [organization] }: DemoFile): Record<string, string> {
  const shop = organization?.shops[0];
  if (!organization || !shop) throw new Error('The demo lacks an organization or a shop.');
  return {
    OFFIZIN_URL: base_url,
    OFFIZIN_SHOP_URL: shop.shop_url,
    OFFIZIN_API_KEY: organization.api_key,
    OFFIZIN_INTEGRATION_KEY: organization.integration_key,
    OFFIZIN_ORG_ID: organization.org_id,
    OFFIZIN_SHOP_ID: shop.shop_id,
  };
}
