import { readForCallback, type ReadForCallbackBody } from '@offizin/contracts/requests/callbacks';
import type { Caller } from '@offizin/contracts/calls/caller';
import * as review from '@offizin/contracts/requests/order-request-review';
import * as requests from '@offizin/contracts/requests/order-requests';
import * as orders from '@offizin/contracts/orders/orders';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { orderRequest } from '@offizin/testkit/organization';
import { insertKey, replaceKey, revokeKey } from '../../people/directory/keys.store';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { CallbackHandlers } from './callback.handlers';
import { expireRequests, requestHandlers, specKeys } from '../../spec/request-handlers';
import { databaseSpec, sharedBusSpec } from '../../spec/core-spec';

/** Which events name the integration that handed the request in, and what it may read for a callback. */
let core: OrderCoreFixture;
let references = 0;
const opened = databaseSpec();
const connected = sharedBusSpec();

beforeAll(async () => {
  const { database } = opened;
  const { bus } = connected;
  core = await OrderCoreFixture.make(database, [
    ...requestHandlers(database, specKeys(database), bus),
    ...handlersIn(new CallbackHandlers(database, bus, specKeys(database))),
  ]);
});

/** An integration key; its id. */
async function newKey(replaces?: string, shopId: string | null = null): Promise<string> {
  const id = newId();
  const key = { id, name: 'partner', kind: 'int', hash: id, shopId, expiresAt: null } as const;
  await insertKey(opened.database, core.orgId, {
    ...key,
    scopes: [],
    ...(replaces !== undefined && { replaces }),
  });
  if (replaces !== undefined)
    await replaceKey(opened.database, core.orgId, replaces, { newKeyId: id, overlapSeconds: 0 });
  return id;
}

const by = (keyId: string): Caller => ({ ...core.partner(), actorId: keyId });

async function submitted(keyId: string): Promise<string> {
  const body = orderRequest({}, { external_reference: `callback-${(references += 1)}` });
  return (await core.call(requests.submitExternalOrder, { caller: by(keyId), body })).body.id;
}

const integrations = statement<{ event_type: string; integration_id: string | null }, [string]>(
  'spec_integrations',
  `SELECT event_type, integration_id FROM core.outbox WHERE aggregate_id = $1 ORDER BY position`,
);
const told = async (objectId: string): Promise<[string, string | null][]> => {
  const rows = await opened.database.rows(integrations, objectId);
  return rows.map(({ event_type, integration_id }) => [event_type, integration_id]);
};
const makeOld = statement<never, [string]>(
  'spec_make_old',
  `UPDATE core.order_requests SET created_at = now() - interval '40 days' WHERE id = $1`,
);

const at = (requestId: string) => ({ params: { requestId } });

