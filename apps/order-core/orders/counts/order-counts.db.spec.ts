import * as api from '@offizin/contracts/orders/orders';
import { statement } from '@offizin/pg/database';
import { eventually } from '@offizin/testkit/eventually';
import { inParts } from '@offizin/testkit/in-parts';
import { walkPages } from '@offizin/testkit/walk-pages';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { foldCounts } from './counts.store';
import { coreSpec } from '../../spec/core-spec';
import { countFolding } from './count-folding';

let core: OrderCoreFixture;
const test = coreSpec((made) => (core = made));

type Page = api.OrderListResponse;

async function list(query = ''): Promise<Page> {
  const { status, body } = await core.call(api.listOrders, { query });
  expect({ query, status }).toEqual({ query, status: 200 });
  return body;
}

async function totalOf(query: string): Promise<number> {
  return (await list(`limit=1&${query}`)).pagination.total;
}

async function counted(condition: string): Promise<number> {
  const rows: { count: number }[] = await test.database.dataSource.query(
    `SELECT count(*)::int AS count FROM core.orders WHERE org_id = $1 AND ${condition}`,
    [core.orgId],
  );
  return rows[0]?.count ?? NaN;
}

/** Every pair of status and shop filter, by the counters and by count(*). */
async function expectExactTotals(): Promise<void> {
  for (const shop of [undefined, core.shopId, core.otherShopId]) {
    for (const status of [undefined, ...api.ORDER_STATUSES]) {
      const query = [shop && `shop_id=${shop}`, status && `status=${status}`].filter(Boolean).join('&');
      const condition = [shop && `shop_id = '${shop}'`, status && `status = '${status}'`].filter(Boolean);
      const total = await totalOf(query);
      expect({ query, total }).toEqual({ query, total: await counted(condition.join(' AND ') || 'true') });
    }
  }
}

async function upsert(externalId: string, shopId = core.shopId): Promise<string> {
  return (await core.upsert(externalId, { shop_id: shopId })).body.id;
}

/** Orders of many days, inserted with plain SQL. */
const insertDays = statement<never, [string, string, string, number, number, number, number]>(
  'spec_insert_days',
  `INSERT INTO core.orders (id, org_id, shop_id, external_id, total_amount, total_is_given, payment_status, status, items,
     created_at)
   SELECT gen_random_uuid(), $1, CASE WHEN n % 3 = 0 THEN $2::uuid ELSE $3::uuid END, 'day-' || n, 1, false, 'paid',
     CASE WHEN n % 4 = 0 THEN 'shipped' ELSE 'pending' END, '[]',
     timestamptz '2026-01-01T00:00:00Z' + n * make_interval(days => $5) / $4
   FROM generate_series($6::int - 1, $7::int - 1) n`,
);

async function fillDays(orders: number, days: number): Promise<void> {
  const common = [core.orgId, core.shopId, core.otherShopId, orders, days] as const;
  await inParts(orders, (from, to) => test.database.rows(insertDays, ...common, from, to));
}

it('is exact after 100 concurrent upserts and 100 concurrent patches, while three processes fold', async () => {
  let racing = true;
  const folding = Array.from({ length: 3 }, async () => {
    while (racing) await foldCounts(test.database, 7);
  });
  try {
    await raceWrites();
    await expectExactTotals();
  } finally {
    racing = false;
    await Promise.all(folding);
  }
  while ((await foldCounts(test.database, 10_000)) > 0);
  expect(await counted('true')).toBe(40);
  await expectExactTotals();
});

async function raceWrites(): Promise<void> {
  const upserts = Array.from({ length: 100 }, (_, n) =>
    upsert(`race-${n % 40}`, n % 2 ? core.shopId : core.otherShopId),
  );
  const ids = await Promise.all(upserts);
  const patches = ids.map((orderId, n) => core.patch(orderId, { status: api.ORDER_STATUSES[1 + (n % 7)] }));
  await Promise.all(patches);
}

