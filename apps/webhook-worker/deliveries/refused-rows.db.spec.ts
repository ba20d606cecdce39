import { testDatabase } from '@offizin/testkit/database';
import { eventually } from '@offizin/testkit/eventually';
import { webhookWorkerSchema } from '../db/schema';
import { type DeliveryState, stageEachTest, Subscriber, type WorkerFixture } from '../spec-fixture';

/** Rows that only a defect could write; each must affect its own subscription only. */
let worker: WorkerFixture;
let subscriber: Subscriber;
stageEachTest(
  () => testDatabase(webhookWorkerSchema),
  (stage) => ({ worker, subscriber } = stage),
);

async function deliveriesOf(subscriptionId: string): Promise<DeliveryState[]> {
  return worker.sql(
    `SELECT id, event_id, sequence, status, attempt_count, lease_token FROM webhooks.deliveries
     WHERE subscription_id = $1 ORDER BY event_id`,
    subscriptionId,
  );
}

/** A second subscription to the same events, with a row corrupted by SQL beforehand. */
async function spoilt(sql: string): Promise<{ id: string; receiver: Subscriber }> {
  const receiver = await Subscriber.start();
  const { id } = await worker.subscribe(receiver.url);
  await worker.sql(`UPDATE webhooks.subscriptions SET ${sql} WHERE id = $1`, id);
  return { id, receiver };
}

it.each<[string, string]>([
  ['a rate of 0', 'rate_per_second = 0'],
  ['a rate whose time has no end', `rate_per_second = 5, paced_until = 'infinity'`],
  ['a secret that is not ours', `secret = '\\x00', revision = revision + 1`],
])('a subscription with %s stops no other, and readiness says so', async (_what, sql) => {
  await worker.subscribe(subscriber.url);
  const { receiver } = await spoilt(sql);
  const engine = worker.startEngine();
  await worker.inbox.handle(Array.from({ length: 20 }, () => worker.event()));
  await worker.ringEngines();
  await eventually('the sound endpoint has everything', () => subscriber.received.length === 20, 10_000);
  expect(receiver.received).toEqual([]);
  await eventually('the notice', async () => (await engine.notice()) !== null);
  await receiver.close();
});

it('resumes a repaired subscription', async () => {
  const { id, receiver } = await spoilt(`secret = '\\x00', revision = revision + 1`);
  await worker.subscribe(subscriber.url);
  worker.startEngine();
  await worker.inbox.handle([worker.event()]);
  await eventually('the other one', () => subscriber.received.length === 1);
  expect(receiver.received).toEqual([]);
  expect(await deliveriesOf(id)).toMatchObject([{ status: 'pending' }]);
  await receiver.close();
});

it('a delivery fails if the database refuses its result; other results of the batch are written', async () => {
  const { id } = await worker.subscribe(subscriber.url);
  const events = Array.from({ length: 30 }, () => worker.event());
  await worker.inbox.handle(events);
  const [bad, ...others] = events;
  await worker.sql(
    'UPDATE webhooks.deliveries SET attempt_count = 2147483647 WHERE event_id = $1',
    bad?.id ?? '',
  );
  worker.startEngine();
  await eventually('all are done', async () =>
    (await deliveriesOf(id)).every(({ status }) => status !== 'pending'),
  );
  const statuses = new Map((await deliveriesOf(id)).map((row) => [row.event_id, row.status]));
  expect(statuses.get(bad?.id ?? '')).toBe('failed');
  expect(others.map((event) => statuses.get(event.id))).toEqual(others.map(() => 'succeeded'));
});

it('a delivery that cannot be turned into a request counts as failed and blocks no other', async () => {
  const { id } = await worker.subscribe(subscriber.url);
  const events = Array.from({ length: 10 }, () => worker.event());
  await worker.inbox.handle(events);
  const [bad] = events;
  await worker.sql(
    `UPDATE webhooks.deliveries SET event_type = E'two\nlines' WHERE event_id = $1`,
    bad?.id ?? '',
  );
  worker.startEngine();
  await eventually('the others', () => subscriber.received.length === 9);
  const attempts = await eventually('its attempt', async () => {
    const rows = await worker.sql<{ failure: string }>(
      `SELECT failure FROM webhooks.attempts a JOIN webhooks.deliveries d ON d.id = a.delivery_id
       WHERE d.event_id = $1`,
      bad?.id ?? '',
    );
    return rows.length > 0 && rows;
  });
  expect(attempts).toEqual([{ failure: 'refused_by_policy' }]);
  const row = (await deliveriesOf(id)).find(({ event_id }) => event_id === bad?.id);
  expect(row).toMatchObject({ status: 'pending', attempt_count: 1, lease_token: null });
});
