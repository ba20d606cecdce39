import * as api from '@offizin/contracts/orders/orders';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from '../../db/schema';
import { OrderCoreFixture } from '../../spec/spec-fixture';

/** A value that is read back equals the one that was sent, so that sending it again changes nothing. */
let test: TestDatabase;
let core: OrderCoreFixture;

beforeAll(async () => {
  test = await testDatabase(orderCoreSchema);
  core = await OrderCoreFixture.make(test.database);
});
afterAll(() => test.close());

const upsert = (externalId: string, body: object) =>
  core.call(api.upsertOrder, { body: { shop_id: core.shopId, external_id: externalId, ...body } });

it.each([
  ['2026-01-31T12:00:00.123456Z', '2026-01-31T12:00:00.123Z'],
  ['2026-12-31T23:59:59.9999999Z', '2026-12-31T23:59:59.999Z'],
  ['2026-12-31T23:59:59.999999999+01:00', '2026-12-31T22:59:59.999Z'],
])('cuts the time %s to milliseconds', async (sent, stored) => {
  const { body: made } = await upsert(sent, { order_datetime: sent });
  expect(made.order_datetime).toBe(stored);
  const again = await upsert(sent, { order_datetime: stored });
  expect([again.status, again.headers['etag']]).toEqual([200, (await upsert(sent, {})).headers['etag']]);
  const { body: history } = await core.call(api.orderHistory, { params: { orderId: made.id } });
  expect(history.data).toHaveLength(1);
});

it('keeps the price of a line without binary noise', async () => {
  const items = [{ name: 'Öl', qty: 1, price: 0.1 + 0.2 }];
  const { body: made } = await upsert('noise', { items });
  expect(made.items).toMatchObject([{ price: 0.3 }]);
  await upsert('noise', { items: [{ name: 'Öl', qty: 1, price: 0.3 }] });
  const { body: history } = await core.call(api.orderHistory, { params: { orderId: made.id } });
  expect(history.data).toHaveLength(1);
});
