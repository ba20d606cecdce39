import * as webhooks from '@offizin/contracts/webhooks/webhooks';
import { statement } from '@offizin/pg/database';
import { eventually } from '@offizin/testkit/eventually';
import { type DeliveryState, workerSpec, Subscriber, type WorkerFixture } from '../spec/spec-fixture';

let worker: WorkerFixture;
let subscriber: Subscriber;
const test = workerSpec((stage) => ({ worker, subscriber } = stage));

const states = async (subscriptionId: string) =>
  worker.sql<{ status: string; attempt_count: number }>(
    'SELECT status, attempt_count FROM webhooks.deliveries WHERE subscription_id = $1 ORDER BY event_id',
    subscriptionId,
  );
const subscription = async (webhookId: string) =>
  (await worker.call(webhooks.getWebhook, { params: { webhookId } })).body;

describe('an endpoint that hangs', () => {
  it('holds only its own requests, while the others get all deliveries', async () => {
    const hanging = await Subscriber.start();
    hanging.answer = () => 'hang';
    try {
      await worker.subscribe(hanging.url);
      const healthy = await worker.subscribe(subscriber.url);
      // Too few requests in flight for both, if they were shared.
      worker.startEngine({ requestsPerEndpoint: 4, requestsInFlight: 6, requestTimeoutMs: 20_000 });
      await worker.inbox.handle(Array.from({ length: 200 }, () => worker.event()));
      await eventually(
        'the healthy endpoint has everything',
        () => subscriber.received.length === 200,
        15_000,
      );
      expect(hanging.received.length).toBeLessThanOrEqual(4);
      await eventually('all is written', async () =>
        (await states(healthy.id)).every(({ status }) => status === 'succeeded'),
      );
    } finally {
      await hanging.close();
    }
  });
});

describe('a receiver that answers 410', () => {
  it('ends its subscription, cancels pending deliveries and reports the reason in one event', async () => {
    let rings = 0;
    const { id } = await worker.subscribe(subscriber.url);
    subscriber.answer = () => 410;
    worker.startEngine({ requestsPerEndpoint: 1, onSwitchedOff: () => (rings += 1) });
    await worker.inbox.handle(worker.eventsOfOneObject(5));
    await eventually('it is switched off', async () => !(await subscription(id)).is_active);
    await eventually('nothing is pending', async () =>
      (await states(id)).every(({ status }) => status !== 'pending'),
    );
    expect((await states(id)).map(({ status }) => status)).toEqual(['failed', ...Array(4).fill('cancelled')]);
    expect(await subscription(id)).toMatchObject({ disabled_reason: 'receiver_gone' });
    expect(subscriber.received).toHaveLength(1);
    const events = await worker.sql<{ body: string }>(
      `SELECT body FROM webhooks.outbox WHERE aggregate_id = $1`,
      id,
    );
    expect(events.map(({ body }) => (JSON.parse(body) as { metadata: unknown }).metadata)).toEqual([
      { webhook_id: id, reason: 'receiver_gone', sequence: 1 },
    ]);
    expect(rings).toBe(1);
    const records = await worker.sql<{ body: string }>(
      `SELECT body FROM webhooks.outbox WHERE topic = 'audit' AND aggregate_id = 'audit:webhook:' || $1
         AND body::json->>'action' <> 'webhook.create'`,
      id,
    );
    expect(records.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      expect.objectContaining({ actor: 'service:webhook-worker', action: 'webhook.switch-off' }),
    ]);
  });
});

