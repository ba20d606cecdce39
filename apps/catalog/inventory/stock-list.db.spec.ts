import { adjustInventory } from '@offizin/contracts/products/inventory';
import { updateProduct } from '@offizin/contracts/products/products';
import {
  getStock,
  listRunningOut,
  listStock,
  MAX_RUNNING_OUT,
  setStockThreshold,
  type StockResponse,
} from '@offizin/contracts/products/stock';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { blocksRead } from '@offizin/testkit/blocks-read';
import { walkPages } from '@offizin/testkit/walk-pages';
import { CatalogFixture, catalogSpec } from '../spec/spec-fixture';
import { listStockByName, stockCourse } from './stock-list.store';

let shop: CatalogFixture;
const test = catalogSpec((made) => (shop = made));

async function list(query = '', { orgId } = shop): Promise<StockResponse> {
  const caller = { ...shop.staff('pharmacist'), orgId };
  const { status, body } = await shop.call(listStock, { query, caller });
  expect(status).toBe(200);
  return body;
}

const namesOf = ({ data }: Pick<StockResponse, 'data'>): string[] => data.map(({ name }) => name);

async function setThreshold(p1Id: string, low_stock_threshold: unknown, caller = shop.staff('clerk')) {
  return shop.call(setStockThreshold, { params: { p1Id }, body: { low_stock_threshold }, caller });
}

describe('the stock by name', () => {
  it('is walked by cursor, each product once, with exact totals', async () => {
    for (const name of ['Öl', 'ätherisch', 'Bediol', 'Zäpfchen', 'bedrocan']) await shop.stocked(3, { name });
    const data = await walkPages(async (cursor) => {
      const page = await list(`limit=2${cursor}`);
      expect([page.total, page.low_total]).toEqual([5, 0]);
      return page;
    });
    expect(namesOf({ data })).toEqual(['Bediol', 'bedrocan', 'Zäpfchen', 'ätherisch', 'Öl']);
  });

  it('is walked for a file with totals on the first page alone', async () => {
    for (const name of ['Öl', 'ätherisch', 'Bediol', 'Zäpfchen', 'bedrocan']) await shop.stocked(3, { name });
    const low = await shop.stocked(3, { name: 'Low' });
    await setThreshold(low, 3);
    const filters = { low_stock: false, limit: 2 };
    const data = await walkPages(async (_, cursor) => {
      const isFirst = cursor === undefined;
      const page = await listStockByName(test.database, shop.orgId, { ...filters, cursor }, isFirst);
      expect([page.total, page.low_total]).toEqual(isFirst ? [6, 1] : [0, 0]);
      return page;
    });
    expect(namesOf({ data })).toEqual(['Bediol', 'bedrocan', 'Zäpfchen', 'ätherisch', 'Öl']);
  });

  it('walks products of the same name, too', async () => {
    for (let count = 0; count < 3; count += 1) await shop.stocked(1);
    const rows = await walkPages((cursor) => list(`limit=2${cursor}`));
    expect([rows.length, new Set(rows.map(({ p1_id }) => p1_id)).size]).toEqual([3, 3]);
  });

  it('finds parts of the name that the organization gave, and of the id', async () => {
    const p1 = await shop.stocked(3);
    await shop.stocked(3);
    await shop.call(updateProduct, { params: { p1Id: p1 }, body: { name: 'Öl 100 %' } });
    for (const q of ['öl 100 %', p1.toUpperCase()]) {
      const found = await list(`q=${encodeURIComponent(q)}`);
      expect([namesOf(found), found.total]).toEqual([['Öl 100 %'], 1]);
    }
    expect((await list('q=nobody')).data).toEqual([]);
  });

  it('finds a name by itself, whatever letters it has', async () => {
    const p1 = await shop.stocked(3);
    for (const name of ['ŐSZI BALZSAM', 'ΆΛΟΗ', 'İlaç 100 %']) {
      await shop.call(updateProduct, { params: { p1Id: p1 }, body: { name } });
      expect(namesOf(await list(`q=${encodeURIComponent(name)}`))).toEqual([name]);
    }
  });

  it('shows low stock alone, and counts it whatever is shown', async () => {
    const low = await shop.stocked(3, { name: 'Low' });
    await shop.stocked(3, { name: 'Enough' });
    await setThreshold(low, 3);
    expect(await list('low_stock=true')).toMatchObject({ data: [{ name: 'Low' }], total: 2, low_total: 1 });
    expect(await list('low_stock=false')).toMatchObject({
      data: [{ name: 'Enough' }],
      total: 2,
      low_total: 1,
    });
    expect(await list('low_stock=true&q=enough')).toEqual({
      data: [],
      total: 1,
      low_total: 0,
      next_cursor: null,
    });
  });

  it('refuses a cursor that it did not write', async () => {
    for (const name of ['Anna', 'Annika']) await shop.stocked(1, { name });
    const { body } = await shop.call(listStock, { query: 'q=Ann&limit=1', caller: shop.staff('clerk') });
    const own = body.next_cursor ?? '';
    const [list] = Buffer.from(own, 'base64url').toString().split(':');
    const texts = ['{}', '[1,2]', '["a"]', '["a\\u0000","b"]', 'no json'];
    for (const text of [...texts, own]) {
      const cursor = text === own ? own : `${Buffer.from(`${list}:${text}`).toString('base64url')}&q=Ann`;
      const answer = await shop.call(listStock, { query: `cursor=${cursor}`, caller: shop.staff('clerk') });
      expect([text, answer.status, answer.body]).toMatchObject([
        text,
        400,
        { details: [{ field: 'cursor' }] },
      ]);
    }
  });

  it('shows another organization nothing', async () => {
    const p1Id = await shop.stocked(3);
    const other = new CatalogFixture(test.database);
    expect(await list('', other)).toEqual({ data: [], total: 0, low_total: 0, next_cursor: null });
    for (const id of [p1Id, 'nobody'])
      expect((await other.call(getStock, { params: { p1Id: id } })).status).toBe(404);
    expect((await setThreshold(p1Id, 7, other.staff('owner'))).status).toBe(404);
    expect((await list()).data[0]?.low_stock_threshold).toBe(0);
  });
});

