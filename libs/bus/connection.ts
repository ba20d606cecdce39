import { randomUUID } from 'node:crypto';
import {
  connect,
  type ConnectionOptions,
  DebugEvents,
  ErrorCode,
  Events,
  type Msg,
  type NatsConnection,
  NatsError,
} from 'nats';
import { NatsConnectionImpl } from 'nats/lib/nats-base-client/nats';
import { NodeTransport } from 'nats/lib/src/node_transport';
import { errorFields, log } from '@offizin/runtime/log';
import { loginOf } from '@offizin/runtime/process-config';
import { busConnected, busDisconnects } from './bus-metrics';

/** Where the broker is, and who signs in there. */
export interface BrokerAddress {
  /** One URL, or several separated by commas: all nats://, or all tls://. */
  natsUrl: string;
  natsUser: string;
  /** One password, or two during a rotation: see `loginOf`. */
  natsPassword: string;
  /** PEM; undefined or empty: the authorities of Node.js. */
  natsTlsCaFile?: string;
}

/** Of a client that only connects; also the options of every process. */
export function connectionOptions(address: BrokerAddress): ConnectionOptions {
  const { natsUrl, natsUser, natsPassword, natsTlsCaFile } = address;
  return {
    servers: natsUrl.split(','),
    ...loginOf(natsUser, natsPassword),
    // The client ignores the protocol of a URL. Without this option the password would travel in plain
    // text to a server that offers no TLS, or to an attacker between. The file is read for each connection.
    ...(natsUrl.startsWith('tls://') && { tls: natsTlsCaFile ? { caFile: natsTlsCaFile } : {} }),
  };
}

export interface BusOptions extends BrokerAddress {
  /** Connection name at the broker and part of the prefix of reply subjects. */
  name: string;
  streamReplicas?: number;
  /** False for apps whose user may not create streams; they wait for order-core. Default true. */
  makesStreams?: boolean;
}

closeAbandonedTransports();
reportFailedAttempts((name, error) =>
  sayOnce(`${name}: ${reasonOf(error)}`, () =>
    log.warn({ bus: name, reason: reasonOf(error) }, 'broker not reached'),
  ),
);

const replicasOf = new WeakMap<NatsConnection, number>();

const inboxPrefixOf = new WeakMap<NatsConnection, string>();

/**
 * A new prefix of reply subjects: answers to `<prefix>.<anything without a dot>` arrive until the connection closes.
 * The client's own names are sequential, so one could be guessed from another.
 */
export function openReplySubject(connection: NatsConnection, take: (answer: Msg) => void): string {
  const replyPrefix = `${inboxPrefixOf.get(connection) ?? '_INBOX'}.${randomUUID()}`;
  const callback = (error: Error | null, message: Msg): void => {
    if (error) log.error(errorFields(error), 'subscription to answers failed');
    else take(message);
  };
  connection.subscribe(`${replyPrefix}.*`, { callback });
  return replyPrefix;
}

const waitingForStreams = new WeakSet<NatsConnection>();

export function makesStreamsAt(connection: NatsConnection): boolean {
  return !waitingForStreams.has(connection);
}

export function streamReplicasAt(connection: NatsConnection): number {
  return replicasOf.get(connection) ?? 1;
}

/**
 * Reconnects without limit: no process may exit because a broker is killed, wiped or replaced. Also waits for the first
 * connection, so start order does not matter.
 */
export async function connectBus(options: BusOptions): Promise<NatsConnection> {
  const inboxPrefix = `_INBOX.${options.name}`;
  const connection = await connect({
    ...connectionOptions(options),
    name: options.name,
    inboxPrefix,
    maxReconnectAttempts: -1,
    waitOnFirstConnect: true,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    reconnectJitterTLS: 100,
    // Missed pings detect a broker that hangs; a killed one is detected immediately.
    pingInterval: 5_000,
    maxPingOut: 2,
    timeout: 5_000,
    // Building a trace string for each request is expensive.
    noAsyncTraces: true,
  });
  outlastRefusedLogins(connection);
  replicasOf.set(connection, options.streamReplicas ?? 1);
  inboxPrefixOf.set(connection, inboxPrefix);
  if (options.makesStreams === false) waitingForStreams.add(connection);
  busConnected.set(1);
  void logStatus(options.name, connection);
  return connection;
}