it('follows plain SQL: many orders in one statement, a moved order, a deleted order', async () => {
  await fillDays(500, 40);
  await expectExactTotals();
  const change = (text: string) => test.database.dataSource.query(text, [core.orgId]);
  await change(
    `UPDATE core.orders SET shop_id = '${core.shopId}' WHERE org_id = $1 AND external_id < 'day-2'`,
  );
  await change(
    `UPDATE core.orders SET created_at = created_at + interval '3 days' WHERE org_id = $1 AND status = 'shipped'`,
  );
  await change(`DELETE FROM core.orders WHERE org_id = $1 AND external_id > 'day-4'`);
  await expectExactTotals();
  await foldCounts(test.database, 10_000);
  await expectExactTotals();
});

it('follows a change of each counted column, whatever else the statement sets', async () => {
  await fillDays(60, 6);
  const change = (text: string) => test.database.dataSource.query(text, [core.orgId]);
  await change(
    `UPDATE core.orders SET (customer_name, status, sequence) = ROW ('x', 'ready', 9) WHERE org_id = $1 AND external_id < 'day-2'`,
  );
  await change(
    `INSERT INTO core.orders AS o (id, org_id, shop_id, external_id, total_amount, total_is_given, payment_status, status, items)
     SELECT gen_random_uuid(), org_id, shop_id, external_id, 1, false, 'paid', 'cancelled', '[]' FROM core.orders
     WHERE org_id = $1 AND external_id > 'day-4'
     ON CONFLICT ON CONSTRAINT orders_shop_external DO UPDATE SET items = excluded.items, status = excluded.status`,
  );
  await change(
    `UPDATE core.orders SET org_id = gen_random_uuid() WHERE org_id = $1 AND external_id = 'day-3'`,
  );
  expect(await totalOf('')).toBe(59);
  await expectExactTotals();
});

it('counts nothing of a statement that is rolled back', async () => {
  const racers = await Promise.allSettled(
    Array.from({ length: 5 }, () =>
      test.database.transaction(async (tx) => {
        await tx.rows(insertDays, core.orgId, core.shopId, core.otherShopId, 10, 5, 1, 10);
        throw new Error('taken back');
      }),
    ),
  );
  expect(racers.every(({ status }) => status === 'rejected')).toBe(true);
  expect(await totalOf('')).toBe(0);
});

it.each([
  ['created_from=2026-01-03T00:00:00Z', "created_at >= '2026-01-03T00:00:00Z'"],
  [
    'created_to=2026-01-03T00:00:00Z&status=shipped',
    "created_at < '2026-01-03T00:00:00Z' AND status = 'shipped'",
  ],
  [
    'created_from=2026-01-03T07:30:00Z&created_to=2026-01-20T19:00:00Z',
    "created_at >= '2026-01-03T07:30:00Z' AND created_at < '2026-01-20T19:00:00Z'",
  ],
  [
    'created_from=2026-01-03T07:30:00Z&created_to=2026-01-04T19:00:00Z',
    "created_at >= '2026-01-03T07:30:00Z' AND created_at < '2026-01-04T19:00:00Z'",
  ],
  [
    'created_from=2026-01-05T01:00:00%2B01:00&created_to=2026-01-05T20:00:00-04:00',
    "created_at >= '2026-01-05T00:00:00Z' AND created_at < '2026-01-06T00:00:00Z'",
  ],
  ['created_from=2026-01-05T00:00:00.001Z', "created_at >= '2026-01-05T00:00:00.001Z'"],
  ['created_from=9999-12-31T23:59:59Z', 'false'],
  ['created_to=1900-01-01T00:00:00Z', 'false'],
  [
    'payment_status=paid&created_from=2026-01-05T00:00:00Z',
    "payment_status = 'paid' AND created_at >= '2026-01-05T00:00:00Z'",
  ],
  ['external_id=day-17', "external_id = 'day-17'"],
  ['external_id=DAY-17', 'false'],
  ['q=Day-1', "external_id LIKE 'day-1%'"],
])('has the exact total of %s', async (query, condition) => {
  await fillDays(600, 30);
  await foldCounts(test.database, 10_000);
  await fillDaysOfOther();
  expect(await totalOf(query)).toBe(await counted(condition));
});

