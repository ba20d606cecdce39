import { createHmac } from 'node:crypto';
import { CALLBACK_STEPS, type CallbackStep } from '@offizin/contracts/requests/certification-steps';
import {
  CALLBACK_EVENT_TYPES,
  type CallbackEvent,
  type CallbackEventType,
  type CallbackOwner,
  findCallback,
  removeCallback,
  storeCallback,
} from '@offizin/contracts/requests/callbacks';
import type { EventType, OutboxEvent } from '@offizin/contracts/webhooks/events';
import type { Operation } from '@offizin/contracts/calls/operation';
import type { OrderRequestProgress } from '@offizin/contracts/requests/order-requests';
import { searchDeliveries } from '@offizin/contracts/webhooks/webhook-health';
import * as webhooks from '@offizin/contracts/webhooks/webhooks';
import { buildEvent, timedEvent } from '@offizin/events/outbox';
import { newId } from '@offizin/pg/ids';
import { eventually } from '@offizin/testkit/eventually';
import { type Received, Subscriber, WorkerFixture, workerSpec } from '../spec/spec-fixture';
import { deleteCallbackOf } from './callbacks.store';

let worker: WorkerFixture;
let partner: Subscriber;
let owner: CallbackOwner;
const test = workerSpec((stage) => {
  ({ worker, subscriber: partner } = stage);
  owner = { org_id: worker.orgId, integration_id: newId(), shop_id: newId() };
});

async function store(of = owner, url = partner.url): Promise<string> {
  const { status, body } = await worker.call(storeCallback, { body: { ...of, key_id: newId(), url } });
  expect(status).toBe(200);
  return body.secret;
}

function progressOf(id: string): OrderRequestProgress {
  return {
    id,
    status: 'rejected',
    message: 'Rejected.',
    external_reference: 'visit-1',
    order_status: null,
    order: null,
    answer: null,
    reason: 'other',
    question: null,
    offer: null,
    documents: [],
    updated_at: '2026-01-31T12:00:00.000Z',
  };
}

const MOVED = {
  old_status: 'pending',
  new_status: 'shipped',
  changed: ['status'],
  old: { status: 'pending' },
  new: { status: 'shipped' },
};

const AS_OF = '2026-01-31T12:34:56.000Z';
const CHANGED: Partial<Record<EventType, object>> = {
  order_updated: { changed: ['items', 'total_amount'] },
  order_payment_updated: {
    changed: ['payment_status', 'payment_reference'],
    old_payment_status: 'pending',
    new_payment_status: 'paid',
  },
};

/** An event about a request, as order-core publishes it. */
function requestEvent(eventType: EventType, of: Partial<CallbackOwner>, sequence = 1): OutboxEvent {
  const id = newId();
  const texts = { title: 'Changed', description: `Order secret-${id}: changed` };
  const metadata = {
    order_request_id: id,
    shop_id: of.shop_id,
    reason: 'other',
    order_id: newId(),
    stock_claim_id: newId(),
    ...MOVED,
    ...CHANGED[eventType],
  };
  const about = { orgId: worker.orgId, eventType, aggregateId: id, sequence, topic: 'plain' as const };
  const event = buildEvent({ ...about, ...texts, metadata, integrationId: of.integration_id ?? null });
  return timedEvent(event, new Date());
}

const requestOf = (event: OutboxEvent): string => event.aggregateId;
const received = (): CallbackEvent[] => partner.received.map(({ body }) => JSON.parse(body) as CallbackEvent);
const receivedOf = (event: OutboxEvent) => received().find(({ id }) => id === event.id);

/** Audit records of this action about the callback. */
async function audited(action: string): Promise<number> {
  const records = await worker.sql(
    `SELECT id FROM webhooks.outbox WHERE topic = 'audit' AND aggregate_id = 'audit:' || $1
       AND body::json->>'action' = $2`,
    `callback:${owner.integration_id}:${owner.shop_id}`,
    action,
  );
  return records.length;
}

function answerLive(): void {
  worker.readForCallback = ({ order_request_id: id }) =>
    Promise.resolve({ is_live: true, progress: progressOf(id), as_of: AS_OF });
}

