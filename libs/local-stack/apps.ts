import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { callKeysOf } from './call-keys';
import type { DatabaseService, Secrets } from './secrets';
import { SupervisedProcess } from './supervised-process';
import type { UnexpectedExit } from './supervised-process';

/** The five apps as child processes, and the one table of what each gets as its environment. */
export const appNames = ['gateway', 'connector-edge', 'order-core', 'catalog', 'webhook-worker'] as const;
export type AppName = (typeof appNames)[number];

/** Those with an address of their own. */
export const listeningApps = ['gateway', 'connector-edge', 'order-core'] as const;

export type AppProcess = SupervisedProcess & { readonly managementUrl: string };

/** What the apps of one stack have in common. */
export interface AppSettings {
  dataDir: string;
  /** Folder that holds dist/apps/<app>/main.js. */
  appRoot: string;
  /** Where this process listens. */
  ports: Record<(typeof listeningApps)[number], number>;
  /** Where others reach the app, when that is not the port of this process (a replica behind an address). */
  addresses?: Record<(typeof listeningApps)[number], number>;
  management: Record<AppName, number>;
  /** One or more, with commas between. */
  natsUrl: string;
  /** Brokers that keep each stream; 1 unless given. */
  streamReplicas?: number;
  /** Undefined for a NATS server without users. */
  natsLogin: (app: AppName) => { user: string; password: string } | undefined;
  databaseUrls: Record<DatabaseService, string>;
  secrets: Secrets;
  extraEnv?: Partial<Record<AppName, Record<string, string>>>;
  onExit?: (event: UnexpectedExit) => void;
  onStart?: () => void;
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
    ...ledger(settings, 'order-core'),
    ...outbound(settings),
    ...restoredErasures(settings),
  }),
  catalog: (settings) => ledger(settings, 'catalog'),
  'webhook-worker': (settings) => ({ ...ledger(settings, 'webhook-worker'), ...outbound(settings) }),
};

/** Taken over from the environment of whoever starts the stack, when set. Nothing else is: it may hold secrets. */
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
  // Limits: who measures or demonstrates may need others than an installation.
  'API_RATE_PER_SECOND',
  'API_RATE_BURST',
  'TOKENS_PER_KEY_PER_MINUTE',
  'TOKENS_PER_ADDRESS_PER_MINUTE',
  'CONNECTOR_RATE_PER_SECOND',
  'CONNECTOR_RATE_BURST',
];

/**
 * Of V8, here and in the image.
 *
 * - Half of the memory for what is young: under load the gateway has 15 to 19 MB less, order-core 4 to 11.
 * - One thread beside the main one. Node.js takes four, however few cores there are, and each collection wakes all of
 *   them for two milliseconds of work. Alone with 64 callers who upsert, on two cores: 1,846 -> 2,077/s (busy machine).
 *
 * Smaller young memory alone took 7 % more of a core for an upsert; both together, in turn with neither, on a busy machine:
 * upserts 1,846 -> 2,042 and 1,796 -> 1,900/s at 640 -> 658 and 665 -> 675 µs of a core in all processes, orders by id
 * 3,984 -> 3,561 and 5,460 -> 5,632/s, lists 1,901 -> 1,858/s.
 * - Nothing is put among the old at once. V8 does so with objects whose kind has lived long before; here those are the
 *   queries and results of node-postgres at a start. Each holds what came with it, dead as it is, until all of the heap
 *   is collected: of 4.2 MB between two collections of what is young 2.4 MB outlived two (answers of 13 KB, one after the
 *   other, one connection, nothing else), without it none. With a cleared map less and the list's
 *   text kept (decision 0026), lists by 16 callers, in turn: order-core 336 -> 231 µs of a
 *   core, all processes 960 -> 772, upserts by 64 868 -> 815.
 */
export const V8_FLAGS = ['--max-semi-space-size=8', '--v8-pool-size=1', '--no-allocation-site-pretenuring'];

/**
 * - A limit to the heap, as a container's limit sets one: where memory is plenty, V8 lets the heap grow to four times of
 *   what is alive before it collects, with a limit of this size to 1.6 times. webhook-worker after 60,000 deliveries to
 *   1,000 endpoints, side by side: 172 MB instead of 265, at the same time of a core per delivery.
 * - No --enable-source-maps, here and in deploy/Dockerfile: it keeps the maps of all loaded files (13 to 23 MB per app),
 *   and what swc writes keeps names and order, so that a stack trace is read without them.
 */
const NODE_FLAGS = ['--max-old-space-size=1024', ...V8_FLAGS];

/** A process of `app`, not started. `instance` names it when there is more than one of the app. */
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
      env: {
        ...inherited(),
        ...everyApp(app, settings),
        ...environmentOf[app](settings),
        ...settings.extraEnv?.[app],
      },
    },
    signature: [...NODE_FLAGS, main].join(' '),
    stopSteps: [{ signal: 'SIGTERM', waitMs: 30_000 }],
    parentDeathSignal: 'SIGKILL',
    probe: () => probe(`${managementUrl}/readyz`),
    onExit: settings.onExit,
    onStart: settings.onStart,
  });
  return Object.assign(supervised, { managementUrl });
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
    ...(login && { NATS_USER: login.user, NATS_PASSWORD: login.password }),
    CALL_KEYS: callKeysOf(app, settings.secrets.callKeys),
    // No balancer here looks at /readyz: a stop need not wait for one.
    DRAIN_DELAY_SECONDS: '0',
    // A name server that hangs takes a thread per name; four, as by default, would soon stop everything else.
    UV_THREADPOOL_SIZE: '16',
    // Documents go back to the system when they are freed. By default glibc raises its threshold with the first one, and
    // keeps the memory of the next ones, for each thread.
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

/** A restore leaves this file in the data folder: erasures that the restored database may not know. */
export const ERASURE_LEDGER = 'erasures.jsonl';

function restoredErasures({ dataDir }: AppSettings): Record<string, string> {
  const file = join(dataDir, ERASURE_LEDGER);
  return existsSync(file) ? { ERASURE_LEDGER_FILE: file } : {};
}

/** A demo's webhook targets and prescription servers run on this machine; production refuses such addresses. */
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
