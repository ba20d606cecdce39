import {
  addToInventory,
  adjustInventory,
  inventoryLog,
  type InventoryRow,
  listInventory,
} from '@offizin/contracts/products/inventory';
import { updateProduct } from '@offizin/contracts/products/products';
import { importCatalog } from '@offizin/contracts/products/catalog-import';
import { LIST_SORTS } from '@offizin/contracts/calls/paging';
import { race } from '@offizin/testkit/race';
import { walkPages } from '@offizin/testkit/walk-pages';
import { CatalogFixture, catalogSpec } from '../spec/spec-fixture';

let shop: CatalogFixture;
const test = catalogSpec((made) => (shop = made), { isShared: true });

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const adjust = (p1_id: string, rest: Record<string, unknown>) =>
  shop.call(adjustInventory, { body: { p1_id, reason: 'correction', ...rest } });

describe('adding to the inventory', () => {
  it('answers 201 with the row and 200 with the row as it is when repeated', async () => {
    const p1_id = await shop.product({ price: 4.2 });
    const first = await shop.call(addToInventory, { body: { p1_id, initial_stock: 7 } });
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      p1_id,
      name: 'Blüte 22/1',
      category: 'Blüten',
      price: 4.2,
      stock_quantity: 7,
      reserved_quantity: 0,
      available_quantity: 7,
      low_stock_threshold: 0,
      available: true,
      pzn: null,
      codes: [],
      created_at: expect.stringMatching(ISO),
      updated_at: expect.stringMatching(ISO),
    });
    const again = await shop.call(addToInventory, { body: { p1_id, initial_stock: 99, price: 1 } });
    expect(again).toEqual({ status: 200, body: first.body });
  });

  it('begins with one piece and the price of the catalog', async () => {
    const p1_id = await shop.product();
    const { body } = await shop.call(addToInventory, { body: { p1_id } });
    expect(body).toMatchObject({ stock_quantity: 1, price: 9.5 });
    const priced = await shop.product();
    const own = await shop.call(addToInventory, { body: { p1_id: priced, price: 8.25, initial_stock: 0 } });
    expect(own.body).toMatchObject({ stock_quantity: 0, price: 8.25 });
  });

  it('answers 404 for a product that the catalog lacks and 400 for too much stock', async () => {
    expect((await shop.call(addToInventory, { body: { p1_id: 'nothing' } })).status).toBe(404);
    const p1_id = await shop.product();
    expect((await shop.call(addToInventory, { body: { p1_id, initial_stock: 1_000_001 } })).status).toBe(400);
    expect((await shop.call(addToInventory, { body: { p1_id, initial_stock: -1 } })).status).toBe(400);
  });

  it('makes one row and one log entry from a hundred racing calls', async () => {
    const p1_id = await shop.product();
    const answers = await race(100, () => shop.call(addToInventory, { body: { p1_id, initial_stock: 3 } }));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(99);
    expect(await shop.stockOf(p1_id)).toMatchObject({ stock: 3, log_sum: 3, log_entries: 1 });
  });

  it('gives a product another slug when its slug is taken', async () => {
    const first = await shop.stocked(1, { slug: 'same' });
    const second = await shop.stocked(1, { slug: 'same' });
    const slugs = await Promise.all(
      [first, second].map((p1Id) => shop.call(updateProduct, { params: { p1Id }, body: {} })),
    );
    expect(slugs.map(({ body }) => body.slug)).toEqual(['same', `same-${second}`]);
  });
});

