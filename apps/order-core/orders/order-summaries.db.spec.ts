import * as api from '@offizin/contracts/orders';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from '../db/schema';
import { OrderCoreFixture } from '../spec-fixture';
import { upsertOrders } from './orders.store';

/** The stored summary of each order must equal the text that the list would compute, however the order was written. */
let test: TestDatabase;
let core: OrderCoreFixture;

beforeEach(async () => {
  test = await testDatabase(orderCoreSchema);
  core = await OrderCoreFixture.make(test.database);
});
afterEach(() => test.close());

async function upsert(externalId: string, fields: Record<string, unknown> = {}): Promise<string> {
  const body = { shop_id: core.shopId, external_id: externalId, ...fields };
  return (await core.call(api.upsertOrder, { body })).body.id;
}

async function sql(text: string, ...values: unknown[]): Promise<void> {
  await test.database.dataSource.query(text, values);
}

/** Compares the items of the list with the orders. */
async function expectTrueList(): Promise<void> {
  expect(await core.falseSummaries()).toEqual([]);
  const { data } = (await core.call(api.listOrders, { query: 'limit=200' })).body;
  for (const item of data) {
    const { body: order } = await core.call(api.getOrder, { params: { orderId: item.id } });
    expect(order).toMatchObject(item);
  }
}

async function listed(orderId: string) {
  const { data } = (await core.call(api.listOrders, { query: 'limit=200' })).body;
  return data.find(({ id }) => id === orderId);
}

const ODD_NAMES = ['', '"', '\\', '\n\t\u0001', 'Jörg Ünal', '},\n{"id":"', '💊', 'null'];

it.each(ODD_NAMES)('is correct for a new and a changed order with the name %j', async (name) => {
  const made = await upsert(`made ${name}`, { customer_name: name, items: [{ qty: 2, price: 1.15 }] });
  const changed = await upsert('changed', { total_amount: 10 });
  await upsert('changed', { customer_name: name, payment_status: 'paid', total_amount: 10.5 });
  await expectTrueList();
  expect(await listed(made)).toMatchObject({ customer_name: name, total_amount: 2.3 });
  expect(await listed(changed)).toMatchObject({ customer_name: name, total_amount: 10.5 });
});

it('is correct after each way to change an order: batch, id, status, cleared fields', async () => {
  const orders = ['a', 'b', 'c'].map((externalId) => core.upsertMember(externalId, { customer_name: 'A' }));
  await upsertOrders(test.database, orders);
  await upsertOrders(test.database, [
    core.upsertMember('b', { customer_name: 'B' }),
    core.upsertMember('d', { customer_name: 'D' }),
  ]);
  const orderId = await upsert('e', { customer_name: 'E' });
  const params = { orderId };
  await core.call(api.updateOrder, { params, body: { customer_name: 'F', total_amount: 3 } });
  await expectTrueList();
  await core.call(api.patchOrderStatus, { params, body: { status: 'awaiting_packing' } });
  await core.call(api.patchOrderStatus, { params, body: { payment_status: 'paid' } });
  await expectTrueList();
  expect(await listed(orderId)).toMatchObject({ status: 'awaiting_packing', payment_status: 'paid' });
  await core.call(api.updateOrder, { params, body: { customer_name: null, total_amount: null } });
  await expectTrueList();
  expect(await listed(orderId)).toMatchObject({ customer_name: null, total_amount: 0 });
});

/** Listed columns that plain SQL may set. */
const BY_HAND: [string, string][] = [
  ['external_id', `'by "hand"'`],
  ['status', `'shipped'`],
  ['shop_id', `'00000000-0000-7000-8000-000000000001'`],
  ['customer_name', `E'by\\nhand'`],
  ['customer_name', 'NULL'],
  ['total_amount', '1234567.80'],
  ['payment_status', `'failed'`],
  ['created_at', `'2026-01-01T00:00:00.000999Z'`],
  ['updated_at', `'2026-01-01T00:00:00Z'`],
  ['summary', `'{"id":"forged"}'`],
];

it.each(BY_HAND)('is correct when plain SQL sets %s to %s', async (column, value) => {
  await upsert('a', { customer_name: 'A' });
  await sql(`UPDATE core.orders SET ${column} = ${value}`);
  expect(await core.falseSummaries()).toEqual([]);
  expect((await core.call(api.listOrders)).body.data).toHaveLength(1);
});

it('is correct for orders that one plain statement inserts', async () => {
  await sql(
    `INSERT INTO core.orders (id, org_id, shop_id, external_id, total_amount, total_is_given, payment_status, status, items)
     SELECT gen_random_uuid(), $1, $2, 'hand-' || n, n / 10.0, false, 'paid', 'pending', '[]' FROM generate_series(1, 100) n`,
    core.orgId,
    core.shopId,
  );
  await expectTrueList();
});
