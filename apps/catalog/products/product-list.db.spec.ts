import { v7 as uuidv7 } from 'uuid';
import { importCatalog } from '@offizin/contracts/products/catalog-import';
import { adjustInventory, listInventory } from '@offizin/contracts/products/inventory';
import { LIST_SORTS } from '@offizin/contracts/calls/paging';
import {
  attachProduct,
  DETACHED_SHOWN_DAYS,
  detachProduct,
  listForPartner,
  listProducts,
  overrideProduct,
  type ProductSummary,
  updateProduct,
} from '@offizin/contracts/products/products';
import { statement } from '@offizin/pg/database';
import { race } from '@offizin/testkit/race';
import { walkPages } from '@offizin/testkit/walk-pages';
import { CatalogFixture, catalogSpec } from '../spec/spec-fixture';

let shop: CatalogFixture;
const test = catalogSpec((made) => (shop = made));

const CHANGES = 'sort=updated_at';
const LONG_AGO = '2020-01-01T00:00:00Z';

const attach = (p1_id: string) => shop.call(attachProduct, { body: { shop_id: shop.shopId, p1_id } });
const detach = (p1_id: string) => shop.call(detachProduct, { body: { shop_id: shop.shopId, p1_id } });

async function attached(name: string): Promise<string> {
  const p1Id = await shop.stocked(1, { name });
  expect((await attach(p1Id)).status).toBe(201);
  return p1Id;
}

async function list(query = '', { orgId, shopId }: { orgId: string; shopId: string } = shop) {
  const requested = { query: `shop_id=${shopId}&${query}`, caller: shop.key(orgId) };
  const { status, body } = await shop.call(listProducts, requested);
  expect([query, status]).toEqual([query, 200]);
  return body;
}

const idsOf = (rows: readonly ProductSummary[]): string[] => rows.map(({ p1_id }) => p1_id);

const walk = (query: string, meanwhile?: (page: number) => unknown) =>
  walkPages((cursor) => list(query + cursor), meanwhile);

const backdate = statement<never, [string, string, number]>(
  'spec_backdate_shop_product',
  `UPDATE catalog.shop_products SET updated_at = now() - make_interval(secs => $3) WHERE shop_id = $1 AND p1_id = $2`,
);

const forPartner = async (body: object = {}, status = 200) => {
  const sent = { org_id: shop.orgId, shop_id: shop.shopId, ...body };
  const answer = await shop.call(listForPartner, { body: sent });
  expect([body, answer.status]).toEqual([body, status]);
  return answer.body;
};
const adjust = (p1_id: string, delta: number) =>
  shop.call(adjustInventory, { body: { p1_id, delta, reason: delta < 0 ? 'correction' : 'received' } });

