import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AppName,
  appNames,
  type AppProcess,
  type AppSettings,
  createApp,
  ERASURE_LEDGER,
  loopback,
} from './apps';
import { checkoutRoot } from './checkout';
import { databaseUrl, prepareDatabase, sharedPasswords } from './database-roles';
import {
  checkExternalNats,
  natsLogins,
  type NatsServer,
  startNats,
  startNatsCluster,
  withoutLogin,
} from './nats';
import { type PostgresServer, startPostgres } from './postgres';
import {
  addReplica,
  endAll,
  startBalancers,
  type Started,
  startReplicas,
  throwFirstFailure,
} from './replicas';
import { stopOrphans } from './run-record';
import { type DatabaseService, readOrCreateSecrets, type Secrets } from './secrets';
import {
  freeStackPorts,
  lockDataDir,
  portsFromEnvironment,
  refuseTakenPorts,
  type StackPorts,
} from './stack-ports';
import type { UnexpectedExit } from './supervised-process';

/**
 * All of Offizin on this machine: PostgreSQL, NATS and the five apps as processes. As a cluster: three NATS
 * servers and two replicas of each app, with a balancer in front of those that listen.
 *
 * Order: secrets (stored per data folder) → postgres and nats in parallel → database, roles and schemas → the apps
 * in parallel → ready.
 * Guarantees: a start ends with everything ready, or stops everything and throws one error with the reason.
 * `stop()` ends all processes in reverse order. Remains of a killed stack on the folder are stopped first. Two
 * stacks never share a folder.
 */
export interface StackOptions {
  dataDir: string;
  /** Default: portsFromEnvironment(). */
  ports?: 'free' | StackPorts;
  /** Administrator's URL of an external server, used instead of an own one. */
  databaseUrl?: string;
  natsUrl?: string;
  /** Certificate authority (PEM file) of an external broker with TLS. */
  natsTlsCaFile?: string;
  /** Restarts a process that dies, after a second. */
  restart?: boolean;
  /** Three NATS servers and two replicas of each app, instead of one each. */
  cluster?: boolean;
  /** Wipes the data folder first. */
  fresh?: boolean;
  extraEnv?: AppSettings['extraEnv'];
  /** Folder that contains dist/apps; default: the checkout. */
  appRoot?: string;
  /** Passed to PostgresOptions: the own PostgreSQL server does not survive a crash of the machine. */
  disposable?: boolean;
  /** Limit until all apps are ready. */
  readyLimitMs?: number;
  /** Cancels a running start. */
  signal?: AbortSignal;
  /** Called when the data folder is locked, before anything starts. */
  onLocked?: () => void;
  /** Receives one line of text for each unexpected event. */
  onLine?: (line: string) => void;
  /** Called when a process has a new pid. */
  onProcessChange?: () => void;
}

export interface Stack {
  dataDir: string;
  ports: StackPorts;
  secrets: Secrets;
  urls: { gateway: string; connectorEdge: string; orderCore: string };
  apps: Record<AppName, AppProcess>;
  /** Undefined with an external server; so is `nats`. */
  postgres: PostgresServer | undefined;
  nats: NatsServer | undefined;
  /** Servers of the own broker: one, or three in a cluster. */
  brokers: NatsServer[];
  /** Further processes of apps: those of a cluster, and those of addReplica. */
  replicas: AppProcess[];
  /** Administrator's URL of Offizin's database. */
  adminDatabaseUrl: string;
  databaseUrls: Record<DatabaseService, string>;
  natsOperator: {
    url: string;
    user: string | undefined;
    password: string | undefined;
    tlsCaFile: string | undefined;
  };
  /** Starts one more process of an app on free ports and waits until it is ready. `stop` ends it, too. */
  addReplica(app: AppName, extraEnv?: Record<string, string>): Promise<{ process: AppProcess; port: number }>;
  stop(): Promise<void>;
  /** Kills all processes; resolves when they have ended. */
  killAll(): Promise<void>;
}

const defaultDatabaseName = 'offizin';
const wiped = [
  'postgres',
  'postgres.new',
  'postgres.password',
  'nats',
  'nats-1',
  'nats-2',
  'nats-3',
  'logs',
  'run',
  'secrets.json',
  'demo.json',
  'demo-keys.json',
  'demo-seed.json',
  'demo-history.json',
  ERASURE_LEDGER,
];

export async function startStack(options: StackOptions): Promise<Stack> {
  mkdirSync(options.dataDir, { recursive: true });
  const dataDir = realpathSync(options.dataDir);
  const unlock = lockDataDir(dataDir);
  const started: Started = { brokers: [], replicas: [], balancers: [] };
  try {
    options.onLocked?.();
    for (const line of await stopOrphans(dataDir)) options.onLine?.(line);
    if (options.fresh)
      for (const name of wiped) rmSync(join(dataDir, name), { recursive: true, force: true });
    return await startAll({ ...options, dataDir }, started, unlock);
  } catch (error) {
    await endAll(started, 'stop');
    unlock();
    throw options.signal?.aborted ? new Error('The start was cancelled.') : error;
  }
}

