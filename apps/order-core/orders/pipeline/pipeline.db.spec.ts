import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  listOrders,
  ORDER_STATUSES,
  type OrderStatusPatchBody,
  type OrderUpsertBody,
} from '@offizin/contracts/orders/orders';
import * as pipeline from '@offizin/contracts/orders/pipeline';
import { type Sql, statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { blocksRead } from '@offizin/testkit/blocks-read';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { walkPages } from '@offizin/testkit/walk-pages';
import { PipelineQuery } from '@offizin/contracts/orders/pipeline';
import { inParts } from '@offizin/testkit/in-parts';
import { foldCounts } from '../counts/counts.store';
import { DataKeys } from '../../crypto/data-keys.store';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { PipelineHandlers } from './pipeline.handlers';
import { databaseSpec } from '../../spec/core-spec';
import { listPipelineRows } from './pipeline.store';

const ageHistory = statement<never, [string, number]>(
  'spec_age_order_history',
  `UPDATE core.order_history SET at = at - make_interval(hours => $2) WHERE order_id = $1`,
);
const manyEntries = statement<never, [string]>(
  'spec_many_order_entries',
  `INSERT INTO core.order_history (order_id, sequence, actor, action, fields)
   SELECT $1, n, 'spec', 'updated', jsonb_build_object('order_number', n) FROM generate_series(2, 151) n`,
);

const test = databaseSpec();
let core: OrderCoreFixture;

beforeEach(async () => {
  core = await organization();
});

function organization(): Promise<OrderCoreFixture> {
  const handlers = new PipelineHandlers(test.database, new DataKeys(test.database, [randomBytes(32)]));
  return OrderCoreFixture.make(test.database, handlersIn(handlers));
}

async function order(fields: Partial<OrderUpsertBody> = {}): Promise<string> {
  const { status, body } = await core.upsert(newId(), fields);
  expect(status).toBe(201);
  return body.id;
}

async function move(orderId: string, body: OrderStatusPatchBody, caller = core.key()): Promise<void> {
  expect((await core.patch(orderId, body, { caller })).status).toBe(200);
}

async function list(query = '', of = core): Promise<pipeline.PipelineResponse> {
  const { status, body } = await of.call(pipeline.listPipeline, { query, caller: of.staff('clerk') });
  expect([query, status]).toEqual([query, 200]);
  return body;
}

async function ids(query: string): Promise<string[]> {
  return (await list(query)).data.map(({ id }) => id);
}

async function counts(query = ''): Promise<pipeline.OrderCounts> {
  return (await core.call(pipeline.countOrders, { query, caller: core.staff('clerk') })).body;
}

async function look(orderId: string): Promise<pipeline.PipelineOrder> {
  const answer = await core.call(pipeline.getPipelineOrder, {
    params: { orderId },
    caller: core.staff('clerk'),
  });
  expect(answer.status).toBe(200);
  return answer.body;
}

describe('the list', () => {
  it('shows what a row needs, with the first lines as text', async () => {
    const items = [
      { name: 'Bediol', qty: 15, price: 9.5 },
      { p1_id: 'p1-vaporizer', qty: 1, price: 89 },
      ...['C', 'D', 'E', 'F'].map((name) => ({ name, qty: 1, price: 1 })),
    ];
    const id = await order({
      customer_name: 'Jörg Möller',
      order_number: 'B-1',
      shipping_option: 'Express',
      items,
    });
    const { data, total, next_cursor } = await list();
    expect([total, next_cursor, data.length]).toEqual([1, null, 1]);
    expect(data[0]).toMatchObject({
      id,
      status: 'pending',
      order_number: 'B-1',
      customer_name: 'Jörg Möller',
      total_amount: 235.5,
      payment_status: 'pending',
      shipping_option: 'Express',
      line_count: 6,
      lines_text: '15 × Bediol, 1 × p1-vaporizer, 1 × C, 1 × D, 1 × E',
    });
    await order({ external_id: 'without-lines' });
    expect((await list()).data[0]).toMatchObject({
      external_id: 'without-lines',
      lines_text: '',
      line_count: 0,
    });
  });

  it('filters by status, shop, payment and text, with exact totals', async () => {
    const one = await order({ customer_name: 'Jörg Möller' });
    const two = await order({ shop_id: core.otherShopId, payment_status: 'paid' });
    await move(one, { status: 'awaiting_packing' });
    for (const [query, found] of [
      ['status=awaiting_packing', [one]],
      [`shop_id=${core.otherShopId}`, [two]],
      ['payment_status=paid', [two]],
      ['q=J%C3%96RG', [one]],
      [`status=pending&shop_id=${core.shopId}`, []],
    ] as const) {
      expect([query, await ids(query)]).toEqual([query, found]);
      expect([query, (await list(`${query}&limit=1`)).total]).toEqual([query, found.length]);
    }
    expect(await ids('sort=oldest')).toEqual([one, two]);
    expect(await ids('sort=newest')).toEqual([two, one]);
  });

  it('is walked by cursor, each order once', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => order()));
    const rows = await walkPages(async (cursor) => {
      const page = await list(`limit=2${cursor}`);
      expect(page.total).toBe(5);
      return page;
    });
    expect(rows.map(({ id }) => id).sort()).toEqual([...all].sort());
  });

  it('states since when an order has its status, whatever else changed', async () => {
    const id = await order();
    await move(id, { status: 'awaiting_packing' });
    await test.database.rows(ageHistory, id, 2);
    // A caller may repeat the status that the order already has.
    await move(id, { status: 'awaiting_packing', payment_status: 'paid' });
    const [row] = (await list()).data;
    const hours = (Date.now() - Date.parse(row?.status_since ?? '')) / 3_600_000;
    expect(hours).toBeGreaterThan(1.9);
    expect((await look(id)).status_since).toBe(row?.status_since);
    await move(id, { status: 'shipped' });
    expect(Date.parse((await list()).data[0]?.status_since ?? '')).toBeGreaterThan(Date.now() - 60_000);
  });
});

