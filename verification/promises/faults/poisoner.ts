import { randomUUID } from 'node:crypto';
import { connectBus } from '@offizin/bus/connection';
import type { BusConnection } from '@offizin/bus/key-value';
import { EVENTS_STREAM } from '@offizin/events/event-stream';
import type { Trial } from '../trial';

const EVENT_SUBJECTS = ['events.plain.order-core', 'events.stock.order-core', 'audit.catalog'];
const CALL_SUBJECTS = [
  'rpc.order-core.orders.list',
  'rpc.order-core.orders.upsert',
  'rpc.order-core.events.unknown',
  'rpc.catalog.products.list',
  'rpc.catalog.events.unknown',
  'rpc.webhook-worker.webhooks.list',
  'rpc.webhook-worker.events.unknown',
];
const PRESENCE_SUBJECTS = ['gateway', 'connector-edge', 'order-core', 'catalog', 'webhook-worker'].map(
  (app) => `presence.${app}`,
);

/** The broker accepts 2 MB. */
const LARGER_THAN_A_MESSAGE = 3_000_000;
const SCHEMAS = ['core', 'catalog', 'webhooks'] as const;

/** Writes malformed data where only processes of Offizin write, with the operator's login at broker and database. */
export class Poisoner {
  private constructor(
    private readonly trial: Trial,
    private readonly connection: BusConnection,
  ) {}

  static async connect(trial: Trial): Promise<Poisoner> {
    return new Poisoner(trial, await connectBus({ ...trial.platform.access, name: 'operator' }));
  }

  /** On every subject of the stream. */
  async events(messages: readonly Malformed[]): Promise<number> {
    for (const subject of EVENT_SUBJECTS)
      for (const { bytes } of messages) await this.connection.jetstream().publish(subject, bytes);
    return EVENT_SUBJECTS.length * messages.length;
  }

  /** On subjects of calls of each service and on those of presence, with and without a reply subject. */
  async calls(messages: readonly Malformed[]): Promise<number> {
    const subjects = [...CALL_SUBJECTS, ...PRESENCE_SUBJECTS];
    for (const subject of subjects)
      for (const { bytes } of messages) {
        this.connection.publish(subject, bytes);
        this.connection.publish(subject, bytes, { reply: `_INBOX.operator.${subject}.1` });
      }
    await this.connection.flush();
    return 2 * subjects.length * messages.length;
  }

  /** Records of the directory: in place of the given keys, and under keys without a record. */
  async records(messages: readonly Malformed[], keys: readonly string[]): Promise<number> {
    const strange = ['other', 'key.ä', 'shop.a$b', 'complete'];
    for (const key of [...keys, ...strange])
      for (const { bytes } of messages)
        await this.connection.jetstream().publish(`$KV.directory.${key}`, bytes);
    return (keys.length + strange.length) * messages.length;
  }

  /** Rows that cannot be published, and rows whose event cannot be processed, in the outbox of each service. */
  async outboxRows(orgId: string): Promise<number> {
    const rows: [topic: string, body: string][] = [
      ['plain', '{}\n{}'],
      ['a topic', '{}'],
      ['plain', JSON.stringify({ text: 'x'.repeat(LARGER_THAN_A_MESSAGE) })],
      ['stock', '{"created_at": 7}'],
      ['audit', '{}'],
    ];
    for (const schema of SCHEMAS)
      for (const [topic, body] of rows)
        await this.trial.sql(
          `INSERT INTO ${schema}.outbox (id, org_id, event_type, aggregate_id, sequence, topic, body)
           VALUES (gen_random_uuid(), $1, 'order_updated', 'poison', 1, $2, $3)`,
          orgId,
          topic,
          body,
        );
    return SCHEMAS.length * rows.length;
  }

  /** Messages pending or in flight at a consumer. */
  async notTaken(): Promise<number> {
    const manager = await this.connection.jetstreamManager();
    let waiting = 0;
    for (const durable of ['order-core', 'catalog', 'webhook-worker']) {
      const { num_pending, num_ack_pending } = await manager.consumers.info(EVENTS_STREAM, durable);
      waiting += num_pending + num_ack_pending;
    }
    return waiting;
  }

  async close(): Promise<void> {
    await this.connection.close();
  }
}

/** Bytes that no service of Offizin sends; all are valid messages for the broker. */
export interface Malformed {
  name: string;
  bytes: Buffer;
}

const DEEP_LEVELS = 200_000;
const LARGE_BYTES = 1_000_000;

/** Malformed bytes for any subject. */
export function malformedBytes(): Malformed[] {
  const deep = '['.repeat(DEEP_LEVELS) + ']'.repeat(DEEP_LEVELS);
  return [
    { name: 'a NUL', bytes: Buffer.from('\0') },
    { name: 'bad UTF-8', bytes: Buffer.from([0xff, 0xfe, 0x0a, 0xc3, 0x28, 0x00]) },
    { name: 'one megabyte', bytes: Buffer.alloc(LARGE_BYTES, 'x') },
    { name: 'deep JSON', bytes: Buffer.from(`${deep}\n${deep}`) },
    { name: 'null', bytes: Buffer.from('null\nnull') },
    { name: 'a number', bytes: Buffer.from('1e999\n1') },
    { name: 'empty lines', bytes: Buffer.from('\n'.repeat(5_000)) },
    { name: 'a length beyond the end', bytes: Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0x7b]) },
  ];
}

/** Event messages that are nearly valid. */
export function malformedEvents(orgId: string): Malformed[] {
  const now = new Date().toISOString();
  const id = randomUUID();
  const sound = {
    id,
    orgId,
    eventType: 'order_updated',
    aggregateId: randomUUID(),
    sequence: 1,
    topic: 'stock',
  };
  const body = JSON.stringify({ id, created_at: now, metadata: {} });
  const changed: [name: string, envelope: object, body: string][] = [
    ['an id that is not a UUID', { id: 'x' }, body],
    ['no id', { id: undefined }, body],
    ['no organization', { orgId: null }, body],
    ['an organization that is a list', { orgId: [orgId] }, body],
    ['a sequence out of range', { sequence: 1e300 }, body],
    ['a NUL in a text', { aggregateId: 'a\0b' }, body],
    ['a trace context with a NUL', { id: randomUUID(), traceparent: 'a\0' }, '{}'],
    ['a time that does not exist', { id: randomUUID() }, '{"created_at":"+275760-09-12T00:00:00Z"}'],
    ['a body that is not JSON', { id: randomUUID() }, '\0'],
  ];
  return changed.map(([name, change, text]) => ({
    name,
    bytes: Buffer.from(`${JSON.stringify({ ...sound, ...change })}\n${text}`),
  }));
}
