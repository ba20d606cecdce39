import { startStack } from '@offizin/local-stack/stack';
import type { Stack } from '@offizin/local-stack/stack';
import { WHOLE_PLAN } from '../demo/history';
import { liveDemo } from '../demo/living-demo';
import { placeOf, seedDemo } from '../demo/seed';
import { describeStack, removeDemoFile, writeDemoFile } from './demo-file';
import { readOptions, type UpOptions } from './options';
import { summaryOf } from './summary';

/**
 * `npm start`: the whole stack in the foreground, with demo data.
 *
 * Guarantees: demo.json is there exactly while everything is ready; the first Ctrl-C stops everything in order, the
 * second kills it; no process or file remains either way.
 */

/** One Ctrl-C arrives several times: from the terminal, from npm and from the bootstrap. */
const sameSignalMs = 1_000;
const parentCheckMs = 1_000;

async function main(options: UpOptions, shutdown: Shutdown): Promise<void> {
  const startedAt = performance.now();
  // A closed terminal or pipe must not end the stack halfway.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  let refresh = () => {};
  const onLine = (line: string): void => console.error(`offizin: ${line}`);

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
  const organizations = await shutdown.stoppingOnFailure(() => seedDemo(place));
  if (shutdown.signal.aborted || !organizations) return;

  const content = describeStack(stack, organizations);
  const file = writeDemoFile(stack.dataDir, content);
  console.log(summaryOf(content, file, (performance.now() - startedAt) / 1_000));
  // Process ids change when something dies and is started again.
  refresh = () => {
    if (!shutdown.signal.aborted) writeDemoFile(stack.dataDir, describeStack(stack, organizations));
  };
  await liveDemo(
    { dataDir: place.dataDir, gatewayUrl: place.urls.gateway, operator: place.operator, organizations },
    { plan: WHOLE_PLAN, quiet: options.quiet, signal: shutdown.signal, onLine },
  );
}

/** Ends the stack by signal, or when the bootstrap that started us was killed and nobody could stop us any more. */
class Shutdown {
  private readonly controller = new AbortController();
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

  /** From now on a signal stops this stack; one that came in the meantime does so now. */
  takeOver(stack: Stack): void {
    this.stack = stack;
    if (this.signal.aborted) void this.stopAndExit(stack, 0);
  }

  /** Undefined when the work failed; then everything is being stopped. */
  async stoppingOnFailure<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (error) {
      if (this.signal.aborted) return undefined;
      printError(error);
      this.controller.abort();
      if (this.stack) void this.stopAndExit(this.stack, 1);
      return undefined;
    }
  }

  private onSignal(signal: NodeJS.Signals): void {
    if (!this.signal.aborted) {
      this.firstSignalAt = Date.now();
      console.error(`\noffizin: ${signal}, stopping`);
      this.controller.abort();
      if (this.stack) void this.stopAndExit(this.stack, 0);
      return;
    }
    // During a start the abort is already ending everything; only a running stack has something to cut short.
    if (Date.now() - this.firstSignalAt < sameSignalMs || signal === 'SIGTERM' || !this.stack) return;
    console.error('offizin: ending at once');
    void this.stack.killAll();
  }

  private async stopAndExit(stack: Stack, exitCode: number): Promise<void> {
    removeDemoFile(this.dataDir);
    try {
      await stack.stop();
      console.error('offizin: stopped');
      process.exit(exitCode);
    } catch (error) {
      printError(error);
      process.exit(1);
    }
  }
}

function printError(error: unknown): void {
  console.error(`offizin: ${error instanceof Error ? error.message : String(error)}`);
}

const options = readOptions();
const shutdown = new Shutdown(options.dataDir);
main(options, shutdown).catch((error: unknown) => {
  printError(error);
  process.exit(shutdown.signal.aborted ? 0 : 1);
});
