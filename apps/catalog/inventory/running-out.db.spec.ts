import { adjustInventory } from '@offizin/contracts/inventory';
import { listRunningOut, MAX_RUNNING_OUT } from '@offizin/contracts/stock';
import { type Database, statement } from '@offizin/pg/database';
import { testDatabase } from '@offizin/testkit/database';
import { catalogSchema } from '../db/catalog-schema';
import { CatalogFixture } from '../spec-fixture';

let database: Database;
let close: () => Promise<void>;
let shop: CatalogFixture;

beforeAll(async () => {
  ({ database, close } = await testDatabase(catalogSchema));
});
afterAll(() => close());
beforeEach(() => {
  shop = new CatalogFixture(database);
});

/** Moves all that has happened to a product so far into the past. */
const age = statement<never, [string, string, number]>(
  'spec_age_stock',
  `WITH log AS (UPDATE catalog.stock_log SET created_at = created_at - make_interval(days => $3)
     WHERE org_id = $1 AND p1_id = $2)
   UPDATE catalog.inventory SET created_at = created_at - make_interval(days => $3) WHERE org_id = $1 AND p1_id = $2`,
);

async function adjust(p1_id: string, delta: number, reason = 'sold'): Promise<void> {
  const { status } = await shop.call(adjustInventory, { body: { p1_id, delta, reason } });
  expect(status).toBe(200);
}

async function found({ orgId } = shop) {
  const { status, body } = await shop.call(listRunningOut, {
    caller: { ...shop.staff('pharmacist'), orgId },
  });
  expect(status).toBe(200);
  return body;
}

it('says how many whole days the available stock lasts, by what was sold in 28 days', async () => {
  const [soon, later, unsold, slow] = [
    await shop.stocked(100, { name: 'Bald' }),
    await shop.stocked(100, { name: 'Später' }),
    await shop.stocked(1, { name: 'Unverkauft' }),
    await shop.stocked(100, { name: 'Langsam' }),
  ];
  for (const p1Id of [soon, later, unsold, slow]) await database.rows(age, shop.orgId, p1Id, 100);
  // Sold too long ago, and what was not sold: neither counts.
  await adjust(later, -10);
  await database.rows(age, shop.orgId, later, 29);
  await adjust(unsold, -1, 'damaged');
  await adjust(soon, -56);
  await adjust(later, -60);
  await adjust(slow, -3);
  const { data, total } = await found();
  expect(data).toEqual([
    { p1_id: later, name: 'Später', available_quantity: 30, sold: 60, days_left: 14 },
    { p1_id: soon, name: 'Bald', available_quantity: 44, sold: 56, days_left: 22 },
  ]);
  expect(total).toBe(2);
});

it('measures a product that is younger than 28 days by its own days', async () => {
  const p1Id = await shop.stocked(20);
  await database.rows(age, shop.orgId, p1Id, 2);
  await adjust(p1Id, -6);
  // Three days that have begun, two pieces a day.
  expect((await found()).data).toEqual([expect.objectContaining({ sold: 6, days_left: 7 })]);
});

it('lists the first ones with the exact number of all, and none of another organization', async () => {
  for (let count = 0; count < MAX_RUNNING_OUT + 2; count += 1) await adjust(await shop.stocked(2), -1);
  const { data, total } = await found();
  expect([data.length, total]).toEqual([MAX_RUNNING_OUT, MAX_RUNNING_OUT + 2]);
  expect(await found(new CatalogFixture(database))).toEqual({ data: [], total: 0 });
});
