import { constants } from 'node:os';
import { type Stack, startStack } from '@offizin/local-stack/stack';
import { WHOLE_PLAN } from '../demo/history';
import { liveDemo } from '../demo/living-demo';
import { placeOf, seedDemo } from '../demo/seed';
import { note, say } from '../offizin/output';
import {
  type DemoFile,
  demoFile,
  describeStack,
  organizationLines,
  removeDemoFile,
  writeDemoFile,
} from './demo-file';
import { readOptions, type UpOptions } from './options';

/**
 * `npm start`: the whole stack in the foreground, with demo data.
 *
 * Guarantees: demo.json is there exactly while everything is ready; the first Ctrl-C stops everything in order, the
 * second kills it; no process or file remains either way.
 */

/** One Ctrl-C arrives several times: from the terminal, from npm and from the bootstrap. */
const sameSignalMs = 1_000;
const parentCheckMs = 1_000;
const DEMO_FILE_RETRY_MS = 1_000;
const WAIT_SAID_EVERY_MS = 10_000;
const WITHOUT_DEMO =
  'The demo is incomplete; the stack runs without it. The next npm start completes it; with --fresh it starts over.';

async function main(options: UpOptions, shutdown: Shutdown): Promise<void> {
  const startedAt = performance.now();
  // A closed terminal or pipe must not end the stack halfway.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  let refresh = () => {};
  const onLine = (line: string): void => note(`offizin: ${line}`);

  const stack = await startStack({
    ...options,
    databaseUrl: process.env.DATABASE_URL || undefined,
    natsUrl: process.env.NATS_URL || undefined,
    natsTlsCaFile: process.env.NATS_TLS_CA_FILE || undefined,
    signal: shutdown.signal,
    onLocked: () => removeDemoFile(options.dataDir),
    onLine,
    onProcessChange: () => refresh(),
  });
  shutdown.takeOver(stack);
  const place = placeOf(stack);
  const seeding = setInterval(() => onLine('waiting for the demo to be written'), WAIT_SAID_EVERY_MS);
  const organizations = await seedDemo(place, shutdown.signal)
    .catch((error: unknown) => {
      if (!shutdown.signal.aborted) onLine(`${messageOf(error)}\n${WITHOUT_DEMO}`);
      return [];
    })
    .finally(() => clearInterval(seeding));
  if (shutdown.signal.aborted) return;

  // Process ids change when something dies and is started again.
  refresh = untilWritten(() => {
    if (!shutdown.signal.aborted) writeDemoFile(stack.dataDir, describeStack(stack, organizations));
  }, onLine);
  refresh();
  say(summaryOf(describeStack(stack, organizations), demoFile(stack.dataDir), performance.now() - startedAt));
  if (organizations.length === 0) return;
  await liveDemo(
    { dataDir: place.dataDir, gatewayUrl: place.urls.gateway, operator: place.operator, organizations },
    { plan: WHOLE_PLAN, quiet: options.quiet, signal: shutdown.signal, onLine },
  );
}

/** A full disk must end no stack: the file is tried again each second. */
function untilWritten(write: () => void, onLine: (line: string) => void): () => void {
  let isWaiting = false;
  const attempt = (): void => {
    const wasWaiting = isWaiting;
    isWaiting = false;
    try {
      write();
    } catch (error) {
      isWaiting = true;
      setTimeout(attempt, DEMO_FILE_RETRY_MS);
      if (!wasWaiting) onLine(`demo.json is not up to date: ${messageOf(error)}`);
    }
  };
  return () => isWaiting || attempt();
}

/** Ends the stack by signal, or when the bootstrap that started this process was killed. */
class Shutdown {
  private readonly controller = new AbortController();
  private firstSignal: NodeJS.Signals | undefined;
  private stack: Stack | undefined;
  private firstSignalAt = 0;

  constructor(private readonly dataDir: string) {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => this.onSignal(signal));
    const bootstrapPid = Number(process.env.OFFIZIN_BOOTSTRAP_PID);
    if (bootstrapPid !== process.ppid) return;
    setInterval(() => process.ppid === bootstrapPid || this.onSignal('SIGTERM'), parentCheckMs).unref();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Of a start that ends without a stack. */
  get exitCode(): number {
    return this.firstSignal ? 128 + constants.signals[this.firstSignal] : 1;
  }

  /** From now on a signal stops this stack; one that came in the meantime does so now. */
  takeOver(stack: Stack): void {
    this.stack = stack;
    if (this.signal.aborted) void this.stopAndExit(stack);
  }

  private onSignal(signal: NodeJS.Signals): void {
    if (!this.signal.aborted) {
      this.firstSignal = signal;
      this.firstSignalAt = Date.now();
      note(`\noffizin: ${signal}, stopping`);
      this.controller.abort();
      if (this.stack) void this.stopAndExit(this.stack);
      return;
    }
    // During a start the abort is already ending everything; only a running stack has something to cut short.
    if (Date.now() - this.firstSignalAt < sameSignalMs || signal === 'SIGTERM' || !this.stack) return;
    note('offizin: ending immediately');
    void this.stack.killAll();
  }

  private async stopAndExit(stack: Stack): Promise<void> {
    removeDemoFile(this.dataDir);
    try {
      await stack.stop();
      note('offizin: stopped');
      process.exit(0);
    } catch (error) {
      printError(error);
      process.exit(1);
    }
  }
}

function printError(error: unknown): void {
  note(`offizin: ${messageOf(error)}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a person sees when everything is ready: where things are, the demo's keys, and one line to try. */
function summaryOf(demo: DemoFile, file: string, tookMs: number): string {
  const pids = Object.entries(demo.processes).map(([name, { pid }]) => `${name} ${pid ?? '(down)'}`);
  return [
    '',
    `Offizin is ready after ${(tookMs / 1_000).toFixed(1)} s. Ctrl-C stops everything.`,
    '',
    `  API        ${demo.base_url}`,
    `  console    ${demo.console_url}`,
    `  connector  ${demo.shop_url}`,
    `  docs       ${demo.docs_url}  (guides and links: ${demo.base_url})`,
    `  details    ${file}  (keys, database, NATS; while it runs)`,
    `  processes  ${pids.join(', ')}`,
    ...demo.organizations.flatMap(organizationLines),
    ...tryLines(demo),
    '',
    '  Webhook targets and prescription links on this machine (127.0.0.1, http) are allowed here; production refuses them.',
    '',
  ].join('\n');
}

function tryLines(demo: DemoFile): string[] {
  const [first] = demo.organizations;
  if (!first) return [];
  const token = `curl -s -X POST -H 'X-API-Key: ${first.api_key}' ${demo.base_url}/auth/token`;
  const cut = `sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/'`;
  const orders = `${demo.base_url}/api/v2/public/orgs/${first.org_id}/orders`;
  return ['', '  Try:', `    curl -s -H "Authorization: Bearer $(${token} | ${cut})" ${orders}`];
}

const options = readOptions();
const shutdown = new Shutdown(options.dataDir);
main(options, shutdown).catch((error: unknown) => {
  printError(error);
  process.exit(shutdown.exitCode);
});
