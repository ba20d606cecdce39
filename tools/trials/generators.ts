import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { LINE, REFERENCE, SHOP_ID } from '@offizin/openapi/examples/example';
import { http } from '@offizin/testkit/http';
import { STOCKED_AT_ONCE } from '../demo/products';
import type { DemoFile } from '../up/demo-file';
import { end, lastLine, startProgram, type ToolRun, withDemo } from './own-demo';
import type { Trial } from './programs';
import { recentNode } from './versions';

/**
 * What an integrator does with the published description, by the tools of others. integrator/ is the integrator's project:
 * pinned tools, and programs over the generated clients. A copy of it is installed in .data-generators.
 */
interface Tool {
  /** Its package. */
  name: string;
  /** Commands by name, one after the other. The last line of the last one is the result. */
  steps: Readonly<Record<string, string>>;
}

/** Redocly and openapi-typescript have their tests in `npm test` (tools/openapi, clients/typescript). */
const TOOLS: readonly Tool[] = [
  {
    name: '@stoplight/spectral-cli',
    steps: { lint: 'spectral lint description.yaml --ruleset spectral.yaml --fail-severity hint' },
  },
  generator(
    '@hey-api/openapi-ts',
    'hey-api',
    'openapi-ts --input description.yaml --output hey-api/generated',
  ),
  generator('orval', 'orval', 'orval --config orval/orval.config.mjs'),
  {
    name: 'openapi-to-postmanv2',
    steps: {
      convert: 'openapi2postmanv2 -s description.yaml -o collection.json -p -c postman.json',
      send: './postman.mjs',
    },
  },
];

/** Generates a client, compiles a program over it under `strict`, and runs that. */
function generator(name: string, folder: string, generate: string): Tool {
  return { name, steps: { generate, compile: `tsc -p ${folder}`, call: `./built/${folder}/calls.js` } };
}

const FOLDER = join(checkoutRoot, '.data-generators');
const PROJECT = join(FOLDER, 'integrator');
/** No script of a package runs, and no lock file is written. */
const INSTALL = [
  'install',
  '--engine-strict',
  '--ignore-scripts',
  '--no-package-lock',
  '--no-audit',
  '--no-fund',
];

/** Gives the trials to `work` while a demo runs; `description` is a file, in place of the description of the gateway. */
export async function generatorTrials(
  description: string | undefined,
  work: (trials: readonly Trial[]) => Promise<void>,
): Promise<void> {
  const run = { ...recentNode(), folder: PROJECT };
  const versions = installed(run);
  await withDemo({ node: process.execPath, environment: {}, folder: FOLDER }, async (dataDir) => {
    const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as DemoFile;
    const text = description === undefined ? await served(demo) : readFileSync(description, 'utf8');
    writeFileSync(join(PROJECT, 'description.yaml'), text);
    const environment = { ...run.environment, ...variablesOf(demo) };
    await work(
      TOOLS.map((tool) => ({
        name: `${tool.name} ${versions[tool.name] ?? ''}`,
        run: () => tryTool(tool, { ...run, environment }),
      })),
    );
  });
}

async function tryTool({ name, steps }: Tool, run: ToolRun): Promise<string> {
  let result = '';
  for (const [step, command] of Object.entries(steps)) {
    const [program = '', ...args] = command.split(' ');
    const log = join(FOLDER, `${name.replaceAll(/[^a-z0-9]+/g, '-')}-${step}.log`);
    // A program without a folder is a command of a package.
    const file = program.includes('/') ? program : join('node_modules', '.bin', program);
    const code = await end(startProgram(run, [file, ...args], log, PROJECT));
    result = lastLine(log);
    if (code !== 0) throw new Error(`${step}: ${result} (${log})`);
  }
  return result;
}

/** Copies the integrator's project and installs its packages when they have changed. Answers their versions. */
function installed({ environment }: Omit<ToolRun, 'folder'>): Record<string, string> {
  mkdirSync(PROJECT, { recursive: true });
  for (const name of readdirSync(PROJECT))
    if (name !== 'node_modules') rmSync(join(PROJECT, name), { recursive: true });
  cpSync(join(checkoutRoot, 'tools', 'trials', 'integrator'), PROJECT, { recursive: true });
  const settings = JSON.stringify({ extends: '../tsconfig.json', include: ['.'] });
  for (const { steps } of TOOLS) {
    const folder = steps['compile']?.split(' ').at(-1);
    if (folder !== undefined) writeFileSync(join(PROJECT, folder, 'tsconfig.json'), settings);
  }
  const wanted = readFileSync(join(PROJECT, 'package.json'), 'utf8');
  const mark = join(PROJECT, 'node_modules', '.installed');
  if (!existsSync(mark) || readFileSync(mark, 'utf8') !== wanted) {
    const env = { ...process.env, ...environment };
    const { status, stderr } = spawnSync('npm', INSTALL, { cwd: PROJECT, env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`npm install failed in ${PROJECT}: ${stderr}`);
    writeFileSync(mark, wanted);
  }
  return (JSON.parse(wanted) as { dependencies: Record<string, string> }).dependencies;
}

async function served({ base_url }: DemoFile): Promise<string> {
  const answer = await http(`${base_url}/openapi/external-api.yaml`);
  if (answer.status !== 200) throw new Error(`The gateway answers ${answer.status} for its description.`);
  return answer.body.toString();
}

/** What an integrator is given: addresses, keys and ids, as variables of the programs. */
function variablesOf({ base_url, organizations: [organization] }: DemoFile): Record<string, string> {
  const shop = organization?.shops[0];
  const [product] = STOCKED_AT_ONCE;
  if (!organization || !shop || !product)
    throw new Error('The demo lacks an organization, a shop or a product.');
  const reference = randomUUID();
  const inExamples = { [SHOP_ID]: shop.shop_id, [LINE.p1_id]: product, [REFERENCE]: reference };
  return {
    OFFIZIN_URL: base_url,
    OFFIZIN_SHOP_URL: shop.shop_url,
    OFFIZIN_API_KEY: organization.api_key,
    OFFIZIN_INTEGRATION_KEY: organization.integration_key,
    OFFIZIN_ORG_ID: organization.org_id,
    OFFIZIN_SHOP_ID: shop.shop_id,
    OFFIZIN_P1_ID: product,
    OFFIZIN_REFERENCE: reference,
    OFFIZIN_IN_EXAMPLES: JSON.stringify(inExamples),
  };
}
