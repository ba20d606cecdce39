import { statement } from '@offizin/pg/database';
import type { Bind } from '@offizin/pg/list-page';

/**
 * Exact numbers of orders without counting them (decision 0017). Triggers append a delta per organization, shop, status
 * and day (db/0001-order-counters.ts); order-core folds the deltas into core.order_counts. A total is the folded count
 * plus the open deltas, read in one snapshot. The list embeds these expressions: rendered/list-*.sql.
 */

/** "All" in core.order_counts. */
const EVERY_SHOP = '00000000-0000-0000-0000-000000000000';
const EVERY_STATUS = '';
const ALL_DAYS = '-infinity';

/** Whole days in UTC, YYYY-MM-DD, `to` exclusive. */
export interface WholeDays {
  from: string | undefined;
  to: string | undefined;
}

/** Which orders are counted; undefined means all. */
export interface CountedOrders {
  orgId: string;
  shopId: string | undefined;
  status: string | undefined;
  days: WholeDays;
}

export function totalSql(orders: CountedOrders, bind: Bind): string {
  return `(SELECT coalesce(sum(c.amount), 0) FROM (${countsSql(orders, bind)}) c)::bigint`;
}

/** Counts the orders created in part of a day row by row; ignores `days`. */
export function countSql(
  { orgId, shopId, status }: CountedOrders,
  piece: { from: string; to: string },
  bind: Bind,
): string {
  const conditions = [
    `org_id = ${bind(orgId)}::uuid`,
    ...(shopId === undefined ? [] : [`shop_id = ${bind(shopId)}::uuid`]),
    ...(status === undefined ? [] : [`status = ${bind(status)}`]),
    `created_at >= ${bind(piece.from)}::timestamptz`,
    `created_at < ${bind(piece.to)}::timestamptz`,
  ];
  return `(SELECT count(*) FROM core.orders WHERE ${conditions.join(' AND ')})`;
}

/** Rows (day, amount), possibly several per day; the day is -infinity when all days are counted. */
function countsSql({ orgId, shopId, status, days }: CountedOrders, bind: Bind, eachDay = false): string {
  const org = bind(orgId);
  const shop = shopId === undefined ? null : bind(shopId);
  const state = status === undefined ? null : bind(status);
  const range = [
    ...(days.from === undefined ? [] : [`day >= ${bind(days.from)}::date`]),
    ...(days.to === undefined ? [] : [`day < ${bind(days.to)}::date`]),
  ];
  const isWhole = range.length === 0 && !eachDay;
  const folded = [
    `org_id = ${org}::uuid`,
    `shop_id = ${shop ?? `'${EVERY_SHOP}'`}::uuid`,
    `status = ${state ?? `'${EVERY_STATUS}'`}`,
    ...(isWhole ? [`day = '${ALL_DAYS}'`] : [`day > '${ALL_DAYS}'`, ...range]),
  ];
  const open = [
    `org_id = ${org}::uuid`,
    ...(shop === null ? [] : [`shop_id = ${shop}::uuid`]),
    ...(state === null ? [] : [`status = ${state}`]),
    ...range,
  ];
  return `SELECT day, amount FROM core.order_counts WHERE ${folded.join(' AND ')}
    UNION ALL SELECT day, amount FROM core.order_count_deltas WHERE ${open.join(' AND ')}`;
}

/**
 * One row (day, rows_before): the last day, in the direction of the list, with at most `offset` orders before it. A page
 * at a large offset starts there.
 */
export function startDaySql(
  orders: CountedOrders,
  page: { offset: string; descending: boolean },
  bind: Bind,
): string {
  const [walked, furthest] = page.descending ? ['DESC', 'ASC'] : ['ASC', 'DESC'];
  return `SELECT p.day, p.rows_before::bigint AS rows_before FROM (
      SELECT d.day, sum(d.amount) OVER (ORDER BY d.day ${walked}) - d.amount AS rows_before FROM (
        SELECT c.day, sum(c.amount) AS amount FROM (${countsSql(orders, bind, true)}) c GROUP BY c.day
      ) d
    ) p WHERE p.rows_before <= ${page.offset}::bigint ORDER BY p.day ${furthest} LIMIT 1`;
}

/**
 * Moves deltas into the counts of every combination of one or all shops, statuses and days. An advisory lock lets one
 * process fold at a time.
 */
export const fold = statement<{ folded: number }, [number]>(
  'order_counts_fold',
  `WITH turn AS MATERIALIZED (
     SELECT pg_try_advisory_xact_lock(hashtext('core.order_counts')) AS mine
   ), taken AS (
     DELETE FROM core.order_count_deltas WHERE (SELECT mine FROM turn) AND position IN (
       SELECT position FROM core.order_count_deltas ORDER BY position LIMIT $1)
     RETURNING org_id, shop_id, status, day, amount
   ), sums AS (
     SELECT org_id, coalesce(shop_id, '${EVERY_SHOP}') AS shop_id, coalesce(status, '${EVERY_STATUS}') AS status,
            coalesce(day, '${ALL_DAYS}') AS day, sum(amount) AS amount
     FROM taken GROUP BY org_id, CUBE (shop_id, status, day)
   ), folding AS (
     INSERT INTO core.order_counts AS c (org_id, shop_id, status, day, amount)
     SELECT org_id, shop_id, status, day, amount FROM sums WHERE amount <> 0 ORDER BY 1, 2, 3, 4
     ON CONFLICT ON CONSTRAINT order_counts_pkey DO UPDATE SET amount = c.amount + excluded.amount
   )
   SELECT count(*)::int AS folded FROM taken`,
);

/**
 * Reads scan deleted deltas until a vacuum, and autovacuum runs too rarely. Never waits: it skips a locked table, and does
 * not truncate the file, which would need an exclusive lock.
 */
export const clear = statement<never, []>(
  'order_counts_clear',
  'VACUUM (SKIP_LOCKED, TRUNCATE FALSE) core.order_count_deltas',
);
