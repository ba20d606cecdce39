import { randomUUID } from 'node:crypto';
import type { JetStreamManager, NatsConnection, StreamInfo } from 'nats';
import type { EventTopic, OutboxEvent } from '@offizin/contracts/webhooks/events';
import { TestBroker } from '@offizin/testkit/broker';
import { eventually } from '@offizin/testkit/eventually';
import { EventPublisher } from './event-publisher';
import { ensureEventStream, EventConsumer, EVENTS_STREAM } from './event-stream';
import { relayQuestions, trimEventStream } from './unknown-events';

let broker: TestBroker;
let connection: NatsConnection;
let worker: EventConsumer;
const requested: EventTopic[] = [];
let lost: (topic: EventTopic, ids: string[]) => Promise<string[]>;

beforeAll(async () => {
  broker = await TestBroker.start();
  connection = await broker.connect('spec');
  await ensureEventStream(connection);
  ({ lost } = relayQuestions(await broker.connectAs('catalog'), async (topic, ids) => {
    requested.push(topic);
    return ids;
  }));
});
beforeEach(() => requested.splice(0));
afterAll(async () => {
  await worker.stop();
  await broker.stop();
});

function follow(durable: string, filterSubject: string): EventConsumer {
  const options = { durable, filterSubject, handle: () => Promise.resolve([]) };
  const never = { isRefusedData: () => false, setAside: () => Promise.resolve(0) };
  const consumer = new EventConsumer(connection, { ...options, ...never });
  consumer.start();
  return consumer;
}

async function publish(count: number): Promise<void> {
  const publisher = new EventPublisher(connection, 'order-core');
  for (let sequence = 1; sequence <= count; sequence++)
    await publisher.publish([
      {
        id: randomUUID(),
        orgId: randomUUID(),
        eventType: 'order_updated',
        aggregateId: 'order',
        sequence,
        topic: 'plain',
        body: '{}',
      },
    ]);
}

it('is not asked before a consumer exists: it will need every message', async () => {
  await expect(lost('plain', ['one'])).rejects.toThrow('webhook-worker is behind');
  expect(requested).toEqual([]);
});

it('is asked once every consumer of the topic has caught up', async () => {
  worker = follow('webhook-worker', 'events.>');
  await publish(200);
  await eventually('the answer', () => lost('plain', ['one']));
  expect(requested).toEqual(['plain']);
});

it('is not asked while a consumer of the topic is behind; a few pending messages are not a backlog', async () => {
  await worker.stop();
  await publish(50);
  expect(await lost('plain', ['one'])).toEqual(['one']);
  await publish(1);
  await expect(lost('plain', ['one'])).rejects.toThrow('webhook-worker is behind');
  worker = follow('webhook-worker', 'events.>');
  await eventually('the answer', () => lost('plain', ['one']));
});

it('checks only the consumers of the topic', async () => {
  const core = follow('order-core', 'audit.>');
  await worker.stop();
  await publish(60);
  await eventually('the answer', () => lost('audit', ['one']));
  await expect(lost('plain', ['one'])).rejects.toThrow('webhook-worker is behind');
  await core.stop();
});

