import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { endOnSignal } from '@offizin/local-stack/stop-signals';
import { http } from '@offizin/testkit/http';
import type { DemoFile } from '../up/demo-file';
import { stopAll, type ToolRun, withDemo } from '../up/own-demo';
import { recentNode } from '../versions/recent-node';
import { installed, variablesOf } from './integrator';
import { candidates, type Outcome, tried } from './candidates';

/**
 * `npm run generators`: what an integrator does with the published description, by the tools of others. One lints
 * it, others generate a client that is compiled under `strict` and makes live calls, and one makes a Postman collection
 * whose requests are sent. The description is the one that a started demo serves.
 *
 * Cast: integrator/ (the project of an integrator: pinned tools, programs over the generated clients), `integrator`
 * (installs a copy of it), `candidates` (the tools and their steps). The copy and logs stay in .data-generators.
 * Exit code 1 when one fails.
 */
const program = new Command('generators')
  .description('Tries the tools that integrators use with the published description.')
  .option('--only <text>', 'only the tools whose name contains this, such as "orval"', '')
  .option('--description <file>', 'this description, instead of the one that the gateway serves');

const folder = join(checkoutRoot, '.data-generators');

async function main(): Promise<void> {
  const { only, description } = program.parse().opts<{ only: string; description?: string }>();
  endOnSignal(stopAll);
  const chosen = candidates.filter(({ name }) => name.includes(only));
  if (chosen.length === 0) throw new Error(`No tool has "${only}" in its name.`);
  mkdirSync(folder, { recursive: true });
  const integrator = installed({ ...recentNode(), folder });
  const outcomes = await withDemo({ node: process.execPath, environment: {}, folder }, async (dataDir) => {
    const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as DemoFile;
    const text = description === undefined ? await served(demo) : readFileSync(description, 'utf8');
    writeFileSync(join(integrator.folder, 'description.yaml'), text);
    const run = { ...integrator, environment: { ...integrator.environment, ...variablesOf(demo) } };
    return inTurn(chosen, run);
  });
  print(outcomes);
  if (outcomes.some(({ isFine }) => !isFine)) process.exitCode = 1;
}

async function served({ base_url }: DemoFile): Promise<string> {
  const answer = await http(`${base_url}/openapi/external-api.yaml`);
  if (answer.status !== 200) throw new Error(`The gateway answers ${answer.status} for its description.`);
  return answer.body.toString();
}

async function inTurn(chosen: typeof candidates, run: ToolRun): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const candidate of chosen) outcomes.push(await tried(candidate, run));
  return outcomes;
}

function print(outcomes: readonly Outcome[]): void {
  const width = (of: (outcome: Outcome) => string): number =>
    Math.max(...outcomes.map((outcome) => of(outcome).length));
  const [names, versions] = [width(({ name }) => name), width(({ version }) => version)];
  for (const { isFine, name, version, result } of outcomes)
    console.log(`${isFine ? 'ok  ' : 'FAIL'} ${name.padEnd(names)}  ${version.padEnd(versions)}  ${result}`);
}

main().catch((error: unknown) => {
  console.error(`generators: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