describe('the integration is named', () => {
  it('by question, approval and status of the order, and by no other event', async () => {
    const key = await newKey();
    const id = await submitted(key);
    await core.call(review.requestClarification, { ...at(id), body: { question: 'Which?' } });
    expect(await told(id)).toEqual([
      ['order_request_submitted', null],
      ['order_request_clarification', key],
    ]);
    const approved = await submitted(key);
    const { body } = await core.call(review.approveOrderRequest, { ...at(approved), body: {} });
    const orderId = body.order_id;
    const change = { params: { orderId } };
    await core.call(orders.patchOrderStatus, { ...change, body: { status: 'shipped' } });
    await core.call(orders.updateOrder, { ...change, body: { customer_name: 'Max', force: true } });
    expect((await told(approved)).at(-1)).toEqual(['order_request_approved', key]);
    expect(await told(orderId)).toEqual([
      ['order_created', null],
      ['order_status_updated', key],
      ['order_updated', null],
    ]);
  });

  it('by each change of what reading the order back answers, which the event names', async () => {
    const key = await newKey();
    const id = await submitted(key);
    const params = {
      orderId: (await core.call(review.approveOrderRequest, { ...at(id), body: {} })).body.order_id,
    };
    const { external_id } = (await core.call(orders.getOrder, { params })).body;
    const put = (body: object) => core.call(orders.updateOrder, { params, body });
    const post = (body: object) =>
      core.call(orders.upsertOrder, { body: { shop_id: core.shopId, external_id, ...body } });
    const items = [{ name: 'Tee', qty: 1, price: 4 }];
    const changes: [() => Promise<{ status: number }>, string, string[] | undefined][] = [
      [() => put({ items, total_amount: 9 }), 'order_updated', ['items', 'total_amount']],
      [() => post({ items: [{ ...items[0], qty: 2 }], total_amount: 9 }), 'order_updated', ['items']],
      [() => put({ shipping_option: 'Express', customer_name: 'Eva' }), 'order_updated', ['shipping_option']],
      [() => post({ shipped: true, payment_status: 'paid' }), 'order_updated', ['payment_status', 'shipped']],
      [() => put({ picked_up: true }), 'order_updated', ['picked_up']],
      [() => post({ payment_status: 'refunded' }), 'order_payment_updated', ['payment_status']],
      [() => post({ payment_reference: 'R' }), 'order_payment_updated', ['payment_reference']],
      [() => put({ customer_name: 'Erna', metadata: { a: '1' } }), 'order_updated', undefined],
    ];
    for (const [send] of changes) expect((await send()).status).toBe(200);
    const isTold = [true, true, true, true, true, true, false, false];
    expect((await told(params.orderId)).slice(1)).toEqual(
      changes.map(([, type], index) => [type, isTold[index] ? key : null]),
    );
    const events = (await core.eventsOf(params.orderId)).slice(1);
    expect(events.map(({ sequence, metadata }) => [sequence, metadata['changed']])).toEqual(
      changes.map(([, , changed], index) => [index + 2, changed]),
    );
  });

  it('by no change of an order of the organization, whose event names nothing', async () => {
    const { id } = (await core.upsert('own', { items: [{ name: 'Tee', qty: 1, price: 4 }] })).body;
    await core.upsert('own', { items: [], shipping_option: 'Express' });
    expect(await told(id)).toEqual([
      ['order_created', null],
      ['order_updated', null],
    ]);
    const events = await core.eventsOf(id);
    expect(events.map(({ metadata }) => metadata['changed'])).toEqual([undefined, undefined]);
  });

  it('by rejection, withdrawal and expiry, which is one event of the request', async () => {
    const key = await newKey();
    const [rejected, expired, cancelled] = [await submitted(key), await submitted(key), await submitted(key)];
    const withdrawal = { ...at(cancelled), caller: by(key), body: { reason: 'other' } };
    await core.call(requests.cancelExternalOrder, withdrawal);
    expect((await told(cancelled)).at(-1)).toEqual(['order_request_cancelled', key]);
    await core.call(review.rejectOrderRequest, { ...at(rejected), body: { reason: 'other' } });
    expect((await told(rejected)).at(-1)).toEqual(['order_request_rejected', key]);
    await opened.database.rows(makeOld, expired);
    expect(await expireRequests(opened.database, 28)).toBe(1);
    expect((await told(expired)).at(-1)).toEqual(['order_request_expired', key]);
    const [, event] = await core.eventsOf(expired);
    const metadata = { order_request_id: expired, shop_id: core.shopId, status: 'expired', sequence: 2 };
    expect(event).toMatchObject({ topic: 'plain', sequence: 2, metadata });
  });

  it('as the first key of its rotations', async () => {
    const first = await newKey();
    const second = await newKey(first);
    const third = await newKey(second);
    const id = await submitted(third);
    await core.call(review.rejectOrderRequest, { ...at(id), body: { reason: 'other' } });
    expect((await told(id)).at(-1)).toEqual(['order_request_rejected', first]);
  });

  it("not for a request that came with the organization's own key", async () => {
    const body = orderRequest({ shop_id: core.shopId });
    const { id } = (await core.call(requests.submitOrderRequest, { body })).body;
    await core.call(review.rejectOrderRequest, { ...at(id), body: { reason: 'other' } });
    expect((await told(id)).at(-1)).toEqual(['order_request_rejected', null]);
  });
});