describe('trimming of the stream', () => {
  const MAX_BYTES = 64 * 1024;
  /**
   * NATS 2.9 ignores its overhead per message when it checks the limit, and then drops the oldest message. A message
   * this large exceeds the limit by more.
   */
  const BODY_BYTES = 1_500;

  let broker: TestBroker;
  /** Has order-core's permissions. */
  let trimmer: NatsConnection;
  let connection: NatsConnection;
  let manager: JetStreamManager;
  let sequence = 1_000;
  const consumers = new Map<string, EventConsumer>();

  beforeAll(async () => {
    broker = await TestBroker.start();
    connection = await broker.connect('spec');
    trimmer = await broker.connectAs('order-core');
    manager = await connection.jetstreamManager();
  });

  beforeEach(async () => {
    await ensureEventStream(connection);
    await manager.streams.update(EVENTS_STREAM, { max_bytes: MAX_BYTES });
  });

  afterEach(async () => {
    await Promise.all([...consumers.values()].map((consumer) => consumer.stop()));
    consumers.clear();
    await manager.streams.delete(EVENTS_STREAM);
  });

  afterAll(() => broker.stop());

  const filters = { 'webhook-worker': 'events.>', catalog: 'events.stock.>', 'order-core': 'audit.>' };
  type Follower = keyof typeof filters;

  async function follow(
    durable: Follower,
    handle: (events: OutboxEvent[]) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const taking = (events: OutboxEvent[]) => handle(events).then(() => []);
    const never = { isRefusedData: () => false, setAside: () => Promise.resolve(0) };
    const options = { durable, filterSubject: filters[durable], handle: taking, ...never };
    const consumer = new EventConsumer(connection, options);
    consumers.set(durable, consumer);
    consumer.start();
    await eventually(`the consumer ${durable}`, () =>
      manager.consumers.info(EVENTS_STREAM, durable).then(() => true),
    );
  }

  async function followAll(): Promise<void> {
    for (const durable of ['webhook-worker', 'catalog', 'order-core'] as const) await follow(durable);
  }

  function makeEvent(topic: EventTopic = 'plain'): OutboxEvent {
    const body = JSON.stringify('x'.repeat(BODY_BYTES));
    sequence += 1;
    const eventType = 'order_updated';
    return { id: randomUUID(), orgId: randomUUID(), eventType, aggregateId: 'order', sequence, topic, body };
  }

  async function publish(topic?: EventTopic): Promise<boolean> {
    try {
      await new EventPublisher(connection, 'order-core').publish([makeEvent(topic)]);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ message: 'EVENTS: maximum bytes exceeded' });
      return false;
    }
  }

  async function fill(topic?: EventTopic): Promise<number> {
    let taken = 0;
    while (await publish(topic)) taken += 1;
    return taken;
  }

  async function publishMany(count: number, topic?: EventTopic): Promise<void> {
    for (let made = 0; made < count; made++) expect(await publish(topic)).toBe(true);
  }

  const stream = async (): Promise<StreamInfo['state']> => (await manager.streams.info(EVENTS_STREAM)).state;

  async function allTakenBy(durable: Follower): Promise<void> {
    await eventually(`${durable} has taken all`, async () => {
      const { num_pending, num_ack_pending } = await manager.consumers.info(EVENTS_STREAM, durable);
      return num_pending === 0 && num_ack_pending === 0;
    });
  }

  it('accepts events endlessly, also while some consumers have no matching messages', async () => {
    await followAll();
    const capacity = await fill();
    expect(capacity).toBeGreaterThan(20);
    for (let round = 0; round < 3; round++) {
      await allTakenBy('webhook-worker');
      await trimEventStream(trimmer);
      expect((await stream()).messages).toBe(0);
      expect(await fill()).toBe(capacity);
    }
  });

  it('purges nothing while the stream is less than half full, so that messages can be inspected', async () => {
    await followAll();
    await publishMany(10);
    await allTakenBy('webhook-worker');
    await trimEventStream(trimmer);
    expect((await stream()).messages).toBe(10);
  });

  it('never purges what a consumer has not acknowledged, and delivers all of it later', async () => {
    let isAway = true;
    const received: OutboxEvent[] = [];
    await follow('order-core');
    await follow('catalog');
    await follow('webhook-worker', async (events) => {
      if (isAway) throw new Error('the database is unreachable');
      received.push(...events);
    });
    const taken = await fill();
    await trimEventStream(trimmer);
    await trimEventStream(trimmer);
    expect((await stream()).messages).toBe(taken);
    isAway = false;
    await eventually('every event', () => received.length === taken, 20_000);
    await allTakenBy('webhook-worker');
    await trimEventStream(trimmer);
    expect((await stream()).messages).toBe(0);
    expect(await publish()).toBe(true);
  }, 40_000);

  it('purges the messages before the first that a consumer lacks', async () => {
    await followAll();
    await publishMany(15, 'plain');
    await publishMany(2, 'stock');
    await allTakenBy('webhook-worker');
    await allTakenBy('catalog');
    await consumers.get('catalog')?.stop();
    await publishMany(5, 'stock');
    await allTakenBy('webhook-worker');
    await trimEventStream(trimmer);
    expect(await stream()).toMatchObject({ first_seq: 18, messages: 5 });
    const received: OutboxEvent[] = [];
    await follow('catalog', async (events) => void received.push(...events));
    await eventually('what it lacked', () => received.length === 5);
  });

  it('purges nothing while a consumer does not exist yet: it will need every message', async () => {
    await follow('order-core');
    await follow('webhook-worker');
    const taken = await fill();
    await allTakenBy('webhook-worker');
    await trimEventStream(trimmer);
    expect((await stream()).messages).toBe(taken);
    await follow('catalog');
    await trimEventStream(trimmer);
    expect((await stream()).messages).toBe(0);
  });

  it('does nothing without a stream', async () => {
    await manager.streams.delete(EVENTS_STREAM);
    await expect(trimEventStream(trimmer)).resolves.toBeUndefined();
    await ensureEventStream(connection);
  });

  it('is permitted to order-core only', async () => {
    await followAll();
    await fill();
    await allTakenBy('webhook-worker');
    const catalog = await broker.connectAs('catalog');
    await expect(trimEventStream(catalog)).rejects.toThrow();
    expect((await stream()).messages).toBeGreaterThan(0);
  }, 15_000);
});
