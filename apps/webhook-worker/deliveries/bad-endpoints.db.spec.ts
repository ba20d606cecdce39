import * as webhooks from '@offizin/contracts/webhooks';
import { testDatabase } from '@offizin/testkit/database';
import { eventually } from '@offizin/testkit/eventually';
import { webhookWorkerSchema } from '../db/schema';
import { stageEachTest, Subscriber, type WorkerFixture } from '../spec-fixture';

let worker: WorkerFixture;
let subscriber: Subscriber;
stageEachTest(
  () => testDatabase(webhookWorkerSchema),
  (stage) => ({ worker, subscriber } = stage),
);

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

describe('a subscription whose secret cannot be decrypted', () => {
  it('waits without delaying the others', async () => {
    const broken = await worker.subscribe(subscriber.url);
    await worker.sql(`UPDATE webhooks.subscriptions SET secret = '\\x01' WHERE id = $1`, broken.id);
    const healthy = await worker.subscribe(subscriber.url);
    worker.startEngine();
    await worker.inbox.handle([worker.event()]);
    await eventually(
      'the other one is served',
      async () => (await states(healthy.id))[0]?.status === 'succeeded',
    );
    expect(await states(broken.id)).toEqual([{ status: 'pending', attempt_count: 0 }]);
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
