import type { Server } from 'node:http';
import { readConfig } from './config';
import { errorFields, log } from './log';
import { Management } from './management';
import { nameProcess, unhandledRejections } from './metrics';
import type { ProcessConfig } from './process-config';
import { installTracing, isTracingWanted, stopTracing } from './tracing';

export interface RunningApp {
  /** Called before `stop`: moves callers to other replicas, and still serves them. */
  drain?: () => void;
  stop: () => Promise<void>;
}

/**
 * On SIGTERM or SIGINT it reports not ready, serves for DRAIN_DELAY_SECONDS so that balancers notice, and finishes
 * within DRAIN_SECONDS. A second signal exits immediately. During the start: stop-during-start.ts.
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
    management.setStarted();
    log.info({ app: name, start_ms: Math.round(performance.now() - startedAt) }, 'ready');
    stopOnSignal(name, config, management, app);
  } catch (error) {
    fail(name, error);
  }
}

/** A process that ends when its work has ended, such as a migration. */
export async function runToEnd<Config extends object>(
  name: string,
  configClass: new () => Config,
  work: (config: Config) => Promise<void>,
): Promise<void> {
  nameProcess(name);
  try {
    await work(readConfig(configClass, process.env));
  } catch (error) {
    fail(name, error);
  }
}

function fail(name: string, error: unknown): void {
  process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
  log.fatal({ app: name, ...errorFields(error) }, 'start failed');
  log.flush();
  process.exitCode = 1;
  setImmediate(() => process.exit(1));
}

/** Loaded on demand: the packages cost memory and start time. */
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
    management.setDraining();
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
  for (const one of ['SIGTERM', 'SIGINT'] as const)
    process.removeAllListeners(one).on(one, (signal) => void stop(signal));
}

// Collectors cannot parse Node's text on stderr. A warning is a defect, such as listeners that pile up.
process.removeAllListeners('warning');
process.on('warning', (warning) => log.warn(errorFields(warning), 'warning of Node.js'));

process.on('uncaughtException', (error) => {
  log.fatal(errorFields(error), 'uncaught exception');
  process.exit(1);
});

// A defect, but one failed background promise must not abort the requests of other callers.
process.on('unhandledRejection', (reason) => {
  unhandledRejections.inc();
  log.error(errorFields(reason), 'unhandled rejection');
});

/** Callers with keep-alive then connect to another replica, instead of losing a request on a closing connection. */
export function endConnectionsAfterAnswers(server: Server): void {
  // Node closes idle connections once, when the server closes: that of a request under way would stay open.
  server.keepAliveTimeout = 1;
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
}
