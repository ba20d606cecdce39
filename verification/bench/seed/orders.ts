import { statfsSync } from 'node:fs';
import type { Pool } from 'pg';
import type { Bench } from '../bench';
import { Skipped } from '../row';
import type { Tenant } from './tenants';

/** Sizes of an organization at which the order list is measured. */
export const SIZES = { '10 thousand': 10_000, '1 million': 1_000_000, '10 million': 10_000_000 } as const;
export type Size = keyof typeof SIZES;

/** Of a seeded order with its indexes and the log written meanwhile; decides whether the disk is large enough. */
const BYTES_PER_ORDER = 2_100;
const SPARE_BYTES = 5e9;
const CHUNK_ROWS = 100_000;
const CONNECTIONS = 2;
const FOLD_LOOK_MS = 1_000;
/** Orders lie over this time, evenly, the newest first in the list. */
const DAYS = 700;

/** So many orders, one after the other, have packs of the same lot. */
const ORDERS_OF_LOT = 50;
/** The lot of some orders in the middle, in every size. */
export const SEEDED_LOT = 'L100';

const ITEMS = JSON.stringify(
  ['Ibuprofen 400 mg', 'Wundsalbe', 'Vitamin D3'].map((name, index) => ({
    p1_id: `P1-${10_000 + index}`,
    name,
    quantity: index + 1,
    price: 4.95 + index,
  })),
);

/**
 * The organization that has `size` orders. They are inserted by the server itself out of generated numbers (as quick as
 * COPY, and nothing has to be sent), many in parallel and without waiting for the disk; the measured stack does wait.
 */
export async function tenantWithOrders(bench: Bench, size: Size): Promise<Tenant> {
  if (bench.quick && size === '10 million') throw new Skipped('--quick leaves 10 million orders out');
  const count = bench.quick ? Math.min(SIZES[size], 20_000) : SIZES[size];
  const tenant = await bench.tenants.get(`${bench.quick ? 'quick ' : ''}${size}`);
  const { rows } = await bench.sql.query<{ count: string }>(
    'SELECT count(*) FROM (SELECT FROM core.orders WHERE org_id = $1 LIMIT $2) found',
    [tenant.orgId, count],
  );
  const present = Number(rows[0]?.count);
  if (present < count) {
    refuseShortDisk(bench.stack.dataDir, count);
    await insertOrders(bench, tenant, count);
    await fillCounters(bench.sql, tenant);
    await untilFolded(bench.sql);
    // The services do it within a minute; after a million orders in one minute the first report would be measured
    // before.
    await bench.sql.query(
      'VACUUM (ANALYZE) core.orders, core.order_lots, core.order_words, core.daily_sum_deltas, core.daily_sums',
    );
    await bench.sql.query('CHECKPOINT');
  }
  return tenant;
}

function refuseShortDisk(folder: string, count: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const needed = count * BYTES_PER_ORDER + SPARE_BYTES;
  if (bavail * bsize >= needed) return;
  throw new Skipped(`the disk is short: ${count} orders need ${Math.ceil(needed / 1e9)} GB free`);
}

/** Also goes on where a run was stopped in the middle: orders that are there stay. */
async function insertOrders(bench: Bench, tenant: Tenant, count: number): Promise<void> {
  const startedAtMs = Date.now();
  let next = 0;
  const insertChunks = async (): Promise<void> => {
    while (next < count) {
      const from = next;
      next += CHUNK_ROWS;
      await insertChunk(bench.sql, tenant, { from, to: Math.min(next, count), count });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, insertChunks));
  const seconds = Math.round((Date.now() - startedAtMs) / 1000);
  console.log(`seeded ${count} orders in ${seconds} s`);
}

/**
 * Orders with the numbers from `from` to before `to`; statuses as a pharmacy has them, most are done. Their words are written
 * with them, since the services would work on them while a row is measured. Those of the largest size stay empty: no row
 * searches it, and they would take half an hour. Each order of the others has a lot, but does not say so: its detail is read as
 * that of an order without lots.
 */