describe('the course of a product', () => {
  const backdate = statement<never, [string, number]>(
    'spec_backdate_log',
    `UPDATE catalog.stock_log SET created_at = created_at - make_interval(days => $2) WHERE p1_id = $1`,
  );

  /** A long log that ends with five pieces. */
  const fillLog = statement<never, [string, string]>(
    'spec_fill_log',
    `WITH counted AS (
       UPDATE catalog.inventory SET log_entries = log_entries + 2000 WHERE org_id = $1 AND p1_id = $2
     )
     INSERT INTO catalog.stock_log (id, org_id, p1_id, entry_number, delta, stock_after, reason, actor)
     SELECT gen_random_uuid(), $1, $2, n + 1, 0, 5, 'correction', 'spec' FROM generate_series(1, 2000) n`,
  );
  /** Else autovacuum decides whether there are statistics, and of which moment. */
  const analyze = statement<never, []>('spec_analyze', 'ANALYZE catalog.stock_log');
  /** Far less than the log has. */
  const FEW_BLOCKS = 40;

  it('is the stock at the end of each day with a change, after the stock before those days', async () => {
    const p1 = await shop.stocked(10);
    const adjust = (delta: number) =>
      shop.call(adjustInventory, { body: { p1_id: p1, delta, reason: 'correction' } });
    await adjust(5);
    await test.database.rows(backdate, p1, 100);
    await adjust(-1);
    await test.database.rows(backdate, p1, 20);
    await adjust(-2);
    await adjust(-3);
    const { body } = await shop.call(getStock, { params: { p1Id: p1 }, caller: shop.staff('pharmacist') });
    expect(body.course.map(({ stock_quantity }) => stock_quantity)).toEqual([15, 14, 9]);
    expect(body).toMatchObject({ p1_id: p1, stock_quantity: 9, available_quantity: 9 });
    const days = body.course.map(({ at }) => Math.round((Date.now() - Date.parse(at)) / 86_400_000));
    expect(days).toEqual([120, 20, 0]);
  });

  it('reads the entries of those days alone', async () => {
    const p1 = await shop.stocked(10);
    // A product among others: of a table that holds little else, the planner would read all.
    for (const one of [p1, ...(await Promise.all(Array.from({ length: 9 }, () => shop.stocked(10))))]) {
      await test.database.rows(fillLog, shop.orgId, one);
      await test.database.rows(backdate, one, 100);
    }
    await test.database.rows(analyze);
    const adjustment = { p1_id: p1, delta: 1, reason: 'correction' } as const;
    await shop.call(adjustInventory, { body: adjustment });
    const [blocks] = await blocksRead(test.database, (sql) => stockCourse(sql, shop.orgId, p1));
    expect(blocks).toBeLessThan(FEW_BLOCKS);
    expect(
      (await stockCourse(test.database, shop.orgId, p1)).map(({ stock_quantity: left }) => left),
    ).toEqual([5, 11]);
  });

  it('is empty for a product that never had stock', async () => {
    const p1 = await shop.stocked(0);
    expect((await shop.call(getStock, { params: { p1Id: p1 } })).body.course).toEqual([]);
  });
});

