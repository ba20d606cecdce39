import type { Caller } from '@offizin/contracts/calls/caller';
import { upsertOrders } from '@offizin/contracts/orders/order-batches';
import { updateOrder, upsertOrder } from '@offizin/contracts/orders/orders';
import { type FourEyes, setReviewSettings } from '@offizin/contracts/requests/review-settings';
import { coreSpec } from '../../spec/core-spec';
import { type OrderCoreFixture, orderHandlers } from '../../spec/spec-fixture';
import { ReviewSettingsHandlers } from './review-settings.handlers';
import { handlersIn } from '@offizin/testkit/handlers-in';

const facts = { in_inventory: true, category: null, cbd: null, available: 9, price: 9.95 };
const product = (p1_id: string, thc: string) => ({ ...facts, p1_id, name: p1_id, thc });
const KNOWN = [product('flower', '22'), product('oil', '0')];
const PRODUCTS = {
  productsOf: (_: Caller, ids: readonly string[]) =>
    Promise.resolve(KNOWN.filter(({ p1_id }) => ids.includes(p1_id))),
};

let core: OrderCoreFixture;
coreSpec((made) => (core = made), {
  further: (database) => [
    ...orderHandlers(database, undefined, PRODUCTS),
    ...handlersIn(new ReviewSettingsHandlers(database)),
  ],
});

async function choose(four_eyes: FourEyes, version = 0): Promise<void> {
  const rules = { marks: [], marks_only_for_thc: true, amber_days: 28, red_days: 90, templates: [] };
  const body = { ...rules, four_eyes, version };
  const { status } = await core.call(setReviewSettings, { body, caller: core.staff('owner') });
  expect(status).toBe(200);
}

it('keeps controlled lines out of an order that one person writes, by any call; a key may, and harmless ones pass', async () => {
  await choose('controlled');
  const clerk = core.staff('clerk');
  const oil = { p1_id: 'oil', name: 'oil', qty: 2, price: 9.95 };
  const key = { shop_id: core.shopId, external_id: 'by-hand' };
  const upsert = (items: object[], caller?: Caller) =>
    core.call(upsertOrder, { body: { ...key, customer_name: 'Ada', items }, caller });
  const made = await upsert([oil], clerk);
  expect(made.status).toBe(201);
  const params = { orderId: made.body.id };
  const put = (items: object[]) => core.call(updateOrder, { params, body: { items }, caller: clerk });
  const flower = { p1_id: 'flower', name: 'flower', qty: 1, price: 9.95 };
  const refused = [
    flower,
    { ...oil, name: 'flower' },
    { ...oil, p1_id: 'new' },
    { ...oil, p1_id: undefined },
  ];
  for (const line of refused) {
    for (const { status, body } of [await put([oil, line]), await upsert([oil, line], clerk)]) {
      expect([status, body]).toEqual([409, expect.objectContaining({ error: 'second_approval_needed' })]);
    }
  }
  const batch = await core.call(upsertOrders, {
    body: { orders: [{ ...key, external_id: 'other', customer_name: 'Ada', items: [flower] }] },
    caller: clerk,
  });
  expect(batch.body.results).toMatchObject([{ status: 'error', error: 'second_approval_needed' }]);
  expect((await put([{ ...oil, qty: 9 }])).status).toBe(200);
  expect((await upsert([oil, flower])).status).toBe(200);
  expect((await put([flower, { ...oil, qty: 3 }])).status).toBe(200);
  expect((await put([flower, flower])).status).toBe(409);
  await choose('off', 1);
  expect((await put([{ ...flower, qty: 50 }])).status).toBe(200);
});
