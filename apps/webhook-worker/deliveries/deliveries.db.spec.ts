import * as webhooks from '@offizin/contracts/webhooks/webhooks';
import { eventually } from '@offizin/testkit/eventually';
import { workerSpec, type Subscriber, type WorkerFixture } from '../spec-fixture';

let worker: WorkerFixture;
let subscriber: Subscriber;
workerSpec((stage) => ({ worker, subscriber } = stage));

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
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body }: Awaited<ReturnType<typeof list>> = await list(
        `limit=2${cursor && `&cursor=${cursor}`}`,
      );
      seen.push(...body.data.map(({ event_id }) => event_id));
      cursor = body.pagination.next_cursor;
      if (seen.length === 2) await worker.inbox.handle([worker.event()]);
    }
    expect(seen).toEqual(events.map(({ id }) => id).reverse());
    expect((await list('cursor=nonsense')).status).toBe(400);
    const first = (await list('limit=2')).body.pagination.next_cursor ?? '';
    expect((await list(`offset=1&cursor=${first}`)).status).toBe(400);
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

  it('leaves out events before `since`', async () => {
    const { id } = await worker.subscribe(subscriber.url, { is_active: false });
    await worker.inbox.handle([worker.event()]);
    const since = new Date().toISOString();
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
