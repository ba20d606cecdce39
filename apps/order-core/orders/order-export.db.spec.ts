import type { Pieces } from '@offizin/contracts/operation';
import type { OrderExportQuery } from '@offizin/contracts/exports';
import * as api from '@offizin/contracts/orders';
import { statement } from '@offizin/pg/database';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from '../db/schema';
import { CsvFiles } from '../csv/csv-files';
import { OrderCoreFixture } from '../spec-fixture';
import { readExportPage } from './order-export.store';
import { OrderExportHandlers } from './order-export.handlers';

let test: TestDatabase;
let core: OrderCoreFixture;
let handlers: OrderExportHandlers;

beforeAll(async () => {
  test = await testDatabase(orderCoreSchema);
});
beforeEach(async () => {
  core = await OrderCoreFixture.make(test.database);
  handlers = new OrderExportHandlers(test.database, new CsvFiles());
});
afterAll(() => test.close());

const query: OrderExportQuery = { sort: '-created_at' };

async function begin(filters: Partial<OrderExportQuery> = {}): Promise<Pieces> {
  const call = {
    caller: core.key(),
    query: { ...query, ...filters },
    params: { orgId: core.orgId },
    body: {},
  };
  const { content } = await handlers.export({ ...call, headers: { accept: 'text/csv' } });
  if (content?.kind !== 'pieces') throw new Error('no pieces');
  return content.pieces;
}

/** Rows without their head, and the longest piece. */
async function readAll(pieces: Pieces, between: () => Promise<void> = async () => undefined) {
  const texts: string[] = [];
  for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) {
    texts.push(piece.value);
    await between();
  }
  const rows = texts.join('').trimEnd().split('\r\n').slice(1);
  return { rows, longest: Math.max(...texts.map(({ length }) => length)) };
}

const insertMany = statement<never, [string, string, number, string]>(
  'spec_insert_exported',
  `INSERT INTO core.orders (id, org_id, shop_id, external_id, total_amount, total_is_given, payment_status, status,
     items, created_at)
   SELECT gen_random_uuid(), $1, $2, 'export-' || n, 1, false, 'paid', 'pending', $4::jsonb,
     timestamptz '2026-01-01T00:00:00Z' + n * interval '1 second'
   FROM generate_series(1, $3::int) n`,
);

async function fill(orders: number, items: object[] = []): Promise<void> {
  await test.database.rows(insertMany, core.orgId, core.shopId, orders, JSON.stringify(items));
}

const line = (name: string) => ({ p1_id: null, name, quantity: 1, price: 1 });

it('20,000 rows come in small pieces, each order of the organization once, and the audit log says how many', async () => {
  await fill(10_000, [line('Salbe'), line('Öl')]);
  await (await OrderCoreFixture.make(test.database)).call(api.upsertOrder, { body: {} });
  const { rows, longest } = await readAll(await begin());
  expect(rows).toHaveLength(20_000);
  expect(new Set(rows.map((row) => row.split(',')[2])).size).toBe(10_000);
  expect(longest).toBeLessThan(200_000);
  const entries: { object: string }[] = await test.database.dataSource.query(
    `SELECT object FROM core.audit_log WHERE org_id = $1 AND action = 'order.export'`,
    [core.orgId],
  );
  expect(entries).toEqual([{ object: 'order-export:10000 all' }]);
});

it.each(['created_at', '-created_at', 'updated_at'] as const)(
  'orders that change during a walk by %s are not missed',
  async (sort) => {
    await fill(1_000);
    let changed = 0;
    const { rows } = await readAll(await begin({ sort }), async () => {
      const name = `export-${++changed * 190}`;
      await core.call(api.upsertOrder, {
        body: { shop_id: core.shopId, external_id: name, customer_name: 'B' },
      });
    });
    const found = new Set(rows.map((row) => row.split(',')[2]));
    expect(found.size).toBe(1_000);
    expect(changed).toBeGreaterThanOrEqual(5);
  },
);

it('a page of large orders ends after its bytes', async () => {
  await fill(
    30,
    Array.from({ length: 400 }, () => line('x'.repeat(500))),
  );
  let cursor: string | null = null;
  const sizes: number[] = [];
  do {
    const page = await readExportPage(test.database, core.orgId, query, cursor);
    sizes.push(page.orders.length);
    cursor = page.next;
  } while (cursor !== null);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(30);
  expect(Math.max(...sizes)).toBeLessThan(12);
});

it('a reader that leaves gives its place back, also one that never began to read', async () => {
  await fill(500);
  for (let round = 0; round < 3; round++) {
    const [one, two] = [await begin(), await begin()];
    await one.next();
    await one.return();
    await two.return();
  }
});

it('an organization writes two files at a time; the third waits, and is refused', async () => {
  await fill(500);
  const [one, two] = [await begin(), await begin()];
  await expect(begin()).rejects.toThrow('Your organization uses its whole share of CSV files.');
  await Promise.all([one.return(), two.return()]);
});

it('filters and an unknown shop are those of the list', async () => {
  await fill(3);
  const of = async (filters: Partial<OrderExportQuery>) => (await readAll(await begin(filters))).rows.length;
  expect(await of({ external_id: 'export-2' })).toBe(1);
  expect(await of({ q: 'EXPORT-' })).toBe(3);
  expect(await of({ status: 'shipped' })).toBe(0);
  expect(await of({ created_to: '2026-01-01T00:00:02Z', payment_status: 'paid' })).toBe(1);
  await expect(begin({ shop_id: core.orgId })).rejects.toMatchObject({ code: 'not_found' });
});
