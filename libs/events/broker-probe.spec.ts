import { TestBroker } from '@offizin/testkit/broker';
import { eventually } from '@offizin/testkit/eventually';
import { probeBroker } from './broker-probe';
import { ensureEventStream, EventConsumer } from './event-stream';

let broker: TestBroker;
beforeAll(async () => {
  broker = await TestBroker.start();
}, 30_000);
afterAll(() => broker.stop());

it('reports that a new broker can store and has no event stream', async () => {
  const report = await probeBroker(broker.login);
  expect(report).toMatchObject({ servers: 1, events: null, consumers: [] });
  expect(report.version).toMatch(/^2\./);
});

it('describes the event stream and its consumers', async () => {
  const connection = await broker.connect('order-core');
  await ensureEventStream(connection);
  const consumer = new EventConsumer(connection, {
    durable: 'follower',
    filterSubject: 'events.>',
    handle: () => Promise.resolve([]),
    isRefusedData: () => false,
    setAside: () => Promise.resolve(0),
  });
  consumer.start();
  const report = await eventually('the consumer', async () => {
    const seen = await probeBroker(broker.login);
    return seen.consumers.length > 0 && seen;
  });
  expect(report.events).toMatchObject({ messages: 0, keepsOld: true, replicas: 1 });
  expect(report.consumers).toEqual([{ name: 'follower', waiting: 0, unacknowledged: 0 }]);
  await consumer.stop();
});

it('deletes its temporary stream', async () => {
  const connection = await broker.connect('operator');
  await probeBroker(broker.login);
  const manager = await connection.jetstreamManager();
  const names: string[] = [];
  for await (const stream of manager.streams.list()) names.push(stream.config.name);
  expect(names.filter((name) => name.startsWith('PROBE_'))).toEqual([]);
});

it('rejects when the login is wrong', async () => {
  await expect(probeBroker({ ...broker.login, natsPassword: 'wrong' })).rejects.toThrow(/authorization/i);
});
