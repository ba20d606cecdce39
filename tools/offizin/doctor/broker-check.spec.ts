import { ensureEventStream, EventConsumer, EVENTS_STREAM } from '@offizin/events/event-stream';
import type { BusConnection } from '@offizin/bus/key-value';
import { eventConsumers } from '@offizin/events/unknown-events';
import { TestBroker } from '@offizin/testkit/broker';
import { eventually } from '@offizin/testkit/eventually';
import { checkBroker } from './broker-check';
import type { Finding } from './finding';

const MAX_BYTES = 64 * 1024;

let broker: TestBroker;
let connection: BusConnection;
let manager: Awaited<ReturnType<BusConnection['jetstreamManager']>>;

beforeAll(async () => {
  broker = await TestBroker.start();
  connection = await broker.connect('spec');
  manager = await connection.jetstreamManager();
});
beforeEach(async () => {
  await ensureEventStream(connection);
  await manager.streams.update(EVENTS_STREAM, { max_bytes: MAX_BYTES });
});
afterEach(() => manager.streams.delete(EVENTS_STREAM).catch(() => undefined));
afterAll(() => broker.stop());

/** Of a service that has run, and runs no more. */
async function addConsumer(durable: string, filterSubject = 'audit.>'): Promise<void> {
  const nothing = () => Promise.resolve([]);
  const never = { isRefusedData: () => false, setAside: () => Promise.resolve(0) };
  const options = { durable, filterSubject, handle: nothing, ...never };
  const consumer = new EventConsumer(connection, options);
  consumer.start();
  await eventually(durable, () => manager.consumers.info(EVENTS_STREAM, durable).then(() => true));
  await consumer.stop();
}

/** Puts something into the stream that is more than the alert EventStreamFills allows. */
async function fill(): Promise<void> {
  await connection.jetstream().publish('events.plain.order-core', Buffer.alloc(0.8 * MAX_BYTES, 'x'));
}

async function finding(of: string): Promise<Finding | undefined> {
  return (await checkBroker(broker.login)).find((one) => one.of === of);
}

it('states who makes a stream that is not there', async () => {
  await manager.streams.delete(EVENTS_STREAM);
  expect(await finding('stream of events')).toMatchObject({
    outcome: 'warning',
    found: 'there is none',
    advice: expect.stringContaining('order-core'),
  });
  expect(await finding('consumer catalog')).toBeUndefined();
});

it('is content with a stream that has room and is followed by all', async () => {
  for (const name of eventConsumers) await addConsumer(name);
  expect(await finding('stream of events')).toMatchObject({
    outcome: 'ok',
    found: '0 messages of events, 0 of 64 KiB, 1 replicas',
  });
  for (const name of eventConsumers)
    expect(await finding(`consumer ${name}`)).toMatchObject({ outcome: 'ok' });
});

it('names a consumer that does not exist, for which everything is kept', async () => {
  await addConsumer('order-core');
  await addConsumer('webhook-worker');
  await fill();
  expect(await finding('consumer catalog')).toMatchObject({
    outcome: 'warning',
    advice: 'Start catalog, which makes it.',
  });
  expect((await finding('stream of events'))?.advice).toMatch(/^Start catalog/);
});

it('names the consumer that keeps a full stream full', async () => {
  await addConsumer('order-core');
  await addConsumer('catalog');
  await addConsumer('webhook-worker', 'events.>');
  await fill();
  expect(await finding('stream of events')).toMatchObject({
    outcome: 'warning',
    found: expect.stringContaining('more than 75 %'),
    advice: 'Look why webhook-worker takes no events: 1 messages are kept for it.',
  });
});

it('leads to the removal where all have taken what fills the stream', async () => {
  for (const name of eventConsumers) await addConsumer(name);
  await fill();
  expect((await finding('stream of events'))?.advice).toContain('"trim the event stream"');
});