it('counts the orders of each status exactly, of all shops or of one', async () => {
  const places = await Promise.all(
    ORDER_STATUSES.map((_, place) => order({ shop_id: place % 2 === 0 ? core.shopId : core.otherShopId })),
  );
  await Promise.all(places.map((id, place) => move(id, { status: ORDER_STATUSES[place] ?? 'pending' })));
  await move(await order(), { status: 'shipped' });
  const byStatus = ORDER_STATUSES.map((status) => [status, status === 'shipped' ? 2 : 1]);
  const expected = { ...Object.fromEntries(byStatus), unpaid_due: 0 };
  expect(await counts()).toEqual(expected);
  await foldCounts(test.database, 1_000);
  expect(await counts()).toEqual(expected);
  expect(await counts(`shop_id=${core.shopId}`)).toMatchObject({
    pending: 1,
    awaiting_payment: 0,
    shipped: 2,
  });
});

it('shows another organization nothing, and takes no shop of another one', async () => {
  const id = await order();
  const other = await organization();
  expect(await list('', other)).toEqual({ data: [], total: 0, next_cursor: null });
  const caller = other.staff('clerk');
  const foreign = await other.call(pipeline.getPipelineOrder, { params: { orderId: id }, caller });
  expect([foreign.status, foreign.body.error]).toEqual([404, 'not_found']);
  for (const shop of [core.shopId, newId(), 'none'])
    for (const op of [pipeline.listPipeline, pipeline.countOrders]) {
      const answer = await other.call(op, { query: `shop_id=${shop}`, caller });
      expect([answer.status, answer.body.error]).toEqual([404, 'not_found']);
    }
});

describe('one order', () => {
  it('has its version, which If-Match takes', async () => {
    const id = await order({ customer_name: 'Anna' });
    await move(id, { payment_status: 'paid' });
    const { version } = await look(id);
    expect(version).toBe(2);
    const old = await core.patch(id, { status: 'shipped' }, { ifMatch: `"${version - 1}"` });
    expect([old.status, old.body.error]).toEqual([412, 'precondition_failed']);
    const now = await core.patch(id, { status: 'shipped' }, { ifMatch: `"${version}"` });
    expect(now.status).toBe(200);
  });

  it('names the people and keys of its history, and what they changed', async () => {
    const id = await order({ customer_name: 'Anna', items: [{ name: 'Bediol', qty: 1, price: 1 }] });
    const clerk = core.staff('clerk');
    await move(id, { status: 'awaiting_packing' }, clerk);
    // The name is as before: only the number has changed.
    await core.update(id, { customer_name: 'Anna', order_number: 'B-1', items: [] });
    const { history } = await look(id);
    expect(history.map(({ who, action }) => [who, action])).toEqual([
      ['ERP', 'updated'],
      ['clerk', 'status_changed'],
      ['ERP', 'created'],
    ]);
    expect(history[1]?.changes).toEqual([{ field: 'status', old: 'pending', new: 'awaiting_packing' }]);
    expect(history[0]?.changes).toEqual(
      expect.arrayContaining([
        { field: 'order_number', old: null, new: 'B-1' },
        { field: 'items', old: null, new: null },
      ]),
    );
    expect(history[0]?.changes.map(({ field }) => field)).not.toContain('customer_name');
  });

  it('shows the newest 100 entries', async () => {
    const id = await order();
    await test.database.rows(manyEntries, id);
    const { history } = await look(id);
    expect([history.length, history[0]?.sequence, history.at(-1)?.sequence]).toEqual([100, 151, 52]);
  });
});