async function logStatus(name: string, connection: NatsConnection): Promise<void> {
  let isConnected = true;
  for await (const { type, data } of connection.status()) {
    if (type === DebugEvents.PingTimer) continue;
    // An attempt that the broker refused ends as a connection does.
    if (type === Events.Disconnect && !isConnected) continue;
    if (type === Events.Disconnect || type === Events.Reconnect) {
      isConnected = type === Events.Reconnect;
      busConnected.set(isConnected ? 1 : 0);
      if (!isConnected) busDisconnects.inc();
    }
    const fields = { bus: name, type, data: JSON.stringify(data) };
    if (type === DebugEvents.Reconnecting) log.debug(fields, 'bus status');
    // A broker that refuses the password does so several times a second.
    else if (type === Events.Error) sayOnce(`${name}: ${fields.data}`, () => log.warn(fields, 'bus status'));
    else log.warn(fields, 'bus status');
  }
  const error = await connection.closed();
  if (error) log.error({ bus: name, ...errorFields(error) }, 'bus closed');
}

const NO_TLS: string = ErrorCode.ServerOptionNotAvailable;

/** The client's own text for a server without TLS is "tls". */
function reasonOf(error: unknown): string {
  if (error instanceof NatsError && error.code === NO_TLS)
    return 'NATS_URL begins with tls://, and the broker offers no TLS';
  return error instanceof Error ? error.message : String(error);
}

/** What plain subscribers were sent meanwhile is lost. */
export async function afterReconnects(connection: NatsConnection, then: () => void): Promise<void> {
  for await (const { type } of connection.status()) if (type === Events.Reconnect) then();
}

export async function pingBroker(connection: NatsConnection): Promise<void> {
  if (connection.isClosed()) throw new Error('the connection is closed');
  await connection.flush();
}

const REPEATED_AFTER_MS = 60_000;
const LINES_KEPT = 200;
const saidAtMs = new Map<string, number>();

/** Calls `say` unless the same line was said within the last minute: attempts that fail come several times a second. */
export function sayOnce(line: string, say: () => void, nowMs = performance.now()): void {
  const last = saidAtMs.get(line);
  if (last !== undefined && nowMs - last < REPEATED_AFTER_MS) return;
  if (saidAtMs.size >= LINES_KEPT) saidAtMs.clear();
  saidAtMs.set(line, nowMs);
  say();
}

export async function matchReplicas(connection: NatsConnection, stream: string): Promise<void> {
  const manager = await connection.jetstreamManager({ timeout: 5_000 });
  const { config } = await manager.streams.info(stream);
  const num_replicas = streamReplicasAt(connection);
  if (config.num_replicas !== num_replicas) await manager.streams.update(stream, { num_replicas });
}

/** Null when the broker does not know the stream or consumer. */
export async function infoOrNull<Info>(ask: () => Promise<Info>): Promise<Info | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return null;
    throw error;
  }
}

/**
 * Patches the client (nats 2.29.3), which neither closes nor forgets a socket whose connection attempt timed out. When
 * that socket ends later, the client opens another connection but leaves the healthy one open. It stays in the queue
 * groups; the broker refuses its answers on the other connection.
 */
export function closeAbandonedTransports(): void {
  NodeTransport.prototype.discard = function discard(this: NodeTransport): void {
    if (this.done) return;
    this.done = true;
    // Undefined until the socket is connected, despite its type.
    const socket = this.socket as NodeTransport['socket'] | undefined;
    socket?.removeAllListeners();
    socket?.destroy();
  };
}

/**
 * The client repeats attempts to connect without a word about the reason, so a process with a wrong certificate
 * authority would wait in silence. Reports each failure with the name of the connection.
 */
export function reportFailedAttempts(report: (name: string, error: unknown) => void): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its transport below
  const { connect } = NodeTransport.prototype;
  NodeTransport.prototype.connect = async function reporting(this: NodeTransport, host, options) {
    try {
      await connect.call(this, host, options);
    } catch (error) {
      report(options.name ?? 'unnamed', error);
      throw error;
    }
  };
}

/**
 * The client gives up for good when a broker that had let it in refuses its password twice. An operator who removes a
 * password too early puts it back; no process should need a restart for that.
 */
function outlastRefusedLogins(connection: NatsConnection): void {
  if (connection instanceof NatsConnectionImpl) connection.options.ignoreAuthErrorAbort = true;
}