describe('what a partner sees', () => {
  it('is the product as the shop shows it, without a number of pieces', async () => {
    const p1Id = await shop.stocked(7, { name: 'Tee', thc: 20, pzn: '3752864' });
    const overrides = { price: 8.25, name: 'Tee, lose' };
    await shop.call(attachProduct, { body: { shop_id: shop.shopId, p1_id: p1Id, overrides } });
    await shop.stocked(5);
    const { data, pagination } = await forPartner();
    expect(pagination).toEqual({ limit: 50, next_cursor: null });
    expect(data).toEqual([
      {
        p1_id: p1Id,
        name: 'Tee, lose',
        category: 'Blüten',
        price: 8.25,
        thc: 20,
        cbd: null,
        available: true,
        stock: 'in_stock',
        pzn: '03752864',
        updated_at: expect.any(String),
        detached_at: null,
      },
    ]);
    expect((await forPartner({ shop_id: shop.otherShopId })).data).toEqual([]);
    expect((await forPartner({ org_id: new CatalogFixture(test.database).orgId })).data).toEqual([]);
  });

  it('changes with the class of the stock that no order holds, and with nothing else about it', async () => {
    const p1Id = await shop.stocked(9);
    await attach(p1Id);
    await shop.call(updateProduct, { params: { p1Id }, body: { low_stock_threshold: 3 } });
    const seen: unknown[] = [await forPartner()];
    const classAfter = async (change: Promise<{ status: number }>): Promise<string> => {
      expect((await change).status).toBe(200);
      seen.push(await forPartner());
      const [row] = (await forPartner({ updated_since: LONG_AGO })).data;
      expect({ data: [row] }).toMatchObject({ data: (seen.at(-1) as { data: unknown[] }).data });
      return row?.stock ?? '';
    };
    expect(await classAfter(adjust(p1Id, -4))).toBe('in_stock');
    expect(seen[1]).toEqual(seen[0]);
    expect(await classAfter(shop.reserve(uuidv7(), 1, { [p1Id]: 2 }))).toBe('low');
    expect(await classAfter(adjust(p1Id, -2))).toBe('low');
    expect(seen[3]).toEqual(seen[2]);
    expect(await classAfter(shop.reserve(uuidv7(), 1, { [p1Id]: 1 }))).toBe('none');
    expect(await classAfter(adjust(p1Id, 4))).toBe('in_stock');
    const lower = shop.call(updateProduct, { params: { p1Id }, body: { low_stock_threshold: 4 } });
    expect(await classAfter(lower)).toBe('low');
    expect(new Set(seen.map((page) => JSON.stringify(page))).size).toBe(5);
  });

  it('shows again what changes while the changes are walked, and what was detached and came back', async () => {
    const ids = await shop.stockedMany(5, 1);
    for (const p1Id of ids) await attach(p1Id);
    const [first = '', second = '', third = ''] = ids;
    const changes = async (cursor?: string) =>
      forPartner({ updated_since: LONG_AGO, limit: 2, ...(cursor && { cursor }) });
    const seen = await walkPages(
      (_, cursor) => changes(cursor),
      async (turn) => {
        if (turn === 1) await adjust(first, -1);
        if (turn === 1) await detach(second);
        if (turn === 2) await shop.call(updateProduct, { params: { p1Id: third }, body: { price: 1 } });
      },
    );
    expect(seen.map(({ p1_id }) => p1_id)).toEqual([...ids, first, second, third]);
    expect(seen[5]).toMatchObject({ stock: 'none', detached_at: null });
    const gone = seen[6];
    const unknown = { name: null, category: null, price: null, thc: null, cbd: null, stock: null, pzn: null };
    const when = { updated_at: gone?.updated_at, detached_at: gone?.updated_at };
    expect(gone).toEqual({ p1_id: second, ...unknown, available: false, ...when });
    expect((await forPartner()).data.map(({ p1_id }) => p1_id)).not.toContain(second);
    await adjust(second, 5);
    await shop.call(updateProduct, { params: { p1Id: second }, body: { name: 'Later', price: 2, thc: 9 } });
    expect((await forPartner({ updated_since: gone?.updated_at })).data[0]).toEqual(gone);
    await attach(second);
    const back = (await forPartner({ updated_since: gone?.updated_at })).data.at(-1);
    expect(back).toMatchObject({ p1_id: second, available: true, stock: 'in_stock', detached_at: null });
    await detach(second);
    await test.database.rows(backdate, shop.shopId, second, DETACHED_SHOWN_DAYS * 86_400 + 1);
    expect((await changes()).data.map(({ p1_id }) => p1_id)).not.toContain(second);
  });

  it('is walked by a cursor of this shop and this filter only', async () => {
    for (const p1Id of await shop.stockedMany(3, 1)) await attach(p1Id);
    const { cursor, data } = await forPartner({ limit: 2 }).then(({ pagination, data: rows }) => ({
      cursor: pagination.next_cursor,
      data: rows,
    }));
    const rest = await forPartner({ limit: 2, cursor });
    expect(new Set([...data, ...rest.data].map(({ p1_id }) => p1_id)).size).toBe(3);
    for (const other of [{ updated_since: LONG_AGO }, { shop_id: shop.otherShopId }, { cursor: 'AAAA' }])
      await forPartner({ cursor, ...other }, 400);
  });
});

