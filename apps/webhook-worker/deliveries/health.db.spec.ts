import {
  countMissed,
  DeliverySearchQuery,
  readWebhookStats,
  searchDeliveries,
} from '@offizin/contracts/webhooks/webhook-health';
import { type Sql, statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { eventually } from '@offizin/testkit/eventually';
import { walkPages } from '@offizin/testkit/walk-pages';
import { WebhookDeliveryListQuery } from '@offizin/contracts/webhooks/webhooks';
import * as webhooks from '@offizin/contracts/webhooks/webhooks';
import { type Subscriber, WorkerFixture, workerSpec } from '../spec/spec-fixture';
import { listDeliveries } from './deliveries.store';
import { findDeliveries } from './delivery-search.store';
import { deliveryQueue } from './queue.store';

let worker: WorkerFixture;
let subscriber: Subscriber;
const test = workerSpec((stage) => ({ worker, subscriber } = stage));

/** With the settings of the service. Before all others in this file, as long as the tables are empty. */
describe('plans of the lists of deliveries', () => {
  /** Plan of the last statement that `read` runs, with the names of its parameters. */
  async function planOf(read: (sql: Sql) => Promise<unknown>): Promise<string> {
    let text = '';
    let names: readonly string[] = [];
    const requested: Sql = {
      rows: (search, ..._values) => {
        text = search.text;
        names = search.paramNames ?? [];
        return Promise.resolve([]);
      },
    };
    await read(requested);
    const name = `"${newId()}"`;
    const made = (sql: string) => statement<{ 'QUERY PLAN': string }, []>(newId(), sql);
    const plan = await test.database.transaction(async (tx) => {
      await tx.rows(made(`PREPARE ${name} AS ${text}`));
      return tx.rows(made(`EXPLAIN EXECUTE ${name} (${names.map(() => 'NULL').join(', ')})`));
    });
    const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
    return lines.replace(/\$(\d+)/g, (_, number: string) => `$${names[Number(number) - 1]}`);
  }

  /** Of every subscription. */
  const planOfSearch = (query: Partial<DeliverySearchQuery>) =>
    planOf((sql) => findDeliveries(sql, newId(), Object.assign(new DeliverySearchQuery(), query)));
  /** Of one subscription. */
  const planOfList = (query: Partial<WebhookDeliveryListQuery>) =>
    planOf((sql) =>
      listDeliveries(sql, newId(), newId(), Object.assign(new WebhookDeliveryListQuery(), query)),
    );

  /** The condition by which the index of a subscription is entered. */
  function boundsIn(plan: string): string {
    return plan.split('\n').find((line) => /Index Cond: .*event_id/.test(line)) ?? '';
  }

  it('walks the index of a subscription between the ends of the period, from the cursor on', async () => {
    const bounds = boundsIn(await planOfSearch({}));
    for (const parameter of ['$firstEventId', '$endEventId', '$afterEventId'])
      expect(bounds).toContain(`COALESCE(${parameter}`);
  });

  it('walks the index of one subscription from the cursor on', async () => {
    expect(boundsIn(await planOfList({}))).toContain('COALESCE($endEventId');
  });

  it.each(['failed', 'cancelled'] as const)('finds %s deliveries by their own index', async (status) => {
    for (const planOfPage of [planOfSearch, planOfList])
      expect(await planOfPage({ status })).toContain('deliveries_given_up');
  });
});

// While there are no other deliveries: it counts those of all organizations.
it('reports pending and due deliveries, and the age of the oldest due one', async () => {
  expect(await deliveryQueue(test.database)).toEqual({ pending: 0, due: 0, oldest_due_age_seconds: null });
  await worker.subscribe('https://receiver.example/');
  const events = [worker.event(), worker.event(), worker.event(), worker.event()];
  await worker.inbox.handle(events);
  const [waiting, late, done] = events.map(({ id }) => id);
  const change = (set: string, id: string | undefined) =>
    worker.sql(`UPDATE webhooks.deliveries SET ${set} WHERE event_id = $1`, id);
  await change(`next_attempt_at = now() + interval '1 hour'`, waiting);
  await change(`next_attempt_at = now() - interval '70 seconds'`, late);
  await change(`status = 'succeeded', queue = NULL, next_attempt_at = now() - interval '1 day'`, done);
  const queue = await deliveryQueue(test.database);
  expect(queue).toMatchObject({ pending: 3, due: 2 });
  expect(queue.oldest_due_age_seconds).toBeGreaterThanOrEqual(70);
  expect(queue.oldest_due_age_seconds).toBeLessThan(100);
});

const attempted = (wanted: number) =>
  eventually('all is attempted and written', async () => {
    const states = await worker.deliveries();
    return states.filter(({ attempt_count: count }) => count > 0).length === wanted;
  });

const stats = async (webhookId: string, orgId = worker.orgId) =>
  worker.call(readWebhookStats, { params: { webhookId }, orgId });
const search = async (query: string, orgId = worker.orgId) => worker.call(searchDeliveries, { query, orgId });

describe('the statistics of a subscription', () => {
  it('count attempts by hour, over 24 hours, of this subscription alone', async () => {
    const { id: webhookId } = await worker.subscribe(subscriber.url, { event_types: ['order_updated'] });
    const { id: otherId } = await worker.subscribe(subscriber.url, { event_types: ['inventory_low'] });
    const updates = [worker.event(), worker.event(), worker.event()];
    subscriber.answer = ({ orderId }) => (orderId === updates[0]?.aggregateId ? 500 : 200);
    await worker.inbox.handle([...updates, worker.event(undefined, 1, 'inventory_low')]);
    worker.startEngine();
    await attempted(4);
    const { body } = await stats(webhookId);
    expect(body).toMatchObject({ delivered: 2, failed: 1, p95_ms: expect.any(Number) });
    expect(body.hours).toHaveLength(24);
    const present = body.hours.slice(-2).reduce((sum, hour) => sum + hour.delivered + hour.failed, 0);
    expect(present).toBe(3);
    expect(body.hours[0]).toMatchObject({ delivered: 0, failed: 0, p50_ms: null });
    expect((await stats(otherId)).body).toMatchObject({ delivered: 1, failed: 0 });
  });

  it('leave out what is older, and an attempt of an older hour has its own bar', async () => {
    const { id: webhookId } = await worker.subscribe(subscriber.url);
    await worker.inbox.handle([worker.event(), worker.event(), worker.event()]);
    worker.startEngine();
    await attempted(3);
    const [old, recent] = await worker.deliveries();
    for (const [id, hours] of [
      [old?.id, 30],
      [recent?.id, 5],
    ]) {
      const past = 'now() - make_interval(hours => $2)';
      await worker.sql(`UPDATE webhooks.attempts SET started_at = ${past} WHERE delivery_id = $1`, id, hours);
      await worker.sql(`UPDATE webhooks.deliveries SET last_attempt_at = ${past} WHERE id = $1`, id, hours);
    }
    const { body } = await stats(webhookId);
    expect(body.delivered).toBe(2);
    expect(body.hours[18]?.delivered).toBe(1);
  });

  it('are read by their index', async () => {
    const plan = await worker.sql<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT id FROM webhooks.deliveries
       WHERE subscription_id = $1 AND last_attempt_at >= now() ORDER BY last_attempt_at DESC LIMIT 10`,
      newId(),
    );
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('deliveries_tried');
  });
});

describe('the deliveries of every subscription', () => {
  it('are filtered by subscription, status, kind, object and time, newest event first', async () => {
    const { id: first } = await worker.subscribe('https://one.example/');
    await worker.subscribe('https://two.example/', { event_types: ['inventory_low'] });
    const orderId = newId();
    const events = [...worker.eventsOfOneObject(2, orderId), worker.event(undefined, 1, 'inventory_low')];
    await worker.inbox.handle(events);
    const found = async (query: string) =>
      (await search(query)).body.data.map(({ event_id: id }) => events.findIndex((event) => event.id === id));
    expect(await found('')).toEqual([2, 2, 1, 0]);
    expect(await found(`webhook_id=${first}`)).toEqual([2, 1, 0]);
    expect(await found(`order_id=${orderId}`)).toEqual([1, 0]);
    expect(await found('event_type=inventory_low')).toEqual([2, 2]);
    expect(await found('status=failed')).toEqual([]);
    expect(await found(`status=pending&order_id=${orderId}`)).toEqual([1, 0]);
    expect(await found('to=2026-01-01T00:00:00Z')).toEqual([]);
    expect(await found('from=2026-01-01T00:00:00Z')).toHaveLength(4);
    expect(await found('webhook_id=nonsense')).toEqual([]);
    expect((await search('limit=1')).body.data[0]).toMatchObject({ object_id: events[2]?.aggregateId });
  });

  it('are paged to the end, also where two subscriptions have the same event', async () => {
    await worker.subscribe('https://one.example/');
    await worker.subscribe('https://two.example/');
    await worker.inbox.handle([worker.event(), worker.event(), worker.event()]);
    const rows = await walkPages(async (cursor) => (await search(`limit=1${cursor}`)).body);
    expect([rows.length, new Set(rows.map(({ id }) => id)).size]).toEqual([6, 6]);
    const first = (await search('limit=1')).body.pagination.next_cursor;
    for (const query of ['cursor=nonsense', `status=pending&cursor=${first}`])
      expect((await search(query)).status).toBe(400);
  });
});

it('counts what recover would send, and sends nothing', async () => {
  const { id: webhookId } = await worker.subscribe('https://receiver.example/');
  await worker.inbox.handle([worker.event(), worker.event()]);
  await worker.sql(
    `UPDATE webhooks.deliveries SET status = 'failed', queue = NULL WHERE org_id = $1`,
    worker.orgId,
  );
  const since = new Date(Date.now() - 60_000).toISOString();
  const missed = async (orgId = worker.orgId) =>
    worker.call(countMissed, { params: { webhookId }, query: `since=${since}`, orgId });
  expect((await missed()).body).toEqual({ missed: 2, more: false });
  expect((await worker.deliveries()).map(({ status }) => status)).toEqual(['failed', 'failed']);
  expect((await missed(newId())).status).toBe(404);
});

it('shows another organization nothing', async () => {
  const { id: webhookId } = await worker.subscribe('https://receiver.example/');
  const orderId = newId();
  await worker.inbox.handle(worker.eventsOfOneObject(1, orderId));
  const stranger = new WorkerFixture(worker.database);
  expect((await stats(webhookId, stranger.orgId)).status).toBe(404);
  for (const query of ['', `webhook_id=${webhookId}`, `order_id=${orderId}`])
    expect((await search(query, stranger.orgId)).body.data).toEqual([]);
  await stranger.stopEngines();
});

const delivered = (wanted: number) =>
  eventually('all is delivered and written', async () => {
    const states = await worker.deliveries();
    return states.filter(({ status }) => status === 'succeeded').length === wanted;
  });

describe('the deliveries of a subscription', () => {
  it('are listed newest first, filtered and paged, with an exact total', async () => {
    const { id: webhookId } = await worker.subscribe('https://receiver.example/');
    const events = [...worker.eventsOfOneObject(3), worker.event(undefined, 1, 'inventory_low')];
    await worker.inbox.handle(events);
    const list = async (query: string) =>
      (await worker.call(webhooks.listWebhookDeliveries, { params: { webhookId }, query })).body;
    const all = await list('limit=2');
    expect(all.data.map(({ event_id }) => event_id)).toEqual([events[3]?.id, events[2]?.id]);
    expect(all.pagination).toMatchObject({ limit: 2, offset: 0, total: 4 });
    expect((await list('event_type=inventory_low')).pagination.total).toBe(1);
    expect((await list('status=succeeded')).data).toEqual([]);
    expect((await list('offset=3')).data.map(({ event_id }) => event_id)).toEqual([events[0]?.id]);
  });

  it('are paged by cursor to the end while newer deliveries arrive', async () => {
    const { id: webhookId } = await worker.subscribe('https://receiver.example/');
    const events = worker.eventsOfOneObject(5);
    await worker.inbox.handle(events);
    const list = async (query: string) =>
      await worker.call(webhooks.listWebhookDeliveries, { params: { webhookId }, query });
    const rows = await walkPages(
      async (cursor) => (await list(`limit=2${cursor}`)).body,
      (page) => page === 1 && worker.inbox.handle([worker.event()]),
    );
    expect(rows.map(({ event_id }) => event_id)).toEqual(events.map(({ id }) => id).reverse());
    const first = (await list('limit=2')).body.pagination.next_cursor ?? '';
    for (const query of ['cursor=nonsense', `offset=1&cursor=${first}`, `status=pending&cursor=${first}`])
      expect((await list(query)).status).toBe(400);
  });

  it('are shown with the event and every attempt', async () => {
    await worker.subscribe(subscriber.url);
    worker.startEngine();
    const event = worker.event();
    await worker.inbox.handle([event]);
    await delivered(1);
    const [delivery] = await worker.deliveries();
    const params = { deliveryId: delivery?.id ?? '' };
    const { body } = await worker.call(webhooks.getWebhookDelivery, { params });
    expect(body).toMatchObject({
      event: JSON.parse(event.body),
      status: 'succeeded',
      next_attempt_at: null,
      attempts: [{ number: 1, status_code: 200, failure: null, answer: 'answered 200' }],
    });
  });
});

describe('redeliver', () => {
  it('sends a finished delivery again, under the same id', async () => {
    await worker.subscribe(subscriber.url);
    worker.startEngine();
    await worker.inbox.handle([worker.event()]);
    await delivered(1);
    const [delivery] = await worker.deliveries();
    const params = { deliveryId: delivery?.id ?? '' };
    const { status, body } = await worker.call(webhooks.redeliverWebhook, { params });
    expect({ status, delivery: body.status }).toEqual({ status: 200, delivery: 'pending' });
    await eventually('it comes again', () => subscriber.received.length === 2);
    await delivered(1);
    const ids = subscriber.received.map(({ headers }) => headers['x-service-delivery-id']);
    expect(ids).toEqual([delivery?.id, delivery?.id]);
    expect((await worker.call(webhooks.getWebhookDelivery, { params })).body.attempts).toHaveLength(2);
  });

  it('is refused while the subscription is switched off', async () => {
    const { id: webhookId } = await worker.subscribe(subscriber.url);
    await worker.inbox.handle([worker.event()]);
    const body = { is_active: false };
    await worker.call(webhooks.updateWebhook, { params: { webhookId }, body });
    const [delivery] = await worker.deliveries();
    const answer = await worker.call(webhooks.redeliverWebhook, {
      params: { deliveryId: delivery?.id ?? '' },
    });
    expect(answer.status).toBe(409);
  });
});

describe('recover', () => {
  const recover = (webhookId: string, since: string) =>
    worker.call(webhooks.recoverWebhook, { params: { webhookId }, body: { since } });

  it('sends failed and cancelled deliveries and events from while the subscription was off, once each', async () => {
    const since = new Date(Date.now() - 60_000).toISOString();
    const { id } = await worker.subscribe(subscriber.url, { event_types: ['order_updated'] });
    const ofOneObject = worker.eventsOfOneObject(4);
    await worker.inbox.handle(ofOneObject.slice(0, 3));
    await worker.sql(
      `UPDATE webhooks.deliveries SET status = CASE sequence WHEN 1 THEN 'succeeded' WHEN 2 THEN 'failed' ELSE 'cancelled' END, queue = NULL
       WHERE subscription_id = $1`,
      id,
    );
    const params = { webhookId: id };
    await worker.call(webhooks.updateWebhook, { params, body: { is_active: false } });
    await worker.inbox.handle([...ofOneObject.slice(3), worker.event(undefined, 1, 'inventory_low')]);
    expect((await recover(id, since)).status).toBe(409);
    await worker.call(webhooks.updateWebhook, { params, body: { is_active: true } });
    expect((await recover(id, since)).body).toEqual({ scheduled: 3, more: false });
    expect((await recover(id, since)).body).toEqual({ scheduled: 0, more: false });
    worker.startEngine();
    await delivered(4);
    expect(subscriber.received.map(({ sequence }) => sequence)).toEqual([2, 3, 4]);
  });

  it('finds what a pause cancelled, which resuming does not bring back; a waiting delivery goes to the new URL', async () => {
    const since = new Date(Date.now() - 60_000).toISOString();
    const { id } = await worker.subscribe('http://127.0.0.1:9/');
    const update = (body: object) => worker.call(webhooks.updateWebhook, { params: { webhookId: id }, body });
    await worker.inbox.handle(worker.eventsOfOneObject(2));
    await update({ is_active: false });
    await update({ is_active: true, url: subscriber.url, event_types: ['inventory_low'] });
    worker.startEngine();
    expect((await worker.deliveries()).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    await update({ event_types: null });
    expect((await recover(id, since)).body).toEqual({ scheduled: 2, more: false });
    await delivered(2);
  });

  it('leaves out events before `since`', async () => {
    const { id } = await worker.subscribe(subscriber.url, { is_active: false });
    await worker.inbox.handle([worker.event()]);
    // The event may be of this very millisecond.
    const since = new Date(Date.now() + 1).toISOString();
    await worker.call(webhooks.updateWebhook, { params: { webhookId: id }, body: { is_active: true } });
    expect((await recover(id, since)).body.scheduled).toBe(0);
  });

  it.each([
    ['more than 30 days ago', -31 * 24 * 3600 * 1000],
    ['in the future', 3600 * 1000],
  ])('refuses a time %s', async (_, offsetMs) => {
    const { id } = await worker.subscribe(subscriber.url);
    const answer = await recover(id, new Date(Date.now() + offsetMs).toISOString());
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ details: [{ field: 'since' }] });
  });
});
