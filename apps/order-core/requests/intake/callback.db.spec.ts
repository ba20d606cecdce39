import { readForCallback, type ReadForCallbackBody } from '@offizin/contracts/requests/callbacks';
import type { Caller } from '@offizin/contracts/calls/caller';
import * as review from '@offizin/contracts/requests/order-request-review';
import * as requests from '@offizin/contracts/requests/order-requests';
import * as orders from '@offizin/contracts/orders/orders';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { orderRequest } from '@offizin/testkit/organization';
import { insertKey, replaceKey, revokeKey } from '../../people/directory/directory.store';
import { approvalHandlers, OrderCoreFixture } from '../../spec/spec-fixture';
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
  const keys = specKeys(database);
  const approval = approvalHandlers(database, bus, keys);
  const callbacks = new CallbackHandlers(database, bus);
  core = await OrderCoreFixture.make(database, [
    ...requestHandlers(database, keys),
    [review.approveOrderRequest, (call) => approval.approve(call)],
    [readForCallback, (call) => callbacks.read(call)],
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
    await core.call(orders.updateOrder, { ...change, body: { customer_name: 'Max' } });
    expect((await told(approved)).at(-1)).toEqual(['order_request_approved', key]);
    expect(await told(orderId)).toEqual([
      ['order_created', null],
      ['order_status_updated', key],
      ['order_updated', null],
    ]);
  });

  it('by rejection and expiry, which is one event of the request', async () => {
    const key = await newKey();
    const [rejected, expired] = [await submitted(key), await submitted(key)];
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

describe('a callback reads', () => {
  const read = async (asked: Partial<ReadForCallbackBody>) =>
    (await core.call(readForCallback, { body: { org_id: core.orgId, shop_id: core.shopId, ...asked } })).body;

  it('what reading back answers, of its own requests in its own shop only', async () => {
    const [key, other] = [await newKey(), await newKey()];
    const id = await submitted(key);
    const { body: progress } = await core.call(requests.readExternalOrder, { ...at(id), caller: by(key) });
    const own = { integration_id: key, order_request_id: id };
    expect(await read(own)).toEqual({ is_live: true, progress });
    const none = { is_live: true, progress: null };
    expect(await read({ ...own, integration_id: other })).toEqual(none);
    expect(await read({ ...own, shop_id: core.otherShopId })).toEqual(none);
    expect(await read({ ...own, order_request_id: newId() })).toEqual(none);
    expect(await read({ ...own, org_id: newId() })).toEqual({ is_live: false, progress: null });
  });

  it('while one of its keys is live and may use the shop', async () => {
    const first = await newKey();
    const id = await submitted(first);
    const asked = { integration_id: first, order_request_id: id };
    const second = await newKey(first);
    expect(await read(asked)).toMatchObject({ is_live: true, progress: { id } });
    await revokeKey(opened.database, core.orgId, second);
    expect(await read(asked)).toEqual({ is_live: false, progress: null });
    const bound = await newKey(undefined, core.otherShopId);
    const elsewhere = { ...asked, integration_id: bound };
    expect(await read(elsewhere)).toEqual({ is_live: false, progress: null });
  });
});
