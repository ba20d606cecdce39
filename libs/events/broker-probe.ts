import { randomBytes } from 'node:crypto';
import {
  connect,
  type ConsumerInfo,
  DiscardPolicy,
  type JetStreamManager,
  NatsError,
  type NatsConnection,
  StorageType,
  type StreamInfo,
} from 'nats';
import { type BrokerAddress, connectionOptions } from '@offizin/bus/connection';
import { EVENTS_STREAM } from './event-stream';

/** The broker's health page stays green with a full disk, so the probe stores and reads back a message. */
export interface BrokerReport {
  version: string;
  servers: number;
  storedAndReadBackMs: number;
  /** Null while the stream EVENTS does not exist. */
  events: {
    messages: number;
    bytes: number;
    maxBytes: number;
    keepsOld: boolean;
    replicas: number;
    leader: string | null;
  } | null;
  consumers: { name: string; waiting: number; unacknowledged: number }[];
}

const LIMIT_MS = 5_000;
const PROBE_BYTES = 64 * 1024;
const PROBE_MAX_AGE_NANOS = 60_000_000_000;

export async function probeBroker(broker: BrokerAddress): Promise<BrokerReport> {
  const connection = await connect({
    ...connectionOptions(broker),
    name: 'doctor',
    timeout: LIMIT_MS,
    reconnect: false,
  });
  try {
    const manager = await connection.jetstreamManager({ timeout: LIMIT_MS });
    const startedAt = performance.now();
    await storeAndReadBack(connection, manager);
    const storedAndReadBackMs = performance.now() - startedAt;
    const stream = await infoOf(manager);
    return {
      version: connection.info?.version ?? 'unknown',
      servers: Math.max(1, connection.info?.connect_urls?.length ?? 1),
      storedAndReadBackMs,
      events: stream && describeStream(stream),
      consumers: stream ? (await consumersOf(manager)).map(describeConsumer) : [],
    };
  } finally {
    await connection.close();
  }
}

async function storeAndReadBack(connection: NatsConnection, manager: JetStreamManager): Promise<void> {
  const id = randomBytes(6).toString('hex');
  const stream = `PROBE_${id}`;
  const subject = `probe.${id}`;
  const bytes = randomBytes(PROBE_BYTES);
  const config = { name: stream, subjects: [subject], storage: StorageType.File };
  await manager.streams.add({
    ...config,
    max_age: PROBE_MAX_AGE_NANOS,
    duplicate_window: PROBE_MAX_AGE_NANOS,
  });
  try {
    const { seq } = await connection.jetstream({ timeout: LIMIT_MS }).publish(subject, bytes);
    const { data } = await manager.streams.getMessage(stream, { seq });
    if (Buffer.compare(data, bytes) !== 0)
      throw new Error('the bytes read back differ from the bytes stored');
  } finally {
    await manager.streams.delete(stream);
  }
}

async function infoOf(manager: JetStreamManager): Promise<StreamInfo | null> {
  try {
    return await manager.streams.info(EVENTS_STREAM);
  } catch (error) {
    if (error instanceof NatsError && error.code === '404') return null;
    throw error;
  }
}

function describeStream({ state, config, cluster }: StreamInfo): BrokerReport['events'] {
  return {
    messages: state.messages,
    bytes: state.bytes,
    maxBytes: config.max_bytes,
    keepsOld: config.discard === DiscardPolicy.New,
    replicas: config.num_replicas,
    leader: cluster?.leader ?? null,
  };
}

async function consumersOf(manager: JetStreamManager): Promise<ConsumerInfo[]> {
  const found: ConsumerInfo[] = [];
  for await (const consumer of manager.consumers.list(EVENTS_STREAM)) found.push(consumer);
  return found;
}

function describeConsumer(consumer: ConsumerInfo): BrokerReport['consumers'][number] {
  return { name: consumer.name, waiting: consumer.num_pending, unacknowledged: consumer.num_ack_pending };
}
