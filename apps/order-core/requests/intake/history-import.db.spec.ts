import { importHistory } from '@offizin/contracts/orders/history-import';
import { orderHistory } from '@offizin/contracts/orders/order-history';
import * as orders from '@offizin/contracts/orders/orders';
import * as review from '@offizin/contracts/requests/order-request-review';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { makePdf } from '@offizin/testkit/pdf';
import { race } from '@offizin/testkit/race';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { platform } from '../../spec/staff-fixture';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { HistoryImportHandlers, HistoryImportRule } from './history-import.handlers';
import { documentParts, requestHandlers, specKeys } from '../../spec/request-handlers';
import { catalog, catalogSpec } from '../../spec/fake-catalog';
import { ProductChecks } from './product-checks';

const written = statement<{ events: number; audit: string[]; documents: string[] }, [string]>(
  'spec_history_written',
  `SELECT (SELECT count(*)::int FROM core.outbox WHERE org_id = $1) AS events,
          ARRAY(SELECT action || ' ' || count(*) FROM core.audit_log WHERE org_id = $1 GROUP BY action ORDER BY 1) AS audit,
          ARRAY(SELECT core.iso(created_at) FROM core.documents WHERE org_id = $1) AS documents`,
);

let core: OrderCoreFixture;
const test = catalogSpec();

beforeEach(async () => {
  core = await makeFixture();
});

function makeFixture(isAllowed = true): Promise<OrderCoreFixture> {
  const { database } = test;
  const dataKeys = specKeys(database);
  const { threads, fetcher } = documentParts(database, dataKeys);
  const rule = new HistoryImportRule(isAllowed);
  const history = new HistoryImportHandlers(
    database,
    dataKeys,
    threads,
    fetcher,
    rule,
    new ProductChecks(test.bus),
  );
  return OrderCoreFixture.make(database, [...handlersIn(history), ...requestHandlers(database, dataKeys)]);
}

function send(body: Record<string, unknown>, fixture = core) {
  const whole = { org_id: fixture.orgId, orders: [], requests: [], ...body };
  return fixture.call(importHistory, { caller: platform, body: whole });
}

function order(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    shop_id: core.shopId,
    external_id: 'past-1',
    customer_name: 'Käthe Weiß',
    items: [{ name: 'Tee', qty: 2, price: 6.9 }],
    created_at: '2026-01-05T09:00:00.000Z',
    steps: [
      { at: '2026-01-05T10:00:00.000Z', status: 'awaiting_packing', payment_status: 'paid' },
      { at: '2026-01-06T15:30:00.000Z', status: 'shipped' },
    ],
    ...changes,
  };
}

function request(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const payload = {
    customer_name: 'Käthe Weiß',
    items: [{ name: 'Blüte', quantity: 5, price: 8.2 }],
    prescription_pdf_base64: makePdf('past').toString('base64'),
  };
  return {
    shop_id: core.shopId,
    source: 'spec',
    external_reference: 'past-request',
    payload,
    submitted_at: '2026-02-01T08:00:00.000Z',
    ...changes,
  };
}

it('names lines by id as the catalog does', async () => {
  const facts = { in_inventory: true, category: null, thc: null, cbd: null, available: 9, price: 9.95 };
  catalog.products = (ids) =>
    Promise.resolve(ids.map((p1_id) => ({ ...facts, p1_id, name: `Name of ${p1_id}` })));
  await send({ orders: [order({ items: [{ p1_id: 'p', qty: 2, price: 6.9 }] })] });
  const { id = '' } = (await core.call(orders.listOrders)).body.data[0] ?? {};
  expect((await core.order(id)).items).toMatchObject([{ p1_id: 'p', name: 'Name of p' }]);
});

it('writes an order with its dates, totals, list row, counters and history, and no event', async () => {
  expect(await send({ orders: [order()] })).toMatchObject({ status: 200, body: { orders: 1, requests: 0 } });
  const list = await core.call(orders.listOrders, {
    query: 'status=shipped&created_to=2026-01-06T00:00:00Z',
  });
  expect(list.body.pagination.total).toBe(1);
  const [row] = list.body.data;
  expect(row).toMatchObject({
    status: 'shipped',
    payment_status: 'paid',
    total_amount: 13.8,
    customer_name: 'Käthe Weiß',
    created_at: '2026-01-05T09:00:00.000Z',
    updated_at: '2026-01-06T15:30:00.000Z',
  });
  const params = { orderId: row?.id ?? '' };
  const detail = await core.call(orders.getOrder, { params });
  expect(detail.body).toMatchObject({ shipped: true, items: [{ quantity: 2 }], order_request_id: null });
  const history = await core.call(orderHistory, { params });
  expect(history.body.data.map(({ at, action, sequence }) => [at, action, sequence])).toEqual([
    ['2026-01-05T09:00:00.000Z', 'created', 1],
    ['2026-01-05T10:00:00.000Z', 'status_changed', 2],
    ['2026-01-06T15:30:00.000Z', 'status_changed', 3],
  ]);
  expect(history.body.data[1]?.changes).toContainEqual({
    field: 'status',
    old: 'pending',
    new: 'awaiting_packing',
  });
  expect((await test.database.rows(written, core.orgId))[0]).toMatchObject({
    events: 0,
    audit: ['order.import 1'],
  });
  const patched = await core.call(orders.patchOrderStatus, { params, body: { status: 'completed' } });
  expect(patched.status).toBe(200);
  expect(await core.eventsOf(params.orderId)).toMatchObject([{ sequence: 4 }]);
});

