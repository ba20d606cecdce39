import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { isFree } from '@offizin/local-stack/ports';
import { freeStackPorts } from '@offizin/local-stack/stack-ports';

/** What happens when a service, the broker or the database goes away. */
const OUTAGES = ['outage', 'stock-outage', 'audit-outage'].map((name) => `e2e/${name}.stack.spec.ts`);
const READY_LIMIT_MS = 180_000;
const PROCESSES = 5;

export interface Trial {
  node: string;
  environment: Record<string, string>;
  /** For data and logs; data are deleted. */
  folder: string;
  /** Run with the outages. */
  specs: readonly string[];
  /** What the doctor must find: a version that does not run proves nothing. */
  found: string;
}

export interface Verdict {
  /** Last line of the smoke walk, or why it was none. */
  smoke: string;
  /** Last line of the tests. */
  tests: string;
  isFine: boolean;
}

/** The main job on a started stack, then the outages. */
export async function tryVersion(trial: Trial): Promise<Verdict> {
  const [walked, smoke] = await smokeOf(trial);
  const log = join(trial.folder, 'tests.log');
  const tested = await end(tool(trial, ['test', ...OUTAGES, ...trial.specs], log));
  return { smoke, tests: lastLine(log), isFine: walked && tested === 0 };
}

async function smokeOf(trial: Trial): Promise<[boolean, string]> {
  const dataDir = join(trial.folder, 'data');
  const log = join(trial.folder, 'smoke.log');
  const environment = { ...trial.environment, ...(await freePortVariables()) };
  rmSync(dataDir, { recursive: true, force: true });
  const up = tool(
    { ...trial, environment },
    ['up', '--quiet', '--data-dir', dataDir],
    join(trial.folder, 'up.log'),
  );
  try {
    await readyOf(up, join(dataDir, 'demo.json'));
    await requireFound(trial, dataDir);
    const code = await end(tool(trial, ['smoke', '--data-dir', dataDir], log));
    return [code === 0, lastLine(log)];
  } catch (error) {
    return [false, error instanceof Error ? error.message : String(error)];
  } finally {
    up.kill('SIGTERM');
    await end(up);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function requireFound(trial: Trial, dataDir: string): Promise<void> {
  const log = join(trial.folder, 'doctor.log');
  await end(tool(trial, ['offizin', '--data-dir', dataDir, 'doctor'], log));
  if (!readFileSync(log, 'utf8').includes(trial.found))
    throw new Error(`the doctor does not find ${trial.found}: see doctor.log`);
}

async function readyOf(up: ChildProcess, demoFile: string): Promise<void> {
  const endsAt = performance.now() + READY_LIMIT_MS;
  while (!existsSync(demoFile)) {
    if (up.exitCode !== null) throw new Error('the stack did not start: see up.log');
    if (performance.now() > endsAt) throw new Error('the stack was not ready in time: see up.log');
    await setTimeout(200);
  }
}

async function freePortVariables(): Promise<Record<string, string>> {
  const ports = await freeStackPorts();
  return {
    GATEWAY_PORT: String(ports.gateway),
    CONNECTOR_PORT: String(ports['connector-edge']),
    ORDER_CORE_PORT: String(ports['order-core']),
    MANAGEMENT_PORT_BASE: String(await freeRun(PROCESSES)),
  };
}

/** First of that many free ports in a row. */
async function freeRun(length: number): Promise<number> {
  for (let first = 21_000; ; first += length) {
    const free = await Promise.all(Array.from({ length }, (_, index) => isFree(first + index)));
    if (free.every(Boolean)) return first;
  }
}

const running = new Set<ChildProcess>();
let isStopping = false;

function tool({ node, environment }: Trial, args: readonly string[], log: string): ChildProcess {
  if (isStopping) throw new Error('stopped');
  const output = openSync(log, 'w');
  const child = spawn(node, [join(checkoutRoot, 'tools', 'bootstrap.mjs'), ...args], {
    cwd: checkoutRoot,
    env: { ...process.env, ...environment },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Asks what runs now to stop, and waits for it. Nothing more is begun. */
export async function stopTrial(): Promise<void> {
  isStopping = true;
  const children = [...running];
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(children.map(end));
}

async function end(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

function lastLine(log: string): string {
  return readFileSync(log, 'utf8').trimEnd().split('\n').at(-1) ?? '';
}