async function insertChunk(
  sql: Pool,
  tenant: Tenant,
  { from, to, count }: { from: number; to: number; count: number },
): Promise<void> {
  const isSearched = count < SIZES['10 million'];
  const client = await sql.connect();
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL synchronous_commit = off');
    await client.query(
      `WITH made AS (
       INSERT INTO core.orders (id, org_id, shop_id, external_id, order_number, customer_name, customer_email,
         address_street, address_city, address_postal_code, total_amount, total_is_given, payment_status,
         shipping_option, status, items, created_at, updated_at)
       SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '70008'
               || substr(replace($1, '-', ''), 26, 7) || lpad(to_hex(n), 8, '0'))::uuid,
              $1::uuid, ($2::uuid[])[1 + n / 7 % cardinality($2::uuid[])], 'seed-' || n, 'A-' || n,
              'Kundin ' || n, 'kundin-' || n || '@example.org', 'Hauptstraße ' || n % 200, 'Köln', '50667',
              n % 20000 / 100.0, false, CASE WHEN n % 9 = 0 THEN 'pending' ELSE 'paid' END, 'Abholung',
              CASE WHEN n * 7919 % 100 < 5 THEN 'pending' WHEN n * 7919 % 100 < 10 THEN 'awaiting_packing'
                   WHEN n * 7919 % 100 < 15 THEN 'ready_pickup' WHEN n * 7919 % 100 < 25 THEN 'shipped'
                   WHEN n * 7919 % 100 < 30 THEN 'cancelled' ELSE 'completed' END,
              $3::jsonb, at, at
       FROM (SELECT n::bigint, now() - make_interval(secs => (${DAYS} * 86400.0 * ($6 - n)) / $6) AS at
             FROM generate_series($4::int, $5::int - 1) n) numbered
       ON CONFLICT DO NOTHING RETURNING id, org_id, substr(external_id, 6)::int AS n)
       INSERT INTO core.order_lots (order_id, sequence, number, org_id, line, p1_id, name, lot, expires_on, quantity)
       SELECT id, 1, 1, org_id, 1, 'P1-10000', 'Ibuprofen 400 mg', 'L' || n / ${ORDERS_OF_LOT}, '2099-01-31', 1
       FROM made WHERE $7::boolean`,
      [tenant.orgId, tenant.shops.map(({ shopId }) => shopId), ITEMS, from, to, count, isSearched],
    );
    await client.query(
      `UPDATE core.order_words w SET words = CASE WHEN $2 THEN core.words_of_order(o) ELSE '' END
       FROM core.orders o WHERE w.org_id = $1 AND w.words IS NULL AND o.id = w.id`,
      [tenant.orgId, isSearched],
    );
    await client.query('COMMIT');
  } finally {
    // Ends a transaction that failed, too.
    client.release(true);
  }
}

/** Reports add up open deltas, so a large seed would slow them down until it is folded. */
async function untilFolded(sql: Pool): Promise<void> {
  for (;;) {
    const { rows } = await sql.query('SELECT FROM core.daily_sum_deltas LIMIT 1');
    if (rows.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, FOLD_LOOK_MS));
  }
}

/** Seeded orders pass by the statements that keep the totals. Rows of the raw limit's own totals are made here, too. */
async function fillCounters(sql: Pool, { orgId }: Tenant): Promise<void> {
  await sql.query('CREATE SCHEMA IF NOT EXISTS bench_raw');
  await sql.query(`CREATE TABLE IF NOT EXISTS bench_raw.totals
    (org_id uuid, status text, shop_id uuid, total bigint, PRIMARY KEY (org_id, status, shop_id))`);
  await sql.query('DELETE FROM bench_raw.totals WHERE org_id = $1', [orgId]);
  await sql.query(
    `INSERT INTO bench_raw.totals SELECT org_id, status, shop_id, count(*) FROM core.orders
     WHERE org_id = $1 GROUP BY org_id, status, shop_id`,
    [orgId],
  );
}
