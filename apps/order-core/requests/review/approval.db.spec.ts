import * as review from '@offizin/contracts/requests/order-request-review';
import * as api from '@offizin/contracts/requests/order-requests';
import { upsertOrder } from '@offizin/contracts/orders/orders';
import { settleAttempt } from '@offizin/contracts/products/reservations';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { race } from '@offizin/testkit/race';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { markAsked, markWithdrawn } from './clarification.store';
import { catalog, catalogSpec } from '../../spec/fake-catalog';
import { requestHandlers, specKeys } from '../../spec/request-handlers';

const countOrders = statement<{ count: number }, [string]>(
  'spec_orders_of_request',
  'SELECT count(*)::int AS count FROM core.orders WHERE order_request_id = $1',
);

const test = catalogSpec();
let core: OrderCoreFixture;

beforeEach(async () => {
  const { database, bus } = test;
  core = await OrderCoreFixture.make(database, requestHandlers(database, specKeys(database), bus));
});

const ITEMS = [
  { p1_id: 'p1', quantity: 2, price: 10 },
  { p1_id: 'p2', quantity: 1, price: 5 },
  { p1_id: 'p1', quantity: 3, price: 10 },
];

async function submitted(reference: string | null = 'r'): Promise<string> {
  const payload = { customer_name: 'A', items: ITEMS };
  const { body } = await core.call(api.submitExternalOrder, {
    body: { external_reference: reference, payload },
  });
  return body.id;
}

async function approve(requestId: string, body: Record<string, unknown> = {}) {
  return core.call(review.approveOrderRequest, { params: { requestId }, body });
}

async function reject(requestId: string, reason = 'other') {
  return core.call(review.rejectOrderRequest, { params: { requestId }, body: { reason } });
}

async function settle(requestId: string, attempt: number) {
  return (await core.call(settleAttempt, { body: { order_request_id: requestId, attempt } })).body;
}

async function ordersOf(requestId: string): Promise<number | undefined> {
  return (await test.database.rows(countOrders, requestId))[0]?.count;
}

it("a line by id only gets the catalog's name, which is not a correction; a given name stays", async () => {
  const values = { in_inventory: true, category: null, thc: null, cbd: null, available: 1, price: 1 };
  const known = Object.entries({ p1: 'Bediol', p3: 'Bedica' }).map(([p1_id, name]) => ({
    p1_id,
    name,
    ...values,
  }));
  catalog.products = (p1Ids) => Promise.resolve(known.filter(({ p1_id }) => p1Ids.includes(p1_id)));
  const items = [...ITEMS, { product_id: 'p3', name: ' ', quantity: 1, price: 1 }];
  const payload = {
    customer_name: 'A',
    items: [...items, { p1_id: 'p3', name: 'B', quantity: 1, price: 1 }],
  };
  const { id } = (await core.call(api.submitExternalOrder, { body: { payload } })).body;
  const { body } = await approve(id);
  const names = body.order.items.map(({ name }) => name);
  expect(names).toEqual(['Bediol', null, 'Bediol', 'Bedica', 'B']);
  const request = await core.call(review.getOrderRequest, { params: { requestId: id } });
  expect(request.body.corrections).toBeNull();
});

it('holds the sum per product, then makes the order, the decision and both events in one transaction', async () => {
  const id = await submitted();
  const { status, body } = await approve(id);
  expect([status, body.status]).toEqual([200, 'approved']);
  expect(catalog.reserved).toEqual([
    {
      org_id: core.orgId,
      order_request_id: id,
      attempt: 0,
      lines: [
        { p1_id: 'p1', quantity: 5 },
        { p1_id: 'p2', quantity: 1 },
      ],
    },
  ]);
  expect(body.order).toMatchObject({
    id: body.order_id,
    external_id: 'r',
    shop_id: core.shopId,
    order_request_id: id,
    total_amount: 55,
    status: 'awaiting_packing',
    payment_status: 'cash_on_pickup',
  });
  expect(await core.eventsOf(id)).toMatchObject([
    { event_type: 'order_request_submitted', sequence: 1 },
    {
      event_type: 'order_request_approved',
      sequence: 2,
      topic: 'plain',
      metadata: { order_id: body.order_id },
    },
  ]);
  expect(await core.eventsOf(body.order_id)).toMatchObject([
    { event_type: 'order_created', sequence: 1, topic: 'stock', metadata: { order_request_id: id } },
  ]);
  expect(await core.falseSummaries()).toEqual([]);
});