describe('a receiver that only fails', () => {
  const failingFor = (id: string, days: number) =>
    worker.sql(
      `UPDATE webhooks.subscriptions SET failing_since = now() - make_interval(days => $2) WHERE id = $1`,
      id,
      days,
    );

  it('is switched off after five days, and not before', async () => {
    const { id } = await worker.subscribe(subscriber.url);
    subscriber.answer = () => 503;
    worker.startEngine();
    await worker.inbox.handle([worker.event()]);
    await eventually('the failure is noted', async () => (await subscription(id)).failing_since);
    await failingFor(id, 4);
    await worker.inbox.handle([worker.event()]);
    await eventually('the second failure is written', async () =>
      (await states(id)).every(({ attempt_count }) => attempt_count === 1),
    );
    expect((await subscription(id)).is_active).toBe(true);
    await failingFor(id, 6);
    await worker.inbox.handle([worker.event()]);
    await eventually('it is switched off', async () => !(await subscription(id)).is_active);
    expect(await subscription(id)).toMatchObject({ disabled_reason: 'only_failures' });
  });

  it('clears its failure history when one attempt succeeds or its owner switches it on again', async () => {
    const { id } = await worker.subscribe(subscriber.url);
    await failingFor(id, 3);
    worker.startEngine();
    await worker.inbox.handle([worker.event()]);
    await eventually('the success is noted', async () => (await subscription(id)).failing_since === null);
    await failingFor(id, 6);
    const params = { webhookId: id };
    await worker.call(webhooks.updateWebhook, { params, body: { is_active: false } });
    const { body } = await worker.call(webhooks.updateWebhook, { params, body: { is_active: true } });
    expect(body).toMatchObject({ is_active: true, failing_since: null, disabled_reason: null });
  });

  it('is given up after the last attempt', async () => {
    const { id } = await worker.subscribe(subscriber.url);
    subscriber.answer = () => 500;
    await worker.inbox.handle([worker.event()]);
    await worker.sql('UPDATE webhooks.deliveries SET attempt_count = 9 WHERE subscription_id = $1', id);
    worker.startEngine();
    await eventually('it is given up', async () => (await states(id))[0]?.status === 'failed');
    expect(await states(id)).toEqual([{ status: 'failed', attempt_count: 10 }]);
  });
});

describe('the rate of a subscription', () => {
  it('is never exceeded, even by two workers', async () => {
    await worker.subscribe(subscriber.url, { rate_per_second: 20 });
    for (let replica = 0; replica < 2; replica++) worker.startEngine();
    const startedAtMs = performance.now();
    await worker.inbox.handle(Array.from({ length: 60 }, () => worker.event()));
    await eventually('everything came', () => subscriber.received.length === 60, 20_000);
    // 60 at 20 per second take 3 s, minus the initial burst of a tenth of a second.
    expect(performance.now() - startedAtMs).toBeGreaterThan(2_700);
  });
});

describe('a delivery whose event is gone', () => {
  it('fails with a reason; its queue continues and the endpoint does not count as failing', async () => {
    const { id } = await worker.subscribe(subscriber.url);
    const ofOneObject = worker.eventsOfOneObject(2);
    await worker.inbox.handle(ofOneObject);
    await worker.sql('DELETE FROM webhooks.events WHERE id = $1', ofOneObject[0]?.id);
    // Old enough that the missing earlier event does not block it.
    await worker.sql(
      `UPDATE webhooks.deliveries SET created_at = now() - interval '35 days' WHERE org_id = $1`,
      worker.orgId,
    );
    worker.startEngine();
    await eventually('the next of the object is delivered', () => subscriber.received.length === 1);
    await eventually('all is written', async () =>
      (await states(id)).every(({ status }) => status !== 'pending'),
    );
    expect((await states(id)).map(({ status }) => status)).toEqual(['failed', 'succeeded']);
    expect(subscriber.received.map(({ sequence }) => sequence)).toEqual([2]);
    const [failed] = (await worker.deliveries()).filter(({ status }) => status === 'failed');
    const params = { deliveryId: failed?.id ?? '' };
    const { body } = await worker.call(webhooks.getWebhookDelivery, { params });
    expect(body).toMatchObject({ event: null, attempts: [{ failure: 'event_gone', status_code: null }] });
    expect((await subscription(id)).failing_since).toBeNull();
  });
});

/** Rows that only a defect could write; each must affect its own subscription only. */
describe('rows that the database refuses', () => {
  const forget = statement<never, []>('spec_forget_deliveries', 'DELETE FROM webhooks.deliveries');
  // Engines would also send what the tests above left.
  beforeAll(() => test.database.rows(forget));

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
  ])('a subscription with %s stops no other, and readiness reports it', async (_what, sql) => {
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

  it('a subscription whose secret is not ours keeps its deliveries', async () => {
    const { id, receiver } = await spoilt(`secret = '\\x00', revision = revision + 1`);
    await worker.subscribe(subscriber.url);
    worker.startEngine();
    await worker.inbox.handle([worker.event()]);
    await eventually('the other one', () => subscriber.received.length === 1);
    expect(receiver.received).toEqual([]);
    expect(await states(id)).toEqual([{ status: 'pending', attempt_count: 0 }]);
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
});