/** Deltas that stay open, and an organization whose orders must not count. */
async function fillDaysOfOther(): Promise<void> {
  const other = await OrderCoreFixture.make(test.database);
  await test.database.rows(insertDays, other.orgId, other.shopId, other.otherShopId, 100, 30, 1, 100);
  await upsert('open');
}

describe('a page at a large offset', () => {
  it.each(['', 'status=pending', 'shop_id=SHOP', 'shop_id=SHOP&status=shipped'])(
    'is the one that walking would reach, in both directions: %s',
    async (filter) => {
      const query = filter.replace('SHOP', core.otherShopId);
      await fillDays(9_000, 37);
      await foldCounts(test.database, 10_000);
      await upsert('open');
      for (const sort of ['created_at', '-created_at']) {
        const walked = await walk(`${query}&sort=${sort}`);
        for (const offset of [2_001, 2_037, walked.length - 3, walked.length, walked.length + 5]) {
          const page = await list(`${query}&sort=${sort}&limit=20&offset=${offset}`);
          const ids = page.data.map(({ id }) => id);
          expect({ sort, offset, ids }).toEqual({ sort, offset, ids: walked.slice(offset, offset + 20) });
          expect(page.pagination).toMatchObject({ offset, total: walked.length });
        }
      }
    },
    60_000,
  );

  it('honours a range of days', async () => {
    await fillDays(9_000, 37);
    const range = 'created_from=2026-01-02T00:00:00Z&created_to=2026-01-30T00:00:00Z';
    const walked = await walk(range);
    const page = await list(`${range}&limit=20&offset=5000`);
    expect(page.data.map(({ id }) => id)).toEqual(walked.slice(5_000, 5_020));
  });
});

it.each(['q=day-', 'q=day-1&status=pending', 'payment_status=paid', 'external_id=day-7', ''])(
  'skips the same rows by offset as by cursor, in each order: %s',
  async (filter) => {
    await fillDays(300, 30);
    await fillDaysOfOther();
    for (const sort of ['created_at', '-created_at', 'updated_at', '-updated_at']) {
      const walked = await walk(`${filter}&sort=${sort}`);
      for (const offset of [1, 150, walked.length - 1, walked.length, walked.length + 5]) {
        const page = await list(`${filter}&sort=${sort}&limit=20&offset=${Math.max(0, offset)}`);
        const ids = page.data.map(({ id }) => id);
        expect({ sort, offset, ids }).toEqual({ sort, offset, ids: walked.slice(offset, offset + 20) });
        expect(page.pagination.total).toBe(walked.length);
      }
    }
  },
);

/** All ids, by cursor. */
async function walk(query: string): Promise<string[]> {
  return (await walkPages((cursor) => list(`${query}&limit=200${cursor}`))).map(({ id }) => id);
}

describe('the folding', () => {
  /** One order per day, each with its own delta. */
  const insertDays = statement<never, [string, string, number]>(
    'spec_folded_days',
    `INSERT INTO core.orders (id, org_id, shop_id, external_id, total_amount, total_is_given, payment_status, status, items,
     created_at)
   SELECT gen_random_uuid(), $1, $2, 'day-' || n, 1, false, 'paid', 'pending', '[]',
     timestamptz '2020-01-01T00:00:00Z' + n * interval '1 day'
   FROM generate_series(1, $3::int) n`,
  );
  const deltas = statement<{ open: number; cleared: number }, []>(
    'spec_deltas',
    `SELECT (SELECT count(*)::int FROM core.row_count_deltas) AS open,
     (SELECT vacuum_count::int FROM pg_stat_user_tables WHERE relid = 'core.row_count_deltas'::regclass) AS cleared`,
  );

  it('vacuums folded deltas, so that lists do not scan them', async () => {
    const folding = countFolding(test.database);
    await test.database.rows(insertDays, core.orgId, core.shopId, 1_000);
    folding.start();
    try {
      await eventually('the folded deltas are cleared away', async () => {
        const [found] = await test.database.rows(deltas);
        return found?.open === 0 && found.cleared > 0;
      });
    } finally {
      await folding.stop();
    }
  });
});
