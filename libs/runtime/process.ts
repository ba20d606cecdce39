import { readConfig, type ProcessConfig } from './config';
import { errorFields, log } from './log';
import { Management } from './management';
import { nameProcess, unhandledRejections } from './metrics';
import { installTracing, isTracingWanted, stopTracing } from './tracing';

/** What a started app gives back, so that it can be stopped. */
export interface RunningApp {
  /** A stop is near: has callers that keep connections go elsewhere, and serves them until then. */
  drain?: () => void;
  /** Stops taking new work, finishes what is under way, closes. */
  stop: () => Promise<void>;
  /** The work is over already (a migration): stop at once, with exit code 0. */
  done?: boolean;
}

/**
 * How every process lives: configuration (all mistakes in one message), management port, the app, and on SIGTERM or
 * SIGINT a drain: not ready any more, served on for DRAIN_DELAY_SECONDS so that balancers notice, then what is under way
 * is finished within DRAIN_SECONDS, exit 0. A second signal exits at once.
 */
export async function runProcess<Config extends ProcessConfig>(
  name: string,
  configClass: new () => Config,
  start: (config: Config, management: Management) => Promise<RunningApp>,
): Promise<void> {
  const startedAt = performance.now();
  nameProcess(name);
  try {
    const config = readConfig(configClass, process.env);
    await startTracing(name);
    const management = new Management();
    await management.listen(config.managementPort, config.bindAddress);
    const app = await start(config, management);
    if (app.done) {
      await app.stop();
      await management.close();
      await stopTracing();
      return;
    }
    management.markStarted();
    log.info({ app: name, start_ms: Math.round(performance.now() - startedAt) }, 'ready');
    stopOnSignal(name, config, management, app);
  } catch (error) {
    // Plain text on stderr: whoever starts the process by hand reads this line first.
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    log.fatal({ app: name, ...errorFields(error) }, 'start failed');
    log.flush();
    process.exitCode = 1;
    setImmediate(() => process.exit(1));
  }
}

/** Loaded only where it is wanted: the packages take memory and time to start. */
async function startTracing(name: string): Promise<void> {
  if (!isTracingWanted(process.env)) return;
  const { OtelTracing } = await import('./otel-tracing.js');
  installTracing(new OtelTracing(name));
}

function stopOnSignal(name: string, config: ProcessConfig, management: Management, app: RunningApp): void {
  let stopping = false;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    management.markDraining();
    log.info({ app: name, signal }, 'draining');
    app.drain?.();
    if (config.drainDelaySeconds > 0)
      await new Promise((resolve) => setTimeout(resolve, config.drainDelaySeconds * 1000));
    const overdue = setTimeout(() => process.exit(1), config.drainSeconds * 1000);
    try {
      await app.stop();
      await management.close();
      await stopTracing();
    } catch (error) {
      log.error({ app: name, ...errorFields(error) }, 'stop failed');
    }
    clearTimeout(overdue);
    log.info({ app: name }, 'stopped');
    log.flush(() => process.exit(0));
  };
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
}

// In the log like everything else, where Node's own text on stderr is no line that a collector reads; then the end that
// Node would make of it.
process.on('uncaughtException', (error) => {
  log.fatal(errorFields(error), 'uncaught exception');
  process.exit(1);
});

// A rejection that nobody awaited is a defect of ours, but one lost background promise must not take the orders of all
// other callers down with it: it is logged loudly and the process goes on. An exception, in contrast, ends it.
process.on('unhandledRejection', (reason) => {
  unhandledRejections.inc();
  log.error(errorFields(reason), 'unhandled rejection');
});
