import { connect, DebugEvents, Events, type NatsConnection } from 'nats';
import { errorFields, log } from '@offizin/runtime/log';
import { closeAbandonedTransports } from './nats-reconnect-patch';
import { busConnected, busDisconnects } from './bus-metrics';

export interface BusOptions {
  /** Connection name at the broker and part of the inbox prefix. */
  name: string;
  natsUrl: string;
  natsUser: string;
  natsPassword: string;
  streamReplicas?: number;
  /** False for apps whose user may not create streams; they wait for order-core. Default true. */
  makesStreams?: boolean;
}

closeAbandonedTransports();

const replicasOf = new WeakMap<NatsConnection, number>();

const inboxPrefixOf = new WeakMap<NatsConnection, string>();

/** Of the subjects on which this connection may receive answers. */
export function inboxPrefixAt(connection: NatsConnection): string {
  return inboxPrefixOf.get(connection) ?? '_INBOX';
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
    servers: options.natsUrl.split(','),
    user: options.natsUser,
    pass: options.natsPassword,
    name: options.name,
    inboxPrefix,
    maxReconnectAttempts: -1,
    waitOnFirstConnect: true,
    reconnectTimeWait: 250,
    reconnectJitter: 100,
    // Missed pings detect a broker that hangs; a killed one is detected at once.
    pingInterval: 5_000,
    maxPingOut: 2,
    timeout: 5_000,
    // Building a trace string for each request is expensive.
    noAsyncTraces: true,
  });
  replicasOf.set(connection, options.streamReplicas ?? 1);
  inboxPrefixOf.set(connection, inboxPrefix);
  if (options.makesStreams === false) waitingForStreams.add(connection);
  busConnected.set(1);
  void logStatus(options.name, connection);
  return connection;
}

function noteStatus(type: Events | DebugEvents): void {
  if (type === Events.Reconnect) busConnected.set(1);
  if (type !== Events.Disconnect) return;
  busConnected.set(0);
  busDisconnects.inc();
}

async function logStatus(name: string, connection: NatsConnection): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === DebugEvents.PingTimer) continue;
    noteStatus(status.type);
    const quiet = status.type === DebugEvents.Reconnecting;
    log[quiet ? 'debug' : 'warn'](
      { bus: name, type: status.type, data: JSON.stringify(status.data) },
      'bus status',
    );
  }
  const error = await connection.closed();
  if (error) log.error({ bus: name, ...errorFields(error) }, 'bus closed');
}

/** What plain subscribers were sent meanwhile is lost. */
export async function afterReconnects(connection: NatsConnection, then: () => void): Promise<void> {
  for await (const { type } of connection.status()) if (type === Events.Reconnect) then();
}

export async function pingBroker(connection: NatsConnection): Promise<void> {
  if (connection.isClosed()) throw new Error('the connection is closed');
  await connection.flush();
}