async function startAll(options: StackOptions, started: Started, unlock: () => void): Promise<Stack> {
  const { dataDir } = options;
  const ports = options.ports === 'free' ? await freeStackPorts() : (options.ports ?? portsFromEnvironment());
  await refuseTakenPorts(ports);
  const secrets = readOrCreateSecrets(dataDir);
  await startServers(options, ports, secrets, started);
  options.signal?.throwIfAborted();

  const serverUrl = started.postgres?.adminUrl ?? options.databaseUrl ?? '';
  const databaseName = databaseNameOf(serverUrl);
  const passwords = options.databaseUrl ? sharedPasswords(serverUrl, secrets) : secrets.databasePasswords;
  const databaseUrls = await prepareDatabase(serverUrl, databaseName, passwords);
  const natsLogin = natsLogins(options.natsUrl, secrets);
  const settings: AppSettings = {
    dataDir,
    appRoot: options.appRoot ?? checkoutRoot,
    ports,
    management: ports.management,
    natsUrl: started.brokers.map(({ url }) => url).join(',') || withoutLogin(options.natsUrl ?? ''),
    natsTlsCaFile: options.natsTlsCaFile,
    streamReplicas: started.brokers.length || 1,
    natsLogin,
    databaseUrls,
    secrets,
    extraEnv: options.extraEnv,
    onExit: (event) => options.onLine?.(exitLine(event)),
    onStart: options.onProcessChange,
    onWait: options.onLine,
  };
  const [first, second] = options.cluster ? await startBalancers(settings, started) : [settings];
  started.apps = await startApps(first, options, started);
  if (second) await startReplicas(second, options, started);
  superviseFromNowOn(started, options.restart ?? false);

  return {
    dataDir,
    ports,
    secrets,
    urls: {
      gateway: loopback(ports.gateway),
      connectorEdge: loopback(ports['connector-edge']),
      orderCore: loopback(ports['order-core']),
    },
    apps: started.apps,
    postgres: started.postgres,
    nats: started.brokers[0],
    brokers: started.brokers,
    replicas: started.replicas,
    adminDatabaseUrl: databaseUrl(serverUrl, databaseName),
    databaseUrls,
    natsOperator: {
      url: settings.natsUrl,
      user: natsLogin('operator')?.user,
      password: natsLogin('operator')?.password,
      tlsCaFile: options.natsTlsCaFile,
    },
    addReplica: (app, extraEnv) => addReplica(app, settings, started, extraEnv),
    stop: () => endAll(started, 'stop').finally(unlock),
    killAll: () => endAll(started, 'kill').finally(unlock),
  };
}

/**
 * Starts PostgreSQL and NATS in parallel. Waits for both even if one fails, so that no process is left unnoticed.
 */
async function startServers(
  options: StackOptions,
  ports: StackPorts,
  secrets: Secrets,
  started: Started,
): Promise<void> {
  const { dataDir, signal, onLine, onProcessChange } = options;
  const watch = {
    signal,
    onExit: (event: UnexpectedExit) => onLine?.(exitLine(event)),
    onStart: onProcessChange,
  };
  const { postgresAdminPassword: adminPassword, natsPasswords: passwords } = secrets;
  const startDatabase = async () => {
    if (options.databaseUrl) return;
    const server = { dataDir, adminPassword, disposable: options.disposable, onProgress: onLine, ...watch };
    started.postgres = await startPostgres({ ...server, port: ports.postgres });
  };
  const startBroker = async () => {
    if (options.natsUrl)
      return checkExternalNats(options.natsUrl, natsLogins(options.natsUrl, secrets)('operator'));
    const broker = { dataDir, passwords, onProgress: onLine, ...watch };
    started.brokers = options.cluster
      ? await startNatsCluster(broker)
      : [await startNats({ ...broker, port: ports.nats })];
  };
  throwFirstFailure(await Promise.allSettled([startDatabase(), startBroker()]));
}

async function startApps(settings: AppSettings, options: StackOptions, started: Started) {
  const apps = Object.fromEntries(appNames.map((app) => [app, createApp(app, settings)])) as Record<
    AppName,
    AppProcess
  >;
  started.apps = apps;
  const limitMs = options.readyLimitMs ?? 60_000;
  const failed = new AbortController();
  const signal = AbortSignal.any([failed.signal, ...(options.signal ? [options.signal] : [])]);
  const startOne = async (app: AppProcess) => {
    try {
      await app.start();
      await app.ready(limitMs, signal);
    } catch (error) {
      // Report the first failure without waiting for the others.
      failed.abort(error);
      throw error;
    }
  };
  const results = await Promise.allSettled(Object.values(apps).map(startOne));
  failed.signal.throwIfAborted();
  throwFirstFailure(results);
  return apps;
}

/** Called when all is ready: a process that dies earlier is a failed start and not restarted. */
function superviseFromNowOn(started: Started, restart: boolean): void {
  const servers = [started.postgres?.process, ...started.brokers.map((broker) => broker.process)];
  const apps = [...Object.values(started.apps ?? {}), ...started.replicas];
  for (const one of [...servers, ...apps]) if (one) one.restart = restart;
}

/** The database in the URL, except a maintenance database, which belongs to the server. */
function databaseNameOf(serverUrl: string): string {
  const name = decodeURIComponent(new URL(serverUrl).pathname.slice(1));
  return ['', 'postgres', 'template1'].includes(name) ? defaultDatabaseName : name;
}

function exitLine(event: UnexpectedExit): string {
  return `${event.name} ${event.how}${event.willRestart ? '; starting it again in 1 s' : ''}`;
}
