import { MAX_BATCH_MEMBERS } from '@offizin/contracts/batches';
import { adjustInventory, inventoryLog } from '@offizin/contracts/inventory';
import { adjustInventories } from '@offizin/contracts/inventory-batches';
import { statement } from '@offizin/pg/database';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { catalogSchema } from '../db/catalog-schema';
import { CatalogFixture } from '../spec-fixture';

/** Batches of stock changes: each member has its own outcome, and all that took effect is one commit. */
let test: TestDatabase;
let shop: CatalogFixture;

beforeAll(async () => {
  test = await testDatabase(catalogSchema);
});
beforeEach(() => {
  shop = new CatalogFixture(test.database);
});
afterAll(() => test.close());

const adjust = (adjustments: unknown, on = shop) => on.call(adjustInventories, { body: { adjustments } });
const received = (p1_id: string, delta: number, more: object = {}) => ({
  p1_id,
  delta,
  reason: 'received',
  ...more,
});

const changesByTransaction = statement<{ changes: number }, [string[]]>(
  'spec_changes_by_transaction',
  `SELECT count(*)::int AS changes FROM catalog.stock_log WHERE p1_id = ANY($1) AND delta = 2 GROUP BY xmin::text`,
);

it('gives each member its own outcome, wrong ones among right ones', async () => {
  const other = new CatalogFixture(test.database);
  const [mine, scarce, theirs] = [await shop.stocked(5), await shop.stocked(1), await other.stocked(7)];
  const { status, body } = await adjust([
    received(mine, 2),
    received(theirs, 1),
    received(mine, 1.5, { surprise: 1, reason: 'whim', note: 7 }),
    { p1_id: mine, reason: 'correction' },
    null,
    { p1_id: scarce, delta: -2, reason: 'sold' },
    { p1_id: scarce, quantity: 1, reason: 'correction' },
    { p1_id: mine, quantity: 9, expected_quantity: 7, reason: 'correction' },
    { p1_id: mine, quantity: 1, expected_quantity: 7, reason: 'correction' },
  ]);
  expect(status).toBe(200);
  const refused = { status: 'error', id: null, stock_quantity: null };
  expect(body.results).toMatchObject([
    { index: 0, status: 'updated', id: expect.any(String), stock_quantity: 7 },
    { index: 1, ...refused, error: 'not_found' },
    { index: 2, ...refused, error: 'invalid_request' },
    { index: 3, ...refused, error: 'invalid_request', details: [{ field: 'delta' }] },
    { index: 4, ...refused, error: 'invalid_request' },
    { index: 5, ...refused, error: 'out_of_stock' },
    { index: 6, status: 'unchanged', id: expect.any(String), stock_quantity: 1 },
    { index: 7, status: 'updated', stock_quantity: 9 },
    { index: 8, ...refused, error: 'stale_quantity' },
  ]);
  expect(body.results[2]?.details).toHaveLength(3);
  expect(await shop.stockOf(mine)).toMatchObject({ stock: 9, log_sum: 9, log_entries: 3 });
  expect(await other.stockOf(theirs)).toMatchObject({ stock: 7, log_entries: 1 });
});

it('writes log entry and event of each, as the single call does, and a reference counts once', async () => {
  const p1 = await shop.stocked(1);
  const batch = [received(p1, 2, { reference: 'LS-1', note: 'Regal 3' }), received(p1, 4)];
  const { body } = await adjust(batch);
  const { body: again } = await adjust(batch.slice(0, 1));
  expect(again.results).toEqual([{ ...body.results[0], status: 'unchanged', stock_quantity: 7 }]);
  const { body: log } = await shop.call(inventoryLog, { params: { p1Id: p1 } });
  expect(log.data.slice(0, 2)).toMatchObject([
    { id: body.results[1]?.id, delta: 4, stock_after: 7 },
    { id: body.results[0]?.id, delta: 2, stock_after: 3, reference: 'LS-1', note: 'Regal 3', actor: 'key-1' },
  ]);
  expect(await shop.eventsOf(p1)).toMatchObject([{ sequence: 1 }, { sequence: 2 }, { sequence: 3 }]);
});

it('takes 500 members, and refuses none and 501 as a whole', async () => {
  const products = await Promise.all(Array.from({ length: 20 }, () => shop.stocked(0)));
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => received(products[index % products.length] ?? '', 1));
  const { body } = await adjust(many(MAX_BATCH_MEMBERS));
  expect(new Set(body.results.map(({ id }) => id)).size).toBe(MAX_BATCH_MEMBERS);
  for (const p1 of products) expect(await shop.stockOf(p1)).toMatchObject({ stock: 25, log_sum: 25 });
  for (const members of [[], many(MAX_BATCH_MEMBERS + 1), 'stock', undefined]) {
    const answer = await adjust(members);
    expect([answer.status, answer.body]).toMatchObject([400, { details: [{ field: 'adjustments' }] }]);
  }
});

it('changes 500 products in one transaction', async () => {
  const products = await shop.stockedMany(MAX_BATCH_MEMBERS, 1);
  const { status, body } = await adjust(products.map((p1) => received(p1, 2)));
  expect([status, new Set(body.results.map((result) => result.status))]).toEqual([200, new Set(['updated'])]);
  const changes = await test.database.rows(changesByTransaction, products);
  expect(changes).toEqual([{ changes: MAX_BATCH_MEMBERS }]);
});

it('loses and doubles nothing when 50 batches race with single calls over the same products', async () => {
  const products = await Promise.all(Array.from({ length: 10 }, () => shop.stocked(0)));
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_, round) => {
      const batch = products.map((p1) => received(p1, 1));
      const single = { body: received(products[round % products.length] ?? '', 1) };
      const [{ body }, alone] = await Promise.all([
        adjust(round % 2 ? batch.reverse() : batch),
        shop.call(adjustInventory, single),
      ]);
      return [...body.results.map(({ status }) => status), alone.status];
    }),
  );
  expect(answers).toEqual(answers.map(() => [...products.map(() => 'updated'), 200]));
  for (const p1 of products)
    expect(await shop.stockOf(p1)).toMatchObject({ stock: 55, log_sum: 55, log_entries: 55, last_entry: 55 });
});