it('repeats the first result for an equal decision, and names the first decision to a different one', async () => {
  const id = await submitted();
  const first = await approve(id);
  expect(await approve(id)).toEqual(first);
  const other = await reject(id);
  expect([other.status, other.body.error]).toEqual([409, 'already_decided']);
  expect(other.body.message).toContain('approved');
  const rejected = await submitted('rejected');
  expect((await reject(rejected)).status).toBe(200);
  expect((await reject(rejected)).status).toBe(200);
  expect((await reject(rejected, 'out_of_stock')).status).toBe(409);
  expect((await approve(rejected)).status).toBe(409);
  expect(await ordersOf(rejected)).toBe(0);
});

it('makes one order of 50 concurrent approvals', async () => {
  const id = await submitted();
  const answers = await race(50, () => approve(id));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.order_id}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(200);
  expect(await ordersOf(id)).toBe(1);
  expect(await core.eventsOf(id)).toHaveLength(2);
});

it('gives each of 100 approvals that share transactions its own outcome, wrong ones among right ones', async () => {
  const ids = await Promise.all(Array.from({ length: 100 }, (_, index) => submitted(`together ${index}`)));
  const [rejected = '', taken = '', outdated = ''] = ids;
  await reject(rejected);
  await core.call(upsertOrder, { body: { shop_id: core.shopId, external_id: 'together 1' } });
  const answers = await Promise.all(ids.map((id) => approve(id, id === outdated ? { version: 2 } : {})));
  const outcomes = answers.map(({ status, body }) => [status, body.error]);
  expect(outcomes.slice(0, 3)).toEqual([
    [409, 'already_decided'],
    [409, 'conflict'],
    [409, 'conflict'],
  ]);
  expect(answers.slice(3).filter(({ status }) => status !== 200)).toEqual([]);
  const orders = await Promise.all(ids.map(ordersOf));
  expect(orders).toEqual([0, 0, 0, ...orders.slice(3).map(() => 1)]);
  expect(new Set(answers.slice(3).map(({ body }) => body.order_id)).size).toBe(97);
  for (const id of [taken, outdated]) expect(await core.eventsOf(id)).toHaveLength(1);
  expect(await core.falseSummaries()).toEqual([]);
});

it('does not tell the catalog of an order without stock', async () => {
  const payload = { customer_name: 'A', items: [{ name: 'Salbe', quantity: 1, price: 2 }] };
  const { body } = await core.call(api.submitExternalOrder, { body: { payload } });
  const { body: approved } = await approve(body.id);
  expect(await core.eventsOf(approved.order_id)).toMatchObject([
    { event_type: 'order_created', topic: 'plain' },
  ]);
});

it('lets one decision win when approvals and rejections race', async () => {
  for (let round = 0; round < 5; round++) {
    const id = await submitted(`raced ${round}`);
    const answers = await Promise.all([
      approve(id),
      reject(id),
      approve(id),
      reject(id, 'out_of_stock'),
      approve(id),
    ]);
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].every((status) => status === 200 || status === 409)).toBe(true);
    const { body } = await core.call(review.getOrderRequest, { params: { requestId: id } });
    expect(await ordersOf(id)).toBe(body.status === 'approved' ? 1 : 0);
    expect(await core.eventsOf(id)).toHaveLength(2);
  }
});

it('names the lines that lack stock, and leaves the request pending', async () => {
  catalog.reserve = () => Promise.resolve({ held: false, short_p1_ids: ['p1'] });
  const id = await submitted();
  const { status, body } = await approve(id);
  expect([status, body.error]).toEqual([409, 'out_of_stock']);
  expect(body.message).toContain('items[0], items[2]');
  expect(await ordersOf(id)).toBe(0);
  catalog.reserve = () => Promise.resolve({ held: true, short_p1_ids: [] });
  expect((await approve(id)).status).toBe(200);
});

it('leaves the request pending when the shop already has an order with that external id', async () => {
  await core.call(upsertOrder, { body: { shop_id: core.shopId, external_id: 'taken' } });
  const id = await submitted('taken');
  const { status, body } = await approve(id);
  expect([status, body.error]).toEqual([409, 'conflict']);
  expect((await core.call(review.getOrderRequest, { params: { requestId: id } })).body.status).toBe(
    'pending',
  );
  expect(await core.eventsOf(id)).toHaveLength(1);
});