describe('a long list', () => {
  const ORDERS = 10_000;

  /** One every 10 minutes, most of them completed; each has had three statuses. */
  const fill = statement<never, [string, string, number, number]>(
    'spec_fill_orders',
    `WITH filled AS (
     INSERT INTO core.orders (id, org_id, shop_id, external_id, order_number, customer_name, total_amount, total_is_given,
       payment_status, shipping_option, status, items, sequence, created_at)
     SELECT gen_random_uuid(), $1, $2, 'order-' || n, 'B-' || n,
       (ARRAY['Anna', 'Jörg', 'Zoë', 'Sören'])[1 + n % 4] || ' Müller' || n, n / 7.0, false,
       CASE WHEN n % 10 = 0 THEN 'pending' ELSE 'paid' END, 'Versand',
       CASE WHEN n % 20 = 0 THEN 'awaiting_packing' ELSE 'completed' END,
       jsonb_build_array(jsonb_build_object('p1_id', 'p-' || n % 50, 'name', 'Bedrocan 22/' || n % 50, 'quantity', n % 15 + 1,
         'price', 9.5), jsonb_build_object('p1_id', NULL, 'name', 'Vaporizer', 'quantity', 1, 'price', 89)),
       3, now() - make_interval(mins => 10 * n)
     FROM generate_series($3::int, $4::int) n
     RETURNING id, status, created_at
   )
   INSERT INTO core.order_history (order_id, sequence, at, actor, action, fields)
   SELECT id, place, created_at + make_interval(mins => place), 'spec', 'status_changed',
     jsonb_build_object('status', (ARRAY['pending', 'awaiting_payment', status])[place])
   FROM filled, generate_series(1, 3) place`,
  );
  const vacuum = statement<never, []>('spec_vacuum', 'VACUUM (ANALYZE) core.orders, core.order_history');

  let long: OrderCoreFixture;

  beforeAll(async () => {
    long = await OrderCoreFixture.make(test.database);
    for (const { orgId, shopId } of [long, await OrderCoreFixture.make(test.database)])
      await inParts(ORDERS, (from, to) => test.database.rows(fill, orgId, shopId, from, to));
    await test.database.rows(vacuum);
  });

  function page(query: Partial<PipelineQuery>, sql: Sql = test.database) {
    return listPipelineRows(sql, long.orgId, Object.assign(new PipelineQuery(), { limit: 200, ...query }));
  }

  /** Of the one statement of a page. */
  async function blocksOf(query: Partial<PipelineQuery>): Promise<number> {
    const blocks = await blocksRead(test.database, (sql) => page(query, sql));
    expect(blocks).toHaveLength(1);
    return blocks[0] ?? NaN;
  }

  it.each([
    [{}, 10_000],
    [{ sort: 'oldest' }, 10_000],
    [{ status: 'awaiting_packing' }, 500],
    [{ payment_status: 'pending' }, 1_000],
  ] as const)('a page of 200 of 10,000 orders (%j) is small and reads little', async (query, total) => {
    const first = await page(query);
    expect([first.data.length, first.total]).toEqual([200, total]);
    expect(gzipSync(JSON.stringify(first)).length).toBeLessThan(25 * 1024);
    expect(await blocksOf(query)).toBeLessThan(4_000);
    expect(await blocksOf({ ...query, cursor: first.next_cursor ?? '' })).toBeLessThan(4_000);
  });
});

const ofRequest = statement<never, [string]>(
  'spec_order_of_request',
  `UPDATE core.orders SET order_request_id = gen_random_uuid() WHERE id = $1`,
);
const ageUnpaid = statement<never, [string, string]>(
  'spec_age_unpaid',
  `UPDATE core.orders SET unpaid_since = unpaid_since - $2::interval WHERE id = $1`,
);

it('finds orders of requests that have waited for their payment for 7 days, in every list and in the counts', async () => {
  const waiting = async (age: string, isOfRequest = true): Promise<string> => {
    const id = await order({ customer_name: 'Wanda' });
    if (isOfRequest) await test.database.rows(ofRequest, id);
    await move(id, { status: 'awaiting_payment' });
    await test.database.rows(ageUnpaid, id, age);
    return id;
  };
  const due = await waiting('7 days');
  const [, , moved] = [await waiting('6 days 23 h'), await waiting('9 days', false), await waiting('9 days')];
  await move(moved, { status: 'awaiting_packing' });
  await move(moved, { status: 'awaiting_payment', force: true });
  expect([await ids('unpaid=due'), await ids('unpaid=due&q=wanda')]).toEqual([[due], [due]]);
  const { body } = await core.call(listOrders, { query: 'unpaid=due' });
  expect([body.data.map(({ id }) => id), body.pagination.total]).toEqual([[due], 1]);
  expect((await core.call(listOrders, { query: 'unpaid=paid' })).status).toBe(400);
  for (const query of ['', 'q=wanda', `shop_id=${core.shopId}`]) {
    const counted = await core.call(pipeline.countOrders, { query, caller: core.staff('clerk') });
    expect(counted.body.unpaid_due).toBe(1);
  }
});
