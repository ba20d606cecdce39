import { randomUUID } from 'node:crypto';
import type { NatsConnection } from 'nats';
import type { EventTopic } from '@offizin/contracts/webhooks/events';
import { TestBroker } from '@offizin/testkit/broker';
import { eventually } from '@offizin/testkit/eventually';
import { EventPublisher } from './event-publisher';
import { ensureEventStream, EventConsumer } from './event-stream';
import { relayQuestions } from './unknown-events';

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

it('is not asked while a consumer of the topic is behind; a few pending messages are no backlog', async () => {
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