it('shows a product as changed when its values in the catalog were, which the row shows', async () => {
  const [changed, same] = [await shop.stocked(1), await shop.stocked(1)];
  const rowOf = async (p1Id: string, query: string) => {
    const { body } = await shop.call(listInventory, { query: `q=${p1Id}${query}` });
    return body.data[0];
  };
  const before = await rowOf(changed, '');
  await shop.product({ p1_id: changed, price: 12 });
  const after = await rowOf(changed, '');
  expect(after).toMatchObject({ price: 12 });
  expect(Date.parse(after?.updated_at ?? '')).toBeGreaterThan(Date.parse(before?.updated_at ?? ''));
  const since = `&updated_since=${after?.updated_at}`;
  expect(await rowOf(changed, since)).toEqual(after);
  expect(await rowOf(same, since)).toBeUndefined();
});

describe('adjusting the stock', () => {
  it('adds a delta, and sets a quantity only over the expected one', async () => {
    const p1 = await shop.stocked(10);
    const added = await adjust(p1, { delta: 5, reason: 'received' });
    expect(added).toMatchObject({ status: 200, body: { status: 'ok', stock_quantity: 15 } });
    expect(await adjust(p1, { quantity: 8, expected_quantity: 10 })).toMatchObject({
      status: 409,
      body: { error: 'stale_quantity' },
    });
    const set = await adjust(p1, { quantity: 8, expected_quantity: 15 });
    expect(set.body).toMatchObject({ stock_quantity: 8 });
    expect(await shop.stockOf(p1)).toMatchObject({ stock: 8, log_sum: 8, log_entries: 3 });
  });

  it('never goes below zero, nor below what is reserved', async () => {
    const p1 = await shop.stocked(5);
    const refusal = { status: 409, body: { error: 'out_of_stock' } };
    expect(await adjust(p1, { delta: -6 })).toMatchObject(refusal);
    await shop.reserve('0190a000-0000-7000-8000-000000000001', 1, { [p1]: 4 });
    expect(await adjust(p1, { delta: -2 })).toMatchObject(refusal);
    expect(await adjust(p1, { quantity: 3 })).toMatchObject(refusal);
    expect(await adjust(p1, { delta: -1 })).toMatchObject({ status: 200, body: { stock_quantity: 4 } });
  });

  it('answers 404 for a product outside the inventory', async () => {
    expect((await adjust(await shop.product(), { delta: 1 })).status).toBe(404);
  });

  it('applies a reference once, and refuses it for another adjustment', async () => {
    const p1 = await shop.stocked(10);
    const other = await shop.stocked(10);
    const first = await adjust(p1, { delta: 3, reference: 'delivery 7' });
    expect(await adjust(p1, { delta: 3, reference: 'delivery 7' })).toEqual(first);
    expect(await adjust(p1, { delta: 4, reference: 'delivery 7' })).toMatchObject({
      status: 409,
      body: { error: 'reference_conflict' },
    });
    expect((await adjust(other, { delta: 3, reference: 'delivery 7' })).body).toMatchObject({
      stock_quantity: 13,
    });
    expect(await shop.stockOf(p1)).toMatchObject({ stock: 13, log_sum: 13 });
  });

  it('lets one of a hundred racing compare-and-sets win', async () => {
    const p1 = await shop.stocked(1);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => adjust(p1, { quantity: n + 2, expected_quantity: 1 })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('publishes the adjustment, and once that the stock fell to its threshold', async () => {
    const p1 = await shop.stocked(10);
    await shop.call(updateProduct, { params: { p1Id: p1 }, body: { low_stock_threshold: 5 } });
    await adjust(p1, { delta: -4 });
    await adjust(p1, { delta: -1 });
    await adjust(p1, { delta: -1 });
    await adjust(p1, { quantity: 4 });
    const events = await shop.eventsOf(p1);
    expect(events.map(({ event_type, sequence }) => [event_type, sequence])).toEqual([
      ['inventory_adjusted', 1],
      ['product_updated', 2],
      ['inventory_adjusted', 3],
      ['inventory_adjusted', 4],
      ['inventory_low', 5],
      ['inventory_adjusted', 6],
    ]);
  });
});

describe('reading the inventory', () => {
  it('lists pages with exact totals, searches without regard to case, and finds low stock', async () => {
    const org = new CatalogFixture(shop.database);
    for (let n = 0; n < 5; n++) await org.stocked(n, { name: `Öl ${n}% stark` });
    const page = await org.call(listInventory, { query: 'limit=2&page=3' });
    expect(page.body.data).toHaveLength(1);
    expect(page.body.pagination).toMatchObject({ page: 3, pageSize: 2, total: 5, totalPages: 3 });
    const found = await org.call(listInventory, { query: 'q=%C3%96L%203%25' });
    expect(found.body.data.map(({ name }) => name)).toEqual(['Öl 3% stark']);
    const low = await org.call(listInventory, { query: 'low_stock=true' });
    expect(low.body.data.map(({ stock_quantity }) => stock_quantity)).toEqual([0]);
    const fine = await org.call(listInventory, { query: 'low_stock=false' });
    expect(fine.body.pagination.total).toBe(4);
  });

  it('lists the log newest first, with exact totals at every offset', async () => {
    const p1Id = await shop.stocked(1);
    for (let n = 1; n <= 6; n++) await adjust(p1Id, { delta: n, note: `note ${n}`, reference: `ref ${n}` });
    const first = await shop.call(inventoryLog, { params: { p1Id }, query: 'limit=2' });
    expect(first.body.pagination).toMatchObject({ limit: 2, offset: 0, total: 7 });
    expect(first.body.data.map(({ delta, stock_after }) => [delta, stock_after])).toEqual([
      [6, 22],
      [5, 16],
    ]);
    expect(first.body.data[0]).toMatchObject({ note: 'note 6', reference: 'ref 6', actor: 'key-1' });
    const last = await shop.call(inventoryLog, { params: { p1Id }, query: 'limit=3&offset=6' });
    expect(last.body.data.map(({ reason, delta }) => [reason, delta])).toEqual([['received', 1]]);
    const beyond = await shop.call(inventoryLog, { params: { p1Id }, query: 'offset=7' });
    const pagination = { limit: 50, offset: 7, total: 7, next_cursor: null };
    expect(beyond.body).toEqual({ data: [], pagination });
  });

  it('walks the log by cursor, each entry once, while further entries are made', async () => {
    const p1Id = await shop.stocked(1);
    for (let n = 2; n <= 7; n++) await adjust(p1Id, { delta: n });
    const deltas: number[] = [];
    const page = async (query: string): Promise<string | null> => {
      const { body } = await shop.call(inventoryLog, { params: { p1Id }, query });
      deltas.push(...body.data.map(({ delta }) => delta));
      await adjust(p1Id, { delta: 100 });
      return body.pagination.next_cursor;
    };
    let next = await page('limit=3');
    while (next !== null) next = await page(`limit=3&cursor=${next}`);
    expect(deltas).toEqual([7, 6, 5, 4, 3, 2, 1]);
    const other = await shop.stocked(1);
    await adjust(other, { delta: 1 });
    const { body } = await shop.call(inventoryLog, { params: { p1Id: other }, query: 'limit=1' });
    const foreign = body.pagination.next_cursor ?? '';
    for (const query of ['cursor=x', 'cursor=0', `cursor=${foreign}`, `cursor=${foreign}&offset=0`]) {
      expect((await shop.call(inventoryLog, { params: { p1Id }, query })).status).toBe(400);
    }
  });

  it.each(['nothing', 'x'.repeat(256), 'a\0b'])('answers 404 for the log of %j', async (p1Id) => {
    expect((await shop.call(inventoryLog, { params: { p1Id } })).status).toBe(404);
  });
});

describe('the inventory list', () => {
  /** Of five products, in the order in which they were added. */
  let ids: string[];

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

  const walk = (query: string, meanwhile?: (page: number) => unknown) =>
    walkPages((cursor) => list(query + cursor), meanwhile);

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
      ['cursor', `low_stock=false&cursor=${plain}`],
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
});