it('adds nothing when it is repeated, also at the same time', async () => {
  const body = { orders: [order()], requests: [request()] };
  const answers = await race(8, () => send(body));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(answers.map((answer) => answer.body.orders).reduce((sum, count) => sum + count)).toBe(1);
  expect(answers.map((answer) => answer.body.requests).reduce((sum, count) => sum + count)).toBe(1);
  const [seen] = await test.database.rows(written, core.orgId);
  expect(seen).toMatchObject({ events: 0, audit: ['order-request.import 1', 'order.import 1'] });
});

it('writes a pending, an asked, a rejected and an approved request with the order of it', async () => {
  const decision = { at: '2026-02-02T08:00:00.000Z' };
  const steps = [{ at: '2026-02-03T08:00:00.000Z', status: 'ready_pickup' }];
  const requests = [
    request(),
    request({
      external_reference: 'a',
      decision: { ...decision, status: 'needs_clarification', question: '?' },
    }),
    request({
      external_reference: 'r',
      decision: { ...decision, status: 'rejected', reason: 'out_of_stock' },
    }),
    request({ external_reference: 'o', decision: { ...decision, status: 'approved', steps } }),
  ];
  expect((await send({ requests })).body).toMatchObject({ requests: 4, orders: 1 });
  const { data } = (await core.call(review.listOrderRequests, {})).body;
  expect(data.map(({ status, created_at }) => `${status} ${created_at}`).sort()).toEqual([
    'approved 2026-02-01T08:00:00.000Z',
    'needs_clarification 2026-02-01T08:00:00.000Z',
    'pending 2026-02-01T08:00:00.000Z',
    'rejected 2026-02-01T08:00:00.000Z',
  ]);
  const approved = data.find(({ status }) => status === 'approved');
  const detail = await core.call(orders.getOrder, { params: { orderId: approved?.order_id ?? '' } });
  expect(detail.body).toMatchObject({
    external_id: 'o',
    status: 'ready_pickup',
    order_request_id: approved?.id,
    created_at: '2026-02-02T08:00:00.000Z',
  });
  const [seen] = await test.database.rows(written, core.orgId);
  expect(new Set(seen?.documents)).toEqual(new Set(['2026-02-01T08:00:00.000Z']));
  expect(seen?.events).toBe(0);
});

it.each([
  [
    'an order of the future',
    () => ({ orders: [order({ created_at: '2099-01-01T00:00:00Z', steps: [] })] }),
    400,
  ],
  [
    'steps that go back in time',
    () => ({ orders: [order({ steps: [{ at: '2025-01-01T00:00:00Z', status: 'shipped' }] })] }),
    400,
  ],
  [
    'a move against the workflow',
    () => ({
      orders: [
        order({
          steps: [
            { at: '2026-01-06T00:00:00Z', status: 'cancelled' },
            { at: '2026-01-07T00:00:00Z', status: 'shipped' },
          ],
        }),
      ],
    }),
    400,
  ],
  ['a request of the future', () => ({ requests: [request({ submitted_at: '2099-01-01T00:00:00Z' })] }), 400],
  ['an unknown shop', () => ({ orders: [order({ shop_id: newId() })] }), 404],
  ['an unknown organization', () => ({ org_id: newId(), orders: [order()] }), 404],
  ['an id that is none', () => ({ org_id: 'x', orders: [order()] }), 404],
])('refuses %s and writes nothing', async (_, body, status) => {
  expect((await send(body())).status).toBe(status);
  expect((await core.call(orders.listOrders, {})).body.pagination.total).toBe(0);
});

it('refuses a shop of another organization as an unknown one', async () => {
  const other = await makeFixture();
  const refused = await send({ orders: [order({ shop_id: other.shopId })] });
  expect(refused).toEqual(await send({ orders: [order({ shop_id: newId() })] }));
});

it('refuses everything where it is not allowed', async () => {
  const strict = await makeFixture(false);
  expect((await send({ orders: [] }, strict)).status).toBe(403);
});
