import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { callKeysOf, type DatabaseService, type Secrets } from './secrets';
import { SupervisedProcess, type UnexpectedExit } from './supervised-process';

/** The five apps as child processes, and the environment of each. */
export const appNames = ['gateway', 'connector-edge', 'order-core', 'catalog', 'webhook-worker'] as const;
export type AppName = (typeof appNames)[number];

/** Apps with a public port. */
export const listeningApps = ['gateway', 'connector-edge', 'order-core'] as const;

export type AppProcess = SupervisedProcess & { readonly managementUrl: string };

/** Settings that all apps of a stack share. */
export interface AppSettings {
  dataDir: string;
  /** Folder that holds dist/apps/<app>/main.js. */
  appRoot: string;
  /** Ports of this process. */
  ports: Record<(typeof listeningApps)[number], number>;
  /** Ports at which others reach the app, if a balancer is in front of its replicas. */
  addresses?: Record<(typeof listeningApps)[number], number>;
  management: Record<AppName, number>;
  /** One or more URLs, separated by commas. */
  natsUrl: string;
  /** Certificate authority (PEM file) of a broker with TLS. */
  natsTlsCaFile?: string;
  /** Replicas of each stream; default 1. */
  streamReplicas?: number;
  /** Undefined for a NATS server without users. */
  natsLogin: (app: AppName) => { user: string; password: string } | undefined;
  databaseUrls: Record<DatabaseService, string>;
  secrets: Secrets;
  extraEnv?: Partial<Record<AppName, Record<string, string>>>;
  onExit?: (event: UnexpectedExit) => void;
  onStart?: () => void;
  onWait?: (line: string) => void;
}

const environmentOf: Record<AppName, (settings: AppSettings) => Record<string, string>> = {
  gateway: (settings) => ({
    GATEWAY_PORT: String(settings.ports.gateway),
    ORDER_CORE_URL: addressOf('order-core', settings),
    TOKEN_SIGNING_KEYS: settings.secrets.tokenSigningKeys,
    PUBLIC_BASE_URL: addressOf('gateway', settings),
  }),
  'connector-edge': (settings) => ({
    CONNECTOR_PORT: String(settings.ports['connector-edge']),
    ORDER_CORE_URL: addressOf('order-core', settings),
  }),
  'order-core': (settings) => ({
    ORDER_CORE_PORT: String(settings.ports['order-core']),
    CONSOLE_BASE_URL: addressOf('gateway', settings),
    PROOF_SIGNING_KEYS: settings.secrets.proofSigningKeys,
    ...ledger(settings, 'order-core'),
    ...outbound(settings),
    ...restoredErasures(settings),
    ...documentStore(),
    ALLOW_HISTORY_IMPORT: 'true',
  }),
  catalog: (settings) => ledger(settings, 'catalog'),
  'webhook-worker': (settings) => ({ ...ledger(settings, 'webhook-worker'), ...outbound(settings) }),
};

/** Variables passed on from the starting process, if set. All others are dropped: they may contain secrets. */
const passedOn = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TZ',
  'LANG',
  'LOG_LEVEL',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'NODE_V8_COVERAGE',
  // Traces, as OpenTelemetry names its settings.
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_SDK_DISABLED',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  // Rate limits, for load tests and demos.
  'API_RATE_PER_SECOND',
  'API_RATE_BURST',
  'TOKENS_PER_KEY_PER_MINUTE',
  'TOKENS_PER_ADDRESS_PER_MINUTE',
  'SIGN_INS_PER_ADDRESS_PER_MINUTE',
  'LIVE_STREAMS',
  'CONNECTOR_RATE_PER_SECOND',
  'CONNECTOR_RATE_BURST',
];

/**
 * V8 flags, here and in the image (decision 0026):
 * - A larger young generation: fewer short-lived objects are promoted.
 * - One worker thread: by default each collection wakes four, whatever the number of cores.
 * - No allocation-site pretenuring: V8 would allocate query objects of node-postgres in the old generation, where
 *   they retain dead results until a full collection.
 */
export const V8_FLAGS = ['--max-semi-space-size=8', '--v8-pool-size=1', '--no-allocation-site-pretenuring'];

/**
 * - A heap limit, as a container's limit sets one: without it V8 lets the heap grow much larger before it
 *   collects.
 * - No --enable-source-maps, here and in deploy/Dockerfile: Node.js keeps the maps of all loaded files in memory.
 *   swc preserves names and order, so stack traces are readable without them.
 */