describe('the threshold', () => {
  it('is set with an event and an audit entry, once', async () => {
    const p1 = await shop.stocked(3);
    const before = (await shop.eventsOf(p1)).length;
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await setThreshold(p1, 4);
      expect([status, body.low_stock_threshold, body.stock_quantity]).toEqual([200, 4, 3]);
    }
    const events = (await shop.eventsOf(p1)).slice(before);
    expect(events.map(({ event_type }) => event_type)).toEqual(['product_updated']);
    const [entry] = await test.database.rows(auditOf, `product:${p1}`);
    expect(entry).toEqual({ action: 'product.update', actor: 'staff:staff-1' });
  });

  it.each([[-1], [1.5], ['7'], [null], [1_000_000_001]])('refuses %j', async (value) => {
    const p1 = await shop.stocked(3);
    const answer = await setThreshold(p1, value);
    expect([answer.status, answer.body]).toMatchObject([
      400,
      { details: [{ field: 'low_stock_threshold' }] },
    ]);
  });

  it('is not set for a product outside the inventory', async () => {
    for (const p1Id of [await shop.product(), newId(), 'a'.repeat(256)])
      expect((await setThreshold(p1Id, 1)).status).toBe(404);
  });

  const auditOf = statement<{ action: string; actor: string }, [string]>(
    'spec_audit_of',
    `SELECT body::json->>'action' AS action, body::json->>'actor' AS actor FROM catalog.outbox
     WHERE topic = 'audit' AND body::json->>'object' = $1 ORDER BY position DESC`,
  );
});

describe('products that run out', () => {
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

  it('states how many whole days the available stock lasts, by what was sold in 28 days', async () => {
    const [soon, later, unsold, slow] = [
      await shop.stocked(100, { name: 'Bald' }),
      await shop.stocked(100, { name: 'Später' }),
      await shop.stocked(1, { name: 'Unverkauft' }),
      await shop.stocked(100, { name: 'Langsam' }),
    ];
    for (const p1Id of [soon, later, unsold, slow]) await test.database.rows(age, shop.orgId, p1Id, 100);
    // Sold too long ago, and what was not sold: neither counts.
    await adjust(later, -10);
    await test.database.rows(age, shop.orgId, later, 29);
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
    await test.database.rows(age, shop.orgId, p1Id, 2);
    await adjust(p1Id, -6);
    // Three days that have begun, two pieces a day.
    expect((await found()).data).toEqual([expect.objectContaining({ sold: 6, days_left: 7 })]);
  });

  it('lists the first ones with the exact number of all, and none of another organization', async () => {
    for (let count = 0; count < MAX_RUNNING_OUT + 2; count += 1) await adjust(await shop.stocked(2), -1);
    const { data, total } = await found();
    expect([data.length, total]).toEqual([MAX_RUNNING_OUT, MAX_RUNNING_OUT + 2]);
    expect(await found(new CatalogFixture(test.database))).toEqual({ data: [], total: 0 });
  });
});
