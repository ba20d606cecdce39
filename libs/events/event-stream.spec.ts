import { randomUUID } from 'node:crypto';
import type { NatsConnection } from 'nats';
import { Refused } from '@offizin/contracts/calls/errors';
import type { OutboxEvent } from '@offizin/contracts/webhooks/events';
import type { ServiceName } from '@offizin/contracts/calls/operation';
import { TestBroker } from '@offizin/testkit/broker';
import { eventually } from '@offizin/testkit/eventually';
import { type DeadLetter, messageOf } from './event-message';
import { EventPublisher } from './event-publisher';
import { ensureEventStream, EventConsumer, EVENTS_STREAM, prepareEventStream } from './event-stream';

class RefusedData extends Error {}

let broker: TestBroker;
let connection: NatsConnection;
const consumers: EventConsumer[] = [];

beforeAll(async () => {
  broker = await TestBroker.start();
  connection = await broker.connect('spec');
});

beforeEach(() => ensureEventStream(connection));

afterEach(async () => {
  await Promise.all(consumers.splice(0).map((consumer) => consumer.stop()));
  await deleteStream().catch(() => undefined);
});

afterAll(() => broker.stop());

async function deleteStream(): Promise<void> {
  const manager = await connection.jetstreamManager();
  await manager.streams.delete(EVENTS_STREAM);
}

async function acknowledgedUpTo(durable: string): Promise<number> {
  const manager = await connection.jetstreamManager();
  return (await manager.consumers.info(EVENTS_STREAM, durable)).ack_floor.stream_seq;
}

async function messagesInStream(): Promise<number> {
  const manager = await connection.jetstreamManager();
  return (await manager.streams.info(EVENTS_STREAM)).state.messages;
}

function makeEvent(sequence: number, change: Partial<OutboxEvent> = {}): OutboxEvent {
  return {
    id: randomUUID(),
    orgId: randomUUID(),
    eventType: 'order_updated',
    aggregateId: 'order',
    sequence,
    topic: 'plain',
    body: JSON.stringify({ text: 'first\nsecond', sequence }),
    ...change,
  };
}

function publishEvent(by: NatsConnection, event: OutboxEvent, publisher: ServiceName): Promise<void> {
  return new EventPublisher(by, publisher).publish([event]);
}

async function publish(event: OutboxEvent): Promise<void> {
  await eventually('the broker acknowledges', () =>
    publishEvent(connection, event, 'order-core').then(() => true),
  );
}

function consume(
  handle: (events: OutboxEvent[]) => Promise<void>,
  setAside: (letters: readonly DeadLetter[]) => unknown = () => undefined,
  { durable = 'spec', filterSubject = 'events.>' } = {},
): EventConsumer {
  const consumer = new EventConsumer(connection, {
    durable,
    filterSubject,
    isRefusedData: (error) => error instanceof RefusedData,
    handle: async (events) => {
      await handle(events);
      return [];
    },
    setAside: async (letters) => {
      await setAside(letters);
      return letters.length;
    },
  });
  consumers.push(consumer);
  consumer.start();
  return consumer;
}

it('delivers every event unchanged and in order', async () => {
  const events = Array.from({ length: 700 }, (_, index) => makeEvent(index));
  for (const event of events) await publishEvent(connection, event, 'order-core');
  const received: OutboxEvent[] = [];
  consume(async (batch) => void received.push(...batch));
  await eventually('all events', () => received.length === events.length);
  expect(received).toEqual(events);
});

it('stores an event once when it is published twice under the same id', async () => {
  const event = makeEvent(1);
  await publishEvent(connection, event, 'order-core');
  await publishEvent(connection, event, 'order-core');
  expect(await messagesInStream()).toBe(1);
});

it('sends the events of one tick in one message per topic, and delivers them as separate events', async () => {
  const publisher = new EventPublisher(connection, 'order-core');
  const events = Array.from({ length: 150 }, (_, index) =>
    makeEvent(index, { aggregateId: `order-${index}`, topic: index % 3 === 0 ? 'stock' : 'plain' }),
  );
  await Promise.all(events.map((event) => publisher.publish([event])));
  expect(await messagesInStream()).toBe(3);
  const received: OutboxEvent[] = [];
  consume(async (batch) => void received.push(...batch));
  await eventually('all events', () => received.length === events.length);
  const bySequence = [...received].sort((a, b) => a.sequence - b.sequence);
  expect(bySequence).toEqual(events);
});

it('sends events that are given together in one message, and delivers them in their order', async () => {
  const publisher = new EventPublisher(connection, 'order-core');
  const events = Array.from({ length: 20 }, (_, index) => makeEvent(index));
  await Promise.all([publisher.publish(events), publisher.publish([makeEvent(1, { aggregateId: 'other' })])]);
  expect(await messagesInStream()).toBe(1);
  const received: OutboxEvent[] = [];
  consume(async (batch) => void received.push(...batch));
  await eventually('all events', () => received.length === events.length + 1);
  expect(received.slice(0, -1)).toEqual(events);
});