describe('a callback', () => {
  it.each<[CallbackEventType]>(CALLBACK_EVENT_TYPES.map((type) => [type]))(
    'gets %s with what order-core lets the partner read, and nothing of the event of the organization',
    async (type) => {
      await store();
      answerLive();
      worker.startEngine();
      const event = requestEvent(type, owner);
      await worker.inbox.handle([event]);
      const sent = await eventually('the event', () => receivedOf(event));
      const changed = type === 'order_status_updated' ? MOVED : (CHANGED[type] ?? {});
      const state = { ...progressOf(requestOf(event)), as_of: AS_OF };
      expect(sent.metadata).toEqual({ ...state, ...changed, sequence: 1 });
      expect(sent).toMatchObject({ event_type: type, org_id: worker.orgId });
      expect(JSON.stringify(sent)).not.toContain('secret');
    },
  );

  it('gets a payment that an upsert changed as order_status_updated, without its reference', async () => {
    await store();
    answerLive();
    worker.startEngine();
    const event = requestEvent('order_payment_updated', owner);
    await worker.inbox.handle([event]);
    const sent = await eventually('the event', () => receivedOf(event));
    expect([sent.event_type, partner.received[0]?.headers['x-service-event']]).toEqual([
      'order_status_updated',
      'order_status_updated',
    ]);
    const state = { ...progressOf(requestOf(event)), as_of: AS_OF };
    const [old, now] = [{ payment_status: 'pending' }, { payment_status: 'paid' }];
    expect(sent.metadata).toEqual({ ...state, changed: ['payment_status'], old, new: now, sequence: 1 });
  });

  it('gets no other kind, nothing of another integration or shop, and nothing without an integration', async () => {
    await store();
    answerLive();
    worker.startEngine();
    const others = [
      requestEvent('order_request_submitted', owner),
      requestEvent('order_created', owner),
      requestEvent('order_request_rejected', { ...owner, integration_id: newId() }),
      requestEvent('order_request_rejected', { ...owner, shop_id: newId() }),
      requestEvent('order_request_rejected', { shop_id: owner.shop_id }),
      requestEvent('order_request_rejected', { integration_id: owner.integration_id }),
    ];
    const own = requestEvent('order_request_rejected', owner);
    await worker.inbox.handle([...others, own]);
    await eventually('its own event', () => receivedOf(own));
    expect((await worker.deliveries()).map(({ event_id: id }) => id)).toEqual([own.id]);
  });

  it('waits while order-core does not answer, which is not an attempt', async () => {
    await store();
    let requested = 0;
    worker.readForCallback = () => {
      requested += 1;
      return Promise.reject(new Error('order-core is unavailable'));
    };
    worker.startEngine();
    const event = requestEvent('order_request_rejected', owner);
    await worker.inbox.handle([event]);
    await eventually('the delivery to be postponed', async () => {
      const [delivery] = await worker.deliveries();
      return requested > 0 && delivery?.lease_token === null;
    });
    expect(await worker.deliveries()).toMatchObject([{ status: 'pending', attempt_count: 0 }]);
    answerLive();
    await worker.sql(
      'UPDATE webhooks.deliveries SET next_attempt_at = now() WHERE org_id = $1',
      worker.orgId,
    );
    await worker.ringEngines();
    await eventually('the event', () => receivedOf(event));
    const { body } = await worker.call(findCallback, { body: owner });
    expect(body).toMatchObject({ is_active: true, failing_since: null });
  });

  it('fails a delivery about a request that is not there, and goes on', async () => {
    await store();
    worker.readForCallback = () => Promise.resolve({ is_live: true, progress: null, as_of: null });
    worker.startEngine();
    await worker.inbox.handle([requestEvent('order_request_rejected', owner)]);
    await eventually('the delivery to fail', async () => (await worker.deliveries())[0]?.status === 'failed');
    answerLive();
    const next = requestEvent('order_request_rejected', owner);
    await worker.inbox.handle([next]);
    await eventually('the next event', () => receivedOf(next));
  });

  it('ends when no key of the integration is live: nothing is sent, all is cancelled, and it is audited', async () => {
    await store();
    worker.readForCallback = () => Promise.resolve({ is_live: false, progress: null, as_of: null });
    worker.startEngine();
    const events = [1, 2, 3].map(() => requestEvent('order_request_rejected', owner));
    await worker.inbox.handle(events);
    await eventually('all to be cancelled', async () => {
      const states = await worker.deliveries();
      return states.length === 3 && states.every(({ status }) => status === 'cancelled');
    });
    expect(partner.received).toEqual([]);
    expect((await worker.call(findCallback, { body: owner })).status).toBe(404);
    expect(await audited('callback.end')).toBe(1);
  });

  it('is switched off by a 410, without an event for the organization, until it is set again', async () => {
    await store();
    answerLive();
    partner.answer = () => 410;
    worker.startEngine();
    await worker.inbox.handle([requestEvent('order_request_rejected', owner)]);
    await eventually('the end', async () => {
      const { body } = await worker.call(findCallback, { body: owner });
      return !body.is_active && body.disabled_reason === 'receiver_gone';
    });
    const events = await worker.sql(
      `SELECT id FROM webhooks.outbox WHERE org_id = $1 AND event_type = 'webhook_subscription_disabled'`,
      worker.orgId,
    );
    expect(events).toEqual([]);
    expect(await audited('callback.switch-off')).toBe(1);
    partner.answer = () => 200;
    await store();
    const next = requestEvent('order_request_rejected', owner);
    await worker.inbox.handle([next]);
    await eventually('the next event', () => receivedOf(next));
  });

  it('is removed with what is still to be sent', async () => {
    await store();
    answerLive();
    partner.answer = () => 500;
    worker.startEngine();
    const event = requestEvent('order_request_rejected', owner);
    await worker.inbox.handle([event]);
    await eventually('a failed attempt', async () => {
      const [delivery] = await worker.deliveries();
      return delivery?.attempt_count === 1 && delivery.lease_token === null;
    });
    const { body } = await worker.call(removeCallback, { body: { ...owner, key_id: newId() } });
    expect(body).toEqual({ removed: true });
    expect(await worker.deliveries()).toMatchObject([{ status: 'cancelled' }]);
    const again = await worker.call(removeCallback, { body: { ...owner, key_id: newId() } });
    expect(again.body).toEqual({ removed: false });
  });
});