describe('a request belongs to the integration that handed it in', () => {
  const sent = (keyId: string, customer_name: string, external_reference: string) =>
    core.call(requests.submitExternalOrder, {
      caller: by(keyId),
      body: orderRequest({ customer_name }, { external_reference }),
    });
  const read = (keyId: string, id: string) =>
    core.call(requests.readExternalOrder, { ...at(id), caller: by(keyId) });
  const find = (keyId: string, reference: string) =>
    core.call(requests.findExternalOrder, {
      caller: by(keyId),
      query: `external_reference=${encodeURIComponent(reference)}`,
    });

  it('another one of the shop reads it neither by id nor by reference', async () => {
    const [key, other] = [await newKey(), await newKey()];
    const { id } = (await sent(key, 'Anna', 'ours')).body;
    expect((await find(key, 'ours')).body.id).toBe(id);
    const hidden = await read(other, id);
    expect([hidden.status, await find(other, 'ours')]).toEqual([404, await read(other, newId())]);
    expect(await read(other, newId())).toEqual(hidden);
  });

  it('another one neither replaces nor withdraws it, at another shop nobody, nor does the organization', async () => {
    const key = await newKey();
    const { id } = (await sent(key, 'Anna', 'kept')).body;
    const elsewhere = { ...by(key), shopId: core.otherShopId };
    for (const caller of [by(await newKey()), elsewhere]) {
      const replacement = { caller, body: orderRequest({ customer_name: 'Berta' }) };
      const withdrawal = { caller, body: { reason: 'other' } };
      for (const [op, call] of [
        [requests.replaceExternalOrder, replacement] as const,
        [requests.cancelExternalOrder, withdrawal] as const,
      ]) {
        const foreign = await core.call(op, { ...at(id), ...call });
        expect([foreign.status, foreign]).toEqual([404, await core.call(op, { ...at(newId()), ...call })]);
      }
    }
    const body = orderRequest({ shop_id: core.shopId, customer_name: 'Berta' });
    const direct = await core.call(requests.replaceOrderRequest, { ...at(id), body });
    const withdrawal = { ...at(id), body: { reason: 'other' } };
    expect([direct.status, (await core.call(requests.cancelOrderRequest, withdrawal)).status]).toEqual([
      404, 404,
    ]);
    const own = { ...at(id), caller: by(await newKey(key)), body: orderRequest({ customer_name: 'Anna B' }) };
    expect((await core.call(requests.replaceExternalOrder, own)).body).toMatchObject({
      id,
      status: 'pending',
    });
  });

  it('another one answers no question and takes no reference', async () => {
    const [key, other] = [await newKey(), await newKey()];
    const { id } = (await sent(key, 'Anna', 'asked')).body;
    await core.call(review.requestClarification, { ...at(id), body: { question: 'Which?' } });
    const foreign = await sent(other, 'Berta', 'asked');
    expect([foreign.status, foreign.body.id === id]).toEqual([200, false]);
    const detail = await core.call(review.getOrderRequest, at(id));
    expect(detail.body).toMatchObject({ status: 'needs_clarification', payload: { customer_name: 'Anna' } });
    expect((await sent(key, 'Anna B', 'asked')).body).toMatchObject({ id, status: 'pending' });
    expect((await find(other, 'asked')).body.id).toBe(foreign.body.id);
  });

  it('two concurrent ones get a request each, whatever wins', async () => {
    const keys = [await newKey(), await newKey()];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => sent(keys[n % 2] ?? '', `of ${n % 2}`, 'raced')),
    );
    const ids = [0, 1].map((k) => new Set(answers.filter((_, n) => n % 2 === k).map(({ body }) => body.id)));
    expect(ids.map((some) => some.size)).toEqual([1, 1]);
    expect([...(ids[0] ?? [])]).not.toEqual([...(ids[1] ?? [])]);
  });

  it('its keys after a rotation read, repeat and answer it', async () => {
    const first = await newKey();
    const { id } = (await sent(first, 'Anna', 'rotated')).body;
    const second = await newKey(first);
    expect((await read(second, id)).status).toBe(200);
    expect((await sent(second, 'Anna', 'rotated')).body.id).toBe(id);
    await core.call(review.requestClarification, { ...at(id), body: { question: 'Which?' } });
    expect((await sent(second, 'Anna B', 'rotated')).body).toMatchObject({ id, status: 'pending' });
  });

  it('one of the organization is its own: no integration reads it, and each may use its reference', async () => {
    const key = await newKey();
    const body = orderRequest({ shop_id: core.shopId }, { external_reference: 'direct' });
    const { id } = (await core.call(requests.submitOrderRequest, { body })).body;
    expect([(await read(key, id)).status, (await find(key, 'direct')).status]).toEqual([404, 404]);
    expect((await sent(key, 'Anna', 'direct')).body.id).not.toBe(id);
    expect((await core.call(requests.submitOrderRequest, { body })).body.id).toBe(id);
  });
});

describe('a callback reads', () => {
  const read = async (asked: Partial<ReadForCallbackBody>) =>
    (await core.call(readForCallback, { body: { org_id: core.orgId, shop_id: core.shopId, ...asked } })).body;

  it('what reading back answers, of its own requests in its own shop only', async () => {
    const [key, other] = [await newKey(), await newKey()];
    const id = await submitted(key);
    const { body: progress } = await core.call(requests.readExternalOrder, { ...at(id), caller: by(key) });
    const own = { integration_id: key, order_request_id: id };
    const now = await read(own);
    expect(now).toEqual({ is_live: true, progress, as_of: expect.stringMatching(/^20.*Z$/) as string });
    // The time of the reading, not of a change.
    expect(Date.parse(now.as_of ?? '')).toBeGreaterThanOrEqual(Date.parse(progress.updated_at));
    const none = { is_live: true, progress: null, as_of: null };
    expect(await read({ ...own, integration_id: other })).toEqual(none);
    expect(await read({ ...own, shop_id: core.otherShopId })).toEqual(none);
    expect(await read({ ...own, order_request_id: newId() })).toEqual(none);
    expect(await read({ ...own, org_id: newId() })).toEqual({ is_live: false, progress: null, as_of: null });
  });

  it('while one of its keys is live and may use the shop', async () => {
    const first = await newKey();
    const id = await submitted(first);
    const asked = { integration_id: first, order_request_id: id };
    const second = await newKey(first);
    expect(await read(asked)).toMatchObject({ is_live: true, progress: { id } });
    await revokeKey(opened.database, core.orgId, second);
    expect(await read(asked)).toEqual({ is_live: false, progress: null, as_of: null });
    const bound = await newKey(undefined, core.otherShopId);
    const elsewhere = { ...asked, integration_id: bound };
    expect(await read(elsewhere)).toEqual({ is_live: false, progress: null, as_of: null });
  });
});
