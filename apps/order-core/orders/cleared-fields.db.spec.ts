import * as api from '@offizin/contracts/orders';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from '../db/schema';
import { OrderCoreFixture } from '../spec-fixture';

/** `null` clears an optional field; one that has a default gets it. */
let test: TestDatabase;
let core: OrderCoreFixture;

beforeAll(async () => {
  test = await testDatabase(orderCoreSchema);
  core = await OrderCoreFixture.make(test.database);
});
afterAll(() => test.close());

type Fields = Record<string, unknown>;

let made = 0;

/** A new order, and two ways to change it. */
async function order(fields: Fields) {
  const key = { shop_id: core.shopId, external_id: `cleared ${++made}` };
  const upsert = (more: Fields) => core.call(api.upsertOrder, { body: { ...key, ...more } });
  const { body } = await upsert(fields);
  const update = (more: Fields) => core.call(api.updateOrder, { params: { orderId: body.id }, body: more });
  return { id: body.id, first: body, ways: { upsert, update } };
}

const LINES = { items: [{ qty: 2, price: 1.15 }] };

describe.each(['upsert', 'update'] as const)('by %s, null', (way) => {
  it('as total makes it the sum of the lines from then on', async () => {
    const { first, ways } = await order({ ...LINES, total_amount: 9 });
    expect(first.total_amount).toBe(9);
    expect((await ways[way]({ total_amount: null })).body.total_amount).toBe(2.3);
    expect((await ways[way]({ items: [{ qty: 1, price: 4 }] })).body.total_amount).toBe(4);
  });

  it('as total with new lines is their sum', async () => {
    const { ways } = await order({ ...LINES, total_amount: 9 });
    const { body } = await ways[way]({ total_amount: null, items: [{ qty: 3, price: 0.1 }] });
    expect(body.total_amount).toBe(0.3);
  });

  it('as total is refused when the lines sum up to more than the maximum amount', async () => {
    const { ways } = await order({ items: [{ qty: 1_000_000, price: 1_000 }], total_amount: 1 });
    const { status, body } = await ways[way]({ total_amount: null });
    expect([status, body.details?.[0]?.field]).toEqual([400, 'total_amount']);
  });

  it('as items removes all lines and keeps a given total', async () => {
    const { ways } = await order(LINES);
    expect((await ways[way]({ items: null })).body).toMatchObject({ items: [], total_amount: 0 });
    const given = await order({ ...LINES, total_amount: 9 });
    expect((await given.ways[way]({ items: null })).body).toMatchObject({ items: [], total_amount: 9 });
  });

  it('as payment status sets the default of the payment method', async () => {
    const { ways } = await order({ payment_status: 'paid' });
    expect((await ways[way]({ payment_status: null })).body.payment_status).toBe('pending');
    const cash = await ways[way]({ payment_status: null, cash_on_pickup: true });
    expect(cash.body.payment_status).toBe('cash_on_pickup');
    const picked = await order({ payment_status: 'paid', cash_on_pickup: true });
    expect((await picked.ways[way]({ payment_status: null })).body.payment_status).toBe('cash_on_pickup');
  });

  it('as a flag sets it to false, and as a text clears it', async () => {
    const { ways } = await order({ shipped: true, shipping_option: 'Versand', payment_reference: 'r' });
    const { body } = await ways[way]({ shipped: null, shipping_option: null, payment_reference: null });
    expect(body).toMatchObject({ shipped: false, shipping_option: null, payment_reference: null });
  });
});

it('null on a new order equals an absent field', async () => {
  const { first } = await order({ total_amount: null, items: null, payment_status: null, shipped: null });
  expect(first).toMatchObject({ total_amount: 0, items: [], payment_status: 'pending', shipped: false });
  const cash = await order({ ...LINES, total_amount: null, payment_status: null, cash_on_pickup: true });
  expect(cash.first).toMatchObject({ total_amount: 2.3, payment_status: 'cash_on_pickup' });
});

it('the history holds the values that null set', async () => {
  const { id, ways } = await order({ ...LINES, total_amount: 9, payment_status: 'paid' });
  await ways.update({ total_amount: null, payment_status: null });
  const { data } = (await core.call(api.orderHistory, { params: { orderId: id } })).body;
  expect(data.at(-1)?.changes).toEqual(
    expect.arrayContaining([
      { field: 'total_amount', old: '9', new: '2.3' },
      { field: 'payment_status', old: 'paid', new: 'pending' },
    ]),
  );
});