describe('a callback at a test shop', () => {
  const isSigned = (secret: string, { headers, body }: Received): boolean =>
    headers['x-service-signature'] === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const awaiting = (awaited: readonly CallbackStep[]): void => {
    worker.readForCallback = ({ order_request_id: id }) =>
      Promise.resolve({ is_live: true, progress: progressOf(id), as_of: AS_OF, awaited: [...awaited] });
  };
  const attempts = () =>
    worker.sql<{ status_code: number }>(
      `SELECT a.status_code FROM webhooks.attempts a JOIN webhooks.deliveries d ON d.id = a.delivery_id WHERE d.org_id = $1`,
      worker.orgId,
    );

  it('gets each event that it takes once more under a wrong signature, which counts nowhere', async () => {
    const secret = await store();
    awaiting(CALLBACK_STEPS);
    partner.answer = (request) => (isSigned(secret, request) ? 204 : 401);
    worker.startEngine();
    const event = requestEvent('order_request_rejected', owner);
    await worker.inbox.handle([event]);
    await eventually('both reports', () => worker.observed.length === 2);
    const [right, wrong] = partner.received;
    expect([right, wrong].map((one) => one && isSigned(secret, one))).toEqual([true, false]);
    expect(wrong?.body).toBe(right?.body);
    const [rightId, wrongId] = [right, wrong].map((one) => String(one?.headers['webhook-id']));
    expect(wrongId).not.toBe(rightId);
    const of = { ...owner, is_forged: false, status: 204, delivery_id: rightId };
    expect(worker.observed).toEqual([of, { ...of, is_forged: true, status: 401, delivery_id: wrongId }]);
    await eventually('the result', async () => (await attempts()).length > 0);
    expect(await attempts()).toEqual([{ status_code: 204 }]);
    expect(await worker.deliveries()).toMatchObject([{ id: rightId, status: 'succeeded', attempt_count: 1 }]);
    const { body } = await worker.call(findCallback, { body: owner });
    expect(body).toMatchObject({ is_active: true, failing_since: null });
  });

  it('gets no forgery of an event that it does not take, or where none is awaited', async () => {
    await store();
    worker.startEngine();
    const steps: [status: number, awaited: readonly CallbackStep[], observed: number][] = [
      [500, CALLBACK_STEPS, 0],
      [200, ['took_callback'], 1],
      [200, [], 1],
    ];
    for (const [index, [status, awaited, observed]] of steps.entries()) {
      awaiting(awaited);
      partner.answer = () => status;
      await worker.inbox.handle([requestEvent('order_request_rejected', owner)]);
      await eventually('the result', async () => (await attempts()).length === index + 1);
      expect(worker.observed).toHaveLength(observed);
    }
    expect(partner.received).toHaveLength(steps.length);
  });

  it('is switched off by no answer to a forgery', async () => {
    await store();
    awaiting(['refused_forgery']);
    partner.answer = () => (partner.received.length === 2 ? 410 : 200);
    worker.startEngine();
    await worker.inbox.handle([requestEvent('order_request_rejected', owner)]);
    await eventually('the report', () => worker.observed.length === 1);
    expect(worker.observed).toMatchObject([{ is_forged: true, status: 410 }]);
    const next = requestEvent('order_request_rejected', owner);
    await worker.inbox.handle([next]);
    await eventually('the next event', () => receivedOf(next));
    expect((await worker.call(findCallback, { body: owner })).body.is_active).toBe(true);
  });
});