const NODE_FLAGS = ['--max-old-space-size=1024', ...V8_FLAGS];

/** A process of `app`, not started. `instance` names it if the app has several. */
export function createApp(app: AppName, settings: AppSettings, instance: string = app): AppProcess {
  const main = join(settings.appRoot, 'dist', 'apps', app, 'main.js');
  const managementUrl = loopback(settings.management[app]);
  const supervised = new SupervisedProcess({
    name: instance,
    dataDir: settings.dataDir,
    command: {
      file: process.execPath,
      args: [...NODE_FLAGS, main],
      cwd: settings.appRoot,
      env: appEnvironment(app, settings),
    },
    signature: [...NODE_FLAGS, main].join(' '),
    stopSteps: [{ signal: 'SIGTERM', waitMs: 30_000 }],
    parentDeathSignal: 'SIGKILL',
    probe: () => probe(`${managementUrl}/readyz`),
    onExit: settings.onExit,
    onStart: settings.onStart,
    onWait: settings.onWait,
  });
  return Object.assign(supervised, { managementUrl });
}

/** All that the process of the app gets. */
export function appEnvironment(app: AppName, settings: AppSettings): Record<string, string> {
  return {
    ...inherited(),
    ...everyApp(app, settings),
    ...environmentOf[app](settings),
    ...settings.extraEnv?.[app],
  };
}

function addressOf(app: (typeof listeningApps)[number], { addresses, ports }: AppSettings): string {
  return loopback((addresses ?? ports)[app]);
}

export function loopback(port: number): string {
  return `http://127.0.0.1:${port}`;
}

function everyApp(app: AppName, settings: AppSettings): Record<string, string> {
  const login = settings.natsLogin(app);
  return {
    NODE_ENV: 'production',
    BIND_ADDRESS: '127.0.0.1',
    MANAGEMENT_PORT: String(settings.management[app]),
    NATS_URL: settings.natsUrl,
    STREAM_REPLICAS: String(settings.streamReplicas ?? 1),
    ...(settings.natsTlsCaFile && { NATS_TLS_CA_FILE: settings.natsTlsCaFile }),
    ...(login && { NATS_USER: login.user, NATS_PASSWORD: login.password }),
    CALL_KEYS: callKeysOf(app, settings.secrets.callKeys),
    // No balancer reads /readyz here, so a stop need not wait for one.
    DRAIN_DELAY_SECONDS: '0',
    // A hanging name server blocks one thread per name; the default of four would soon block all other work.
    UV_THREADPOOL_SIZE: '16',
    // Returns the memory of freed documents to the system. By default glibc raises its threshold after the first
    // large block and retains the later ones, per thread.
    MALLOC_MMAP_THRESHOLD_: '131072',
    MALLOC_ARENA_MAX: '2',
  };
}

function ledger(settings: AppSettings, service: DatabaseService): Record<string, string> {
  return {
    DATABASE_URL: settings.databaseUrls[service],
    MIGRATE_ON_START: 'true',
    IDEMPOTENCY_SECRET: settings.secrets.idempotencySecrets[service],
  };
}

/** A restore writes this file into the data folder: erasures that the restored database may lack. */
export const ERASURE_LEDGER = 'erasures.jsonl';

function restoredErasures({ dataDir }: AppSettings): Record<string, string> {
  const file = join(dataDir, ERASURE_LEDGER);
  return existsSync(file) ? { ERASURE_LEDGER_FILE: file } : {};
}

/** A bucket of the user, from the starting process. Not in `passedOn`: no other app may get its access key. */
function documentStore(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      name.startsWith('DOCUMENT_STORE_') && value ? [[name, value]] : [],
    ),
  );
}

/** Webhook targets and prescription servers of a demo run on this machine; production refuses such addresses. */
function outbound(settings: AppSettings): Record<string, string> {
  return {
    MASTER_KEY: settings.secrets.masterKey,
    EGRESS_ALLOW_LOOPBACK: 'true',
    EGRESS_ALLOW_HTTP: 'true',
  };
}

function inherited(): Record<string, string> {
  return Object.fromEntries(
    passedOn.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
}

async function probe(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    const body = await response.text();
    return response.status === 200 ? undefined : `${url} answers ${response.status} ${body.slice(0, 300)}`;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return `${url}: ${String(cause)}`;
  }
}