it('publishes the other events of a message when the broker refuses one', async () => {
  const publisher = new EventPublisher(connection, 'order-core');
  const tooLarge = makeEvent(1, { body: JSON.stringify('x'.repeat(connection.info?.max_payload ?? 0)) });
  const manager = await connection.jetstreamManager();
  await manager.streams.update(EVENTS_STREAM, { max_msg_size: 5_000 });
  const large = makeEvent(2, { body: JSON.stringify('y'.repeat(10_000)) });
  const small = [makeEvent(3), makeEvent(4)];
  const outcomes = await Promise.allSettled(
    [tooLarge, large, ...small].map((event) => publisher.publish([event])),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
  const refused = { reason: expect.any(Refused) };
  expect(outcomes.slice(0, 2)).toEqual([expect.objectContaining(refused), expect.objectContaining(refused)]);
  const received: OutboxEvent[] = [];
  consume(async (batch) => void received.push(...batch));
  await eventually('the others', () => received.length === 2);
  expect(received).toEqual(small);
});

it.each<[string, Partial<Record<keyof OutboxEvent, unknown>>]>([
  ['a body of two lines, which would shift the lines after it', { body: '{\n}' }],
  ['a topic that is not valid in a subject', { topic: 'a b' }],
])('refuses an event with %s, and sends the others', async (_what, change) => {
  const bad = { ...makeEvent(1), ...change } as OutboxEvent;
  const good = makeEvent(2);
  const publisher = new EventPublisher(connection, 'order-core');
  const [refused, sent] = await Promise.allSettled([bad, good].map((event) => publisher.publish([event])));
  expect(refused).toMatchObject({ reason: expect.any(Refused) });
  expect(sent?.status).toBe('fulfilled');
  const received: OutboxEvent[] = [];
  consume(async (batch) => void received.push(...batch));
  await eventually('the good one', () => received.length === 1);
  expect(received).toEqual([good]);
});

it('sets aside an invalid part of a message and handles the others', async () => {
  const [first, last] = [makeEvent(1), makeEvent(2)];
  const text = `${messageOf([first])}\n{"id":\n"a body"\n${messageOf([last])}`;
  await connection.jetstream().publish('events.plain.order-core', text);
  const seen: OutboxEvent[] = [];
  const letters: DeadLetter[] = [];
  consume(
    async (events) => void seen.push(...events),
    (several) => letters.push(...several),
  );
  await eventually('the others', () => seen.length === 2);
  expect(seen).toEqual([first, last]);
  expect(letters.map(({ content }) => Buffer.from(content).toString())).toEqual(['{"id":\n"a body"']);
});

it("delivers only the subjects of the consumer's filter", async () => {
  const received: OutboxEvent[] = [];
  consume(async (batch) => void received.push(...batch), undefined, { filterSubject: 'events.stock.>' });
  await publish(makeEvent(1, { topic: 'plain' }));
  await publish(makeEvent(2, { topic: 'stock' }));
  await eventually('the event of the topic', () => received.length === 1);
  expect(received[0]).toMatchObject({ topic: 'stock', sequence: 2 });
});

it('delivers audit records and events to separate consumers', async () => {
  const events: OutboxEvent[] = [];
  const records: OutboxEvent[] = [];
  consume(async (batch) => void events.push(...batch));
  const audit = { durable: 'spec-audit', filterSubject: 'audit.>' };
  consume(async (batch) => void records.push(...batch), undefined, audit);
  const record = makeEvent(0, { topic: 'audit', eventType: 'audit_record' });
  await publish(record);
  await publish(makeEvent(1));
  await eventually('both', () => events.length === 1 && records.length === 1);
  expect(events.map(({ sequence }) => sequence)).toEqual([1]);
  expect(records).toEqual([record]);
});

it('adds missing subjects to an existing stream and keeps its messages', async () => {
  await deleteStream();
  const manager = await connection.jetstreamManager();
  await manager.streams.add({ name: EVENTS_STREAM, subjects: ['events.>'], max_bytes: 4_000_000 });
  await publish(makeEvent(1));
  const record = makeEvent(0, { topic: 'audit', eventType: 'audit_record' });
  await expect(publishEvent(connection, record, 'catalog')).rejects.toThrow();
  await prepareEventStream(connection);
  await publish(record);
  expect(await messagesInStream()).toBe(2);
  expect((await manager.streams.info(EVENTS_STREAM)).config.max_bytes).toBe(4_000_000);
});

it('retries a failed batch before it handles later events', async () => {
  let failures = 2;
  const received: number[] = [];
  const attempts: number[][] = [];
  consume(async (batch) => {
    attempts.push(batch.map(({ sequence }) => sequence));
    if (failures-- > 0) throw new Error('the database is unreachable');
    received.push(...batch.map(({ sequence }) => sequence));
  });
  for (let sequence = 1; sequence <= 5; sequence++) await publish(makeEvent(sequence));
  await eventually('the first failure', () => attempts.length >= 1);
  for (let sequence = 6; sequence <= 10; sequence++) await publish(makeEvent(sequence));
  await eventually('all events', () => new Set(received).size === 10, 15_000);
  const firstSeen = [...new Set(received)];
  expect(firstSeen).toEqual([...firstSeen].sort((a, b) => a - b));
});

it('stores an invalid message before it acknowledges it, and handles the next ones', async () => {
  const subject = 'events.plain.order-core';
  await connection.jetstream().publish(subject, Buffer.from([0xff, 0x00, 0x7b]));
  const event = makeEvent(1);
  await publish(event);
  const seen: OutboxEvent[] = [];
  const letters: DeadLetter[] = [];
  let databaseIsAway = true;
  consume(
    async (events) => void seen.push(...events),
    (several) => {
      letters.push(...several);
      if (databaseIsAway) throw new Error('the database is unreachable');
    },
  );
  await eventually('it is tried again', () => letters.length >= 2);
  expect(await acknowledgedUpTo('spec')).toBe(0);
  databaseIsAway = false;
  await eventually('the event behind it', async () => (await acknowledgedUpTo('spec')) === 2);
  expect(seen.at(-1)).toEqual(event);
  expect(new Set(letters.map(({ id }) => id)).size).toBe(1);
  expect(letters[0]).toMatchObject({ subject, reason: expect.stringMatching(/\w/) });
  expect(Buffer.from(letters[0]?.content ?? [])).toEqual(Buffer.from([0xff, 0x00, 0x7b]));
});

it('halves a refused batch, in order, until the bad event is alone', async () => {
  const events = Array.from({ length: 40 }, (_, index) => makeEvent(index));
  const publisher = new EventPublisher(connection, 'order-core');
  await Promise.all(events.map((event) => publisher.publish([event])));
  const [seen, letters]: [number[], DeadLetter[]] = [[], []];
  let batches = 0;
  const refuse = (sequence: number): boolean => sequence === 7 || sequence === 8;
  consume(
    async (batch) => {
      batches++;
      if (batch.some(({ sequence }) => refuse(sequence))) throw new RefusedData('value out of range');
      seen.push(...batch.map(({ sequence }) => sequence));
    },
    (several) => letters.push(...several),
  );
  await eventually('the bad ones', () => letters.length === 2);
  expect(seen).toEqual(events.map(({ sequence }) => sequence).filter((sequence) => !refuse(sequence)));
  expect(letters.map(({ eventId }) => eventId)).toEqual([events[7]?.id, events[8]?.id]);
  expect(letters[0]?.reason).toBe('value out of range');
  expect(batches).toBeLessThan(20);
});

it('retries an event whose handler fails for another reason, and reports it to readiness', async () => {
  let isAway = true;
  const consumer = consume(async () => {
    if (isAway) throw new Error('relation "inbox" does not exist');
  });
  await publish(makeEvent(1));
  await eventually('the notice', async () => (await consumer.notice())?.includes('does not exist'), 20_000);
  expect(await acknowledgedUpTo('spec')).toBe(0);
  isAway = false;
  await eventually('it is taken', async () => (await acknowledgedUpTo('spec')) === 1);
  expect(await consumer.notice()).toBeNull();
}, 40_000);

it('continues after the stream was deleted and created again', async () => {
  const received: number[] = [];
  consume(async (batch) => void received.push(...batch.map(({ sequence }) => sequence)));
  await publish(makeEvent(1));
  await eventually('the event before', () => received.includes(1));
  await deleteStream();
  await publish(makeEvent(2));
  await eventually('the event after', () => received.includes(2), 25_000);
});

it('finishes what has arrived before it stops', async () => {
  const seen: number[] = [];
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const first = consume(async (batch) => {
    seen.push(...batch.map(({ sequence }) => sequence));
    await released;
  });
  await publish(makeEvent(1));
  await eventually('the first is at work', () => seen.length === 1);
  for (let sequence = 2; sequence <= 20; sequence++) await publish(makeEvent(sequence));
  await eventually('the broker has handed over the rest', async () => {
    const manager = await connection.jetstreamManager();
    const { num_ack_pending, num_pending } = await manager.consumers.info(EVENTS_STREAM, 'spec');
    return num_pending === 0 && num_ack_pending === 20;
  });
  const stopping = first.stop();
  release();
  await stopping;
  expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  const further: number[] = [];
  consume(async (batch) => void further.push(...batch.map(({ sequence }) => sequence)));
  await publish(makeEvent(21));
  await eventually('the next event', () => further.includes(21));
  expect(further).toEqual([21]);
});

it('refuses an audit record that one service publishes on behalf of another', async () => {
  const catalog = await broker.connectAs('catalog');
  const record = (): OutboxEvent => makeEvent(0, { topic: 'audit', eventType: 'audit_record' });
  await publishEvent(catalog, record(), 'catalog');
  await expect(publishEvent(catalog, record(), 'webhook-worker')).rejects.toThrow();
  expect(await messagesInStream()).toBe(1);
}, 15_000);
