import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { isFree } from '@offizin/local-stack/ports';
import { freeStackPorts } from '@offizin/local-stack/stack-ports';

/** A separate demo for the commands that try something with a whole stack (`versions`, `generators`). */

const READY_LIMIT_MS = 180_000;
const PROCESSES = 5;

/** How programs are run. */
export interface ToolRun {
  /** Path of Node.js. */
  node: string;
  /** Variables, over those of this process. */
  environment: Record<string, string>;
  /** For data and logs; data are deleted. */
  folder: string;
}

/** Starts the demo on free ports, gives its data folder to `work`, and stops it. The log is up.log in the folder. */
export async function withDemo<Result>(
  run: ToolRun,
  work: (dataDir: string) => Promise<Result>,
): Promise<Result> {
  const dataDir = join(run.folder, 'data');
  const environment = { ...run.environment, ...(await freePortVariables()) };
  rmSync(dataDir, { recursive: true, force: true });
  const up = startTool(
    { ...run, environment },
    ['up', '--quiet', '--data-dir', dataDir],
    join(run.folder, 'up.log'),
  );
  try {
    await readyOf(up, join(dataDir, 'demo.json'));
    return await work(dataDir);
  } finally {
    up.kill('SIGTERM');
    await end(up);
    rmSync(dataDir, { recursive: true, force: true });
  }
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

/** A command of this checkout. Its output goes to the log. */
export function startTool(run: ToolRun, args: readonly string[], log: string): ChildProcess {
  const bootstrap = join(checkoutRoot, 'tools', 'bootstrap.mjs');
  return startProgram(run, [bootstrap, ...args], log, checkoutRoot);
}

/** A program for Node.js. Its output goes to the log. */
export function startProgram(
  { node, environment }: ToolRun,
  args: readonly string[],
  log: string,
  cwd: string,
): ChildProcess {
  if (isStopping) throw new Error('stopped');
  const output = openSync(log, 'w');
  const child = spawn(node, args, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Asks what runs now to stop, and waits for it. Nothing more is begun. */
export async function stopAll(): Promise<void> {
  isStopping = true;
  const children = [...running];
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(children.map(end));
}

/** Exit code; null after a signal. */
export async function end(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

export function lastLine(log: string): string {
  return readFileSync(log, 'utf8').trimEnd().split('\n').at(-1) ?? '';
}
