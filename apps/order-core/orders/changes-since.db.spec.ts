import * as api from '@offizin/contracts/orders';
import { BACKGROUND_TRANSACTION_MS, statement } from '@offizin/pg/database';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from '../db/schema';
import { OrderCoreFixture } from '../spec-fixture';

/** Why a caller asks for changes from a minute before the last one that it has. */
const OVERLAP_MS = 60_000;
let test: TestDatabase;

beforeAll(async () => {
  test = await testDatabase(orderCoreSchema);
});
afterAll(() => test.close());

const rename = statement<never, [string]>(
  'spec_rename_order',
  `UPDATE core.orders SET customer_name = 'renamed', updated_at = now() WHERE id = $1`,
);

it('finds a change that began before the last one that was seen, and was committed after it', async () => {
  const core = await OrderCoreFixture.make(test.database);
  const upsert = async (external_id: string, fields: object = {}): Promise<api.OrderDetail> =>
    (await core.call(api.upsertOrder, { body: { shop_id: core.shopId, external_id, ...fields } })).body;
  const changedSince = async (since: string): Promise<string[]> => {
    const query = new URLSearchParams({ sort: 'updated_at', updated_since: since }).toString();
    const { body } = await core.call(api.listOrders, { query });
    return body.data.map((order) => `${order.external_id} ${order.customer_name}`);
  };
  const { id } = await upsert('slow');
  await upsert('quick');
  const seen = await test.database.transaction(async (tx) => {
    await tx.rows(rename, id);
    return (await upsert('quick', { customer_name: 'changed' })).updated_at;
  });
  expect(await changedSince(seen)).not.toContain('slow renamed');
  const earlier = new Date(Date.parse(seen) - OVERLAP_MS).toISOString();
  expect(await changedSince(earlier)).toContain('slow renamed');
});

it('lets no transaction that writes be older than that', () => {
  expect(BACKGROUND_TRANSACTION_MS).toBeLessThanOrEqual(OVERLAP_MS);
});
