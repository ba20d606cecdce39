import { importCatalog } from '@offizin/contracts/catalog-import';
import { adjustInventory, type InventoryRow, listInventory } from '@offizin/contracts/inventory';
import { LIST_SORTS } from '@offizin/contracts/paging';
import { updateProduct } from '@offizin/contracts/products';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { catalogSchema } from '../db/catalog-schema';
import { CatalogFixture } from '../spec-fixture';

let test: TestDatabase;
let shop: CatalogFixture;
/** Of five products, in the order in which they were added. */
let ids: string[];

beforeAll(async () => {
  test = await testDatabase(catalogSchema);
});
afterAll(() => test.close());
beforeEach(async () => {
  shop = new CatalogFixture(test.database);
  ids = [];
  for (let n = 0; n < 5; n += 1) ids.push(await shop.stocked(10));
});

async function list(query = '') {
  const { status, body } = await shop.call(listInventory, { query });
  expect([query, status]).toEqual([query, 200]);
  return body;
}

const idsOf = (rows: readonly InventoryRow[]): string[] => rows.map(({ p1_id }) => p1_id);
const adjust = (p1_id: string | undefined, delta: number) =>
  shop.call(adjustInventory, { body: { p1_id, delta, reason: 'correction' } });

/** Every row of a walk by cursor, and what happens between its pages. */
async function walk(
  query: string,
  meanwhile: (page: number) => Promise<unknown> = () => Promise.resolve(),
): Promise<InventoryRow[]> {
  const rows: InventoryRow[] = [];
  let cursor: string | null = '';
  for (let page = 1; cursor !== null; page += 1) {
    const { data, pagination } = await list(cursor === '' ? query : `${query}&cursor=${cursor}`);
    rows.push(...data);
    cursor = pagination.next_cursor;
    if (cursor !== null) await meanwhile(page);
  }
  return rows;
}

it('is in the order that was asked for', async () => {
  const [first = '', ...others] = ids;
  await adjust(first, 1);
  expect(idsOf((await list()).data)).toEqual([...ids].sort());
  expect(idsOf((await list('sort=created_at')).data)).toEqual(ids);
  expect(idsOf((await list('sort=-created_at')).data)).toEqual([...ids].reverse());
  expect(idsOf((await list('sort=updated_at')).data)).toEqual([...others, first]);
  expect(idsOf((await list('sort=-updated_at')).data)).toEqual([first, ...others.reverse()]);
});

it.each(['', ...LIST_SORTS.map((sort) => `sort=${sort}`), 'q=e', 'updated_since=2020-01-01T00:00:00Z'])(
  'is the same by cursor, by page and in one piece: %j',
  async (query) => {
    // Equal times: one import writes all of them.
    const lines = ids.map((p1_id) => ({ p1_id, name: 'Renamed', price: 1 }));
    expect((await shop.call(importCatalog, { body: { lines } })).body.updated).toBe(5);
    const whole = await list(query);
    expect(whole.pagination).toEqual({ page: 1, pageSize: 50, total: 5, totalPages: 1, next_cursor: null });
    expect(await walk(`${query}&limit=2`)).toEqual(whole.data);
    const pages = [1, 2, 3, 4].map(async (page) => (await list(`${query}&limit=2&page=${page}`)).data);
    expect((await Promise.all(pages)).flat()).toEqual(whole.data);
  },
);

it('shows every product that changes while it is walked by the time of changes with its last stock', async () => {
  const seen = new Map<string, number>();
  const rows = await walk('sort=updated_at&limit=2', async (page) => {
    // Ever fewer, so that the walk ends.
    await Promise.all(ids.slice(page).map((p1Id) => adjust(p1Id, page)));
    if (page === 1) ids.push(await shop.stocked(10));
    if (page === 2) await shop.call(updateProduct, { params: { p1Id: ids[0] ?? '' }, body: { price: 3 } });
  });
  for (const { p1_id, stock_quantity } of rows) seen.set(p1_id, stock_quantity);
  const { data } = await list();
  expect(data).toHaveLength(6);
  expect(seen).toEqual(new Map(data.map(({ p1_id, stock_quantity }) => [p1_id, stock_quantity])));
  expect(rows.findLast(({ p1_id }) => p1_id === ids[0])).toMatchObject({ price: 3 });
  expect(idsOf(rows).length).toBeGreaterThan(6);
});

it('shows each product once while it is walked by id', async () => {
  const rows = await walk('limit=2', () => adjust(ids[0], 1));
  expect(idsOf(rows)).toEqual([...ids].sort());
});

it('holds what was added, and what was changed, within a time', async () => {
  const added = (await list('sort=created_at')).data.map(({ created_at }) => created_at);
  const within = `created_from=${added[1]}&created_to=${added[3]}&sort=created_at`;
  expect(idsOf((await list(within)).data)).toEqual(ids.slice(1, 3));
  await adjust(ids[2], 1);
  const [last] = (await list('sort=-updated_at&limit=1')).data;
  const since = await list(`updated_since=${last?.updated_at}&sort=updated_at`);
  expect([since.data, since.pagination.total]).toEqual([[last], 1]);
});

it('refuses cursors of other orders, and a cursor with a page', async () => {
  const cursorOf = async (query: string) => (await list(`${query}&limit=1`)).pagination.next_cursor ?? '';
  const [plain, byChange] = [await cursorOf(''), await cursorOf('sort=updated_at')];
  for (const [field, query] of [
    ['cursor', `cursor=${byChange}`],
    ['cursor', `sort=updated_at&cursor=${plain}`],
    ['cursor', `sort=-updated_at&cursor=${byChange}`],
    ['cursor', 'cursor=nonsense'],
    ['page', `page=2&cursor=${plain}`],
    ['sort', 'sort=stock_quantity'],
    ['created_to', 'created_to=tomorrow'],
  ]) {
    const answer = await shop.call(listInventory, { query });
    expect([query, answer.status]).toEqual([query, 400]);
    expect(answer.body).toMatchObject({ details: [{ field }] });
  }
});

it('has nothing of another organization', async () => {
  const other = new CatalogFixture(test.database);
  for (const query of ['', 'sort=updated_at', 'updated_since=2020-01-01T00:00:00Z']) {
    expect((await other.call(listInventory, { query })).body).toMatchObject({
      data: [],
      pagination: { total: 0 },
    });
  }
  const own = await list('limit=1');
  const foreign = { query: `cursor=${own.pagination.next_cursor}` };
  expect((await other.call(listInventory, foreign)).body.data).toEqual([]);
});