it('never commits an attempt that became void while its stock was being reserved', async () => {
  const id = await submitted();
  catalog.reserve = async () => {
    expect(await settle(id, 0)).toEqual({ outcome: 'void', order_id: null });
    return { held: true, short_p1_ids: [] };
  };
  const late = await approve(id);
  expect([late.status, late.body.error]).toEqual([503, 'service_unavailable']);
  expect(await ordersOf(id)).toBe(0);
  catalog.reserve = () => Promise.resolve({ held: true, short_p1_ids: [] });
  const { status, body } = await approve(id);
  expect(status).toBe(200);
  expect(catalog.reserved.map(({ attempt }) => attempt)).toEqual([0, 1]);
  // The first attempt stays void although the request is now approved.
  expect(await settle(id, 0)).toEqual({ outcome: 'void', order_id: null });
  expect(await settle(id, 1)).toEqual({ outcome: 'approved', order_id: body.order_id });
});

it('never approves a version that the partner replaced while its stock was being reserved', async () => {
  const id = await submitted('replaced');
  const completed = { customer_name: 'B', items: ITEMS };
  catalog.reserve = async () => {
    await markAsked(test.database, core.orgId, id, 'Who is it for?');
    const answer = { external_reference: 'replaced', payload: completed };
    expect((await core.call(api.submitExternalOrder, { body: answer })).body.status).toBe('pending');
    return { held: true, short_p1_ids: [] };
  };
  const { status, body } = await approve(id);
  expect([status, body.error]).toEqual([409, 'conflict']);
  expect(await ordersOf(id)).toBe(0);
  expect(await settle(id, 0)).toEqual({ outcome: 'void', order_id: null });
});

it('never approves after a question was asked and withdrawn while the stock was being reserved', async () => {
  const id = await submitted('taken back');
  catalog.reserve = async () => {
    await markAsked(test.database, core.orgId, id, 'Who is it for?');
    await markWithdrawn(test.database, core.orgId, id);
    return { held: true, short_p1_ids: [] };
  };
  expect((await approve(id)).status).toBe(503);
  expect(await ordersOf(id)).toBe(0);
});

it('gives an approval and a concurrent settle call the same outcome in either order', async () => {
  for (let round = 0; round < 30; round++) {
    const id = await submitted(`settled ${round}`);
    const [approval, settled] = await Promise.all([approve(id), settle(id, 0)]);
    if (settled.outcome === 'approved') {
      expect(approval.body.order_id).toBe(settled.order_id);
    } else if (approval.status === 200) {
      // The attempt became void before the approval read it, so the approval ran under the next one.
      expect(await settle(id, 1)).toMatchObject({ outcome: 'approved' });
    }
    expect(await ordersOf(id)).toBe(approval.status === 200 ? 1 : 0);
    expect([200, 503]).toContain(approval.status);
  }
});

it('never lets two approvals that hold different lines share an attempt', async () => {
  for (let round = 0; round < 20; round++) {
    catalog.reserved = [];
    const id = await submitted(`other lines ${round}`);
    const corrected = { items: [{ p1_id: 'p3', qty: 1, price: 1 }] };
    const answers = await Promise.all([approve(id), approve(id, corrected), approve(id, corrected)]);
    const order = answers.find(({ status }) => status === 200)?.body.order;
    const products = new Set(order?.items.map(({ p1_id }) => p1_id));
    const approvedAttempts = new Set<number>();
    for (const { attempt, lines } of catalog.reserved) {
      const sameAttempt = catalog.reserved.filter((asked) => asked.attempt === attempt);
      for (const asked of sameAttempt) expect(asked.lines).toEqual(lines);
      const { outcome } = await settle(id, attempt);
      if (outcome === 'approved') approvedAttempts.add(attempt);
      // An earlier attempt may be void if its lines are equal, and must be void if they differ.
      if (!lines.every(({ p1_id }) => products.has(p1_id))) expect(outcome).toBe('void');
    }
    expect(approvedAttempts.size).toBe(1);
    expect(await ordersOf(id)).toBe(1);
  }
});

it('reports void for an attempt of an unknown request', async () => {
  expect(await settle(newId(), 0)).toEqual({ outcome: 'void', order_id: null });
});