describe('a detached product', () => {
  it('appears among the changes with the time, and not in the plain list', async () => {
    const [kept, gone] = [await attached('kept'), await attached('gone')];
    const before = (await list(CHANGES)).data;
    expect(before.map(({ available, detached_at }) => [available, detached_at])).toEqual([
      [true, null],
      [true, null],
    ]);
    await detach(gone);
    const { data, pagination } = await list(CHANGES);
    expect([idsOf(data), pagination.total]).toEqual([[kept, gone], 2]);
    const [, row] = data;
    expect(row).toMatchObject({ available: false, shop_id: shop.shopId, name: 'gone' });
    expect(row?.detached_at).toBe(row?.updated_at);
    expect(row?.created_at).toBe(before[1]?.created_at);
    expect(row?.updated_at).not.toBe(before[1]?.updated_at);
    const since = await list(`updated_since=${row?.updated_at}`);
    expect(since.data).toEqual([row]);
    expect((await list(`${CHANGES}&available=false`)).data).toEqual([row]);
    for (const query of ['', 'q=e', 'available=false', 'sort=created_at', `created_from=${LONG_AGO}`]) {
      expect(idsOf((await list(query)).data)).not.toContain(gone);
    }
    expect((await list()).pagination.total).toBe(1);
  });

  it('is available again when it is attached again', async () => {
    const p1Id = await attached('back');
    await detach(p1Id);
    const [gone] = (await list(CHANGES)).data;
    expect((await attach(p1Id)).status).toBe(201);
    const [row] = (await list(`updated_since=${gone?.updated_at}`)).data;
    expect(row).toMatchObject({
      p1_id: p1Id,
      available: true,
      detached_at: null,
      created_at: gone?.created_at,
    });
    expect((await list()).data).toEqual([row]);
  });

  it('stays for 30 days, whatever changes in the inventory', async () => {
    const p1Id = await attached('old');
    await detach(p1Id);
    const seconds = DETACHED_SHOWN_DAYS * 86_400;
    await test.database.rows(backdate, shop.shopId, p1Id, seconds - 60);
    await shop.call(adjustInventory, { body: { p1_id: p1Id, delta: 1, reason: 'received' } });
    const [row] = (await list(`updated_since=${LONG_AGO}`)).data;
    expect(row).toMatchObject({ available: false, stock_quantity: 2 });
    expect(Date.parse(row?.updated_at ?? '') - Date.parse(row?.detached_at ?? '')).toBeGreaterThan(
      86_400_000,
    );
    await test.database.rows(backdate, shop.shopId, p1Id, seconds + 1);
    for (const query of [CHANGES, `updated_since=${LONG_AGO}`]) {
      expect(await list(query)).toMatchObject({ data: [], pagination: { total: 0 } });
    }
    expect((await attach(p1Id)).status).toBe(201);
    expect((await list(CHANGES)).data).toMatchObject([{ available: true, detached_at: null }]);
  });

  it('is of its shop alone', async () => {
    await detach(await attached('own'));
    const elsewhere = { orgId: shop.orgId, shopId: shop.otherShopId };
    expect((await list(CHANGES, elsewhere)).data).toEqual([]);
    const other = new CatalogFixture(test.database);
    const foreign = { query: `shop_id=${shop.shopId}&${CHANGES}` };
    expect((await other.call(listProducts, foreign)).status).toBe(404);
    const own = await other.call(listProducts, { query: `shop_id=${other.shopId}&${CHANGES}` });
    expect(own.body.data).toEqual([]);
  });

  it('is one product after a hundred racing attachments and detachments, as in its last event', async () => {
    const p1Id = await shop.stocked(1);
    const answers = await race<{ status: number; body: object }>(100, (index) =>
      index % 2 === 0 ? attach(p1Id) : detach(p1Id),
    );
    const changed = answers.filter(({ status }, index) => status === (index % 2 === 0 ? 201 : 200));
    const events = (await shop.eventsOf(p1Id)).filter(({ aggregate_id }) =>
      aggregate_id.includes(shop.shopId),
    );
    const kinds = events.map(({ event_type }) => event_type);
    const alternating = changed.map((_, n) => (n % 2 === 0 ? 'product_attached' : 'product_detached'));
    expect(kinds).toEqual(alternating);
    const isAttached = kinds.at(-1) === 'product_attached';
    const { data, pagination } = await list(CHANGES);
    expect([data.length, pagination.total]).toEqual([1, 1]);
    expect([data[0]?.available, data[0]?.detached_at === null]).toEqual([isAttached, isAttached]);
    expect((await list()).pagination.total).toBe(isAttached ? 1 : 0);
  });
});