it('is created again where it is removed at the same time', async () => {
  await store();
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  let storing = Promise.resolve('');
  await test.database.transaction(async (tx) => {
    await deleteCallbackOf(tx, owner);
    storing = store();
    await eventually('it to wait', async () => (await worker.sql(waiting)).length > 0);
  });
  expect(await storing).toMatch(/^whsec_/);
  expect(await worker.call(findCallback, { body: owner })).toMatchObject({ status: 200 });
});

it('is found among 10,000 of its organization, as after many keys that were revoked', async () => {
  await store();
  await worker.sql(
    `INSERT INTO webhooks.subscriptions (org_id, integration_id, shop_id, id, url, secret, event_types)
     SELECT $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'https://partner.example.org/', '', $2
     FROM generate_series(1, 10000)`,
    worker.orgId,
    CALLBACK_EVENT_TYPES,
  );
  const events = Array.from({ length: 100 }, () => requestEvent('order_request_rejected', owner));
  await worker.inbox.handle(events);
  const made = (await worker.deliveries()).map(({ event_id: id }) => id);
  expect(made.sort()).toEqual(events.map(({ id }) => id).sort());
});

describe('the organization', () => {
  it('does not see it by any operation, nor counts it', async () => {
    await store();
    await worker.inbox.handle([requestEvent('order_request_rejected', owner)]);
    const [subscription] = await worker.sql<{ id: string }>(
      'SELECT id FROM webhooks.subscriptions WHERE integration_id = $1',
      owner.integration_id,
    );
    const [delivery] = await worker.deliveries();
    const params = { webhookId: subscription?.id ?? '', deliveryId: delivery?.id ?? '' };
    const since = new Date().toISOString();
    const refused: [Operation, object?][] = [
      [webhooks.getWebhook],
      [webhooks.updateWebhook, {}],
      [webhooks.deleteWebhook],
      [webhooks.rotateWebhookSecret],
      [webhooks.testWebhook, {}],
      [webhooks.recoverWebhook, { since }],
      [webhooks.listWebhookDeliveries],
      [webhooks.getWebhookDelivery],
      [webhooks.redeliverWebhook],
    ] as [Operation, object?][];
    for (const [op, body] of refused) {
      const { status } = await worker.call(op, { params, ...(body && { body }) });
      expect({ op: op.name, status }).toEqual({ op: op.name, status: 404 });
    }
    expect((await worker.call(webhooks.listWebhooks)).body.data).toEqual([]);
    expect((await worker.call(searchDeliveries)).body.data).toEqual([]);
    for (let count = 0; count < webhooks.MAX_SUBSCRIPTIONS; count += 1) await worker.subscribe(partner.url);
    expect((await worker.call(findCallback, { body: owner })).status).toBe(200);
  });
});

describe('the URL', () => {
  it('must be https and no loopback address where development is not allowed', async () => {
    const strict = new WorkerFixture(test.database, {});
    for (const url of ['http://partner.example.org/', 'https://127.0.0.1/', 'https://[::1]/']) {
      const { status, body } = await strict.call(storeCallback, { body: { ...owner, key_id: newId(), url } });
      expect({ url, status, body }).toMatchObject({
        url,
        status: 400,
        body: { details: [{ field: 'url' }] },
      });
    }
    expect((await strict.call(findCallback, { body: owner })).status).toBe(404);
  });
});