describe('the list of a shop', () => {
  /** Five products; the third one is detached and attached again, so that it is the one changed last. */
  async function five(): Promise<string[]> {
    const ids: string[] = [];
    for (const name of ['one', 'two', 'three', 'four', 'five']) ids.push(await attached(name));
    await detach(ids[2] ?? '');
    await attach(ids[2] ?? '');
    return ids;
  }

  it('is in the order that was asked for', async () => {
    const ids = await five();
    const [one = '', two = '', three = '', four = '', last = ''] = ids;
    const byChange = [one, two, four, last, three];
    expect(idsOf((await list()).data)).toEqual([...ids].sort());
    expect(idsOf((await list('sort=created_at')).data)).toEqual(ids);
    expect(idsOf((await list('sort=-created_at')).data)).toEqual([...ids].reverse());
    expect(idsOf((await list('sort=updated_at')).data)).toEqual(byChange);
    expect(idsOf((await list('sort=-updated_at')).data)).toEqual(byChange.reverse());
  });

  it.each(['', ...LIST_SORTS.map((sort) => `sort=${sort}`), 'q=e', `updated_since=${LONG_AGO}`])(
    'is the same by cursor, by page and in one piece: %j',
    async (query) => {
      const ids = await five();
      await detach(ids[0] ?? '');
      // Equal times: one import writes all of them.
      const lines = ids.map((p1_id, n) => ({ p1_id, name: `Renamed ${n}`, price: 1 }));
      expect((await shop.call(importCatalog, { body: { lines } })).body.updated).toBe(5);
      const whole = await list(query);
      expect(await walk(`${query}&limit=2`)).toEqual(whole.data);
      const pages = [1, 2, 3].map(async (page) => (await list(`${query}&limit=2&page=${page}`)).data);
      expect((await Promise.all(pages)).flat()).toEqual(whole.data);
      expect(whole.pagination).toMatchObject({ total: whole.data.length, next_cursor: null });
      expect((await list(`${query}&limit=1`)).pagination.total).toBe(whole.data.length);
    },
  );

  it('holds what was created within a time', async () => {
    const ids = await five();
    const created = (await list('sort=created_at')).data.map(({ created_at }) => created_at);
    const within = `created_from=${created[1]}&created_to=${created[3]}`;
    expect(idsOf((await list(`${within}&sort=created_at`)).data)).toEqual(ids.slice(1, 3));
  });

  it('shows again what changes while it is walked by the time of changes', async () => {
    const [one = '', two = '', three = '', four = '', last = ''] = await five();
    const [entered, gone, overridden] = [await shop.stocked(1), one, two];
    const rows = await walk('sort=updated_at&limit=2', async (page) => {
      if (page > 1) return;
      await attach(entered);
      await detach(gone);
      const overrides = { price: 3 };
      await shop.call(overrideProduct, { body: { shop_id: shop.shopId, p1_id: overridden, overrides } });
      await shop.call(adjustInventory, { body: { p1_id: four, delta: 6, reason: 'received' } });
    });
    expect(idsOf(rows)).toEqual([one, two, last, three, entered, gone, overridden, four]);
    expect(rows.slice(5)).toMatchObject([{ available: false }, { price: 3 }, { stock_quantity: 7 }]);
  });

  it('refuses cursors of other lists and orders, and a cursor with a page', async () => {
    await five();
    const cursorOf = async (query: string) => (await list(`${query}&limit=1`)).pagination.next_cursor ?? '';
    const [plain, byChange] = [await cursorOf(''), await cursorOf('sort=updated_at')];
    const stock = await shop.call(listInventory, { query: 'sort=updated_at&limit=1' });
    const listOf = (cursor: string) => Buffer.from(cursor, 'base64url').toString().split(':')[0];
    const forged = (key: string) => Buffer.from(`${listOf(byChange)}:${key}`).toString('base64url');
    const refused = [
      ['cursor', `cursor=${byChange}`],
      ['cursor', `sort=updated_at&cursor=${plain}`],
      ['cursor', `sort=-updated_at&cursor=${byChange}`],
      ['cursor', `available=true&cursor=${plain}`],
      ['cursor', `sort=updated_at&updated_since=2026-01-01T00:00:00Z&cursor=${byChange}`],
      ['cursor', `sort=updated_at&cursor=${stock.body.pagination.next_cursor}`],
      ['cursor', `cursor=${'A'.repeat(50)}`],
      ...[
        '',
        '|',
        'now|p1',
        '2026-02-30 00:00:00+00|p1',
        '2026-02-01 00:00:00+00|',
        '2026-02-01 00:00:00+00|a\0',
      ].map((key) => ['cursor', `sort=updated_at&cursor=${forged(key)}`]),
      ['cursor', `cursor=${'A'.repeat(2001)}`],
      ['page', `page=1&cursor=${plain}`],
      ['sort', 'sort=name'],
      ['updated_since', 'updated_since=yesterday'],
      ['created_from', 'created_from=2026-02-30T00:00:00Z'],
    ];
    for (const [field, query] of refused) {
      const answer = await shop.call(listProducts, { query: `shop_id=${shop.shopId}&${query}` });
      expect([query, answer.status]).toEqual([query, 400]);
      expect(answer.body).toMatchObject({ details: [{ field }] });
    }
  });

  it('goes on after ids of every kind and length', async () => {
    // 255 characters with the organization's id.
    const ids = ['|', `'"\\`, '\u0001'.repeat(219), '💊'.repeat(109), '薬'.repeat(219)].map(
      (id) => `${id}${shop.orgId}`,
    );
    for (const p1_id of ids) await shop.stocked(1, { p1_id });
    for (const p1Id of ids) await attach(p1Id);
    for (const query of ['limit=1', 'limit=1&sort=updated_at']) {
      expect(idsOf(await walk(query)).sort()).toEqual([...ids].sort());
    }
  });
});
