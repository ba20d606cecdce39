import { type Sql, statement } from '@offizin/pg/database';
import { changeOf } from '@offizin/pg/queries';
import type { Bind } from '@offizin/pg/list-page';

/**
 * Exact numbers of rows without counting them (decision 0017). Triggers append a delta per table, organization, shop,
 * status and day (db/0001-schema.sql); order-core folds the deltas into core.row_counts. A total is the folded count
 * plus the open deltas, read in one snapshot. Lists embed these expressions: orders/sql/rendered/list-*.sql.
 */

/** "All" in core.row_counts. */
const EVERY_SHOP = '00000000-0000-0000-0000-000000000000';
const EVERY_STATUS = '';
const ALL_DAYS = '-infinity';

/** A page at a larger offset starts at the day that the counters name; a nearer one is cheaper to reach by walking. */
export const WALKED_AT_MOST = 2_000;

/** Whole days in UTC, YYYY-MM-DD, `to` exclusive. */
export interface WholeDays {
  from: string | undefined;
  to: string | undefined;
}

/** Which rows are counted; undefined means all. */
export interface CountedRows {
  table: 'orders' | 'order_requests';
  orgId: string;
  shopId?: string | undefined;
  /** One of them. */
  statuses?: readonly string[] | undefined;
  isTest?: boolean | undefined;
  days?: WholeDays;
}

export function totalSql(rows: CountedRows, bind: Bind): string {
  return `(SELECT coalesce(sum(c.amount), 0) FROM (${countsSql(rows, bind)}) c)::bigint`;
}

/** Counts the rows created in part of a day one by one; ignores `days`. */
export function countSql(
  { table, orgId, shopId, statuses, isTest }: CountedRows,
  piece: { from: string; to: string },
  bind: Bind,
): string {
  const conditions = [
    `org_id = ${bind(orgId)}::uuid`,
    ...(shopId === undefined ? [] : [`shop_id = ${bind(shopId)}::uuid`]),
    ...(statuses === undefined ? [] : [isOneOf(statuses, bind)]),
    ...(isTest === undefined ? [] : [`is_test = ${bind(isTest)}::boolean`]),
    `created_at >= ${bind(piece.from)}::timestamptz`,
    `created_at < ${bind(piece.to)}::timestamptz`,
  ];
  return `(SELECT count(*) FROM core.${table} WHERE ${conditions.join(' AND ')})`;
}

/** Rows (day, amount), possibly several per day; the day is -infinity when all days are counted. */
function countsSql(
  { table, orgId, shopId, statuses, isTest, days }: CountedRows,
  bind: Bind,
  eachDay = false,
): string {
  const org = bind(orgId);
  const shop = shopId === undefined ? null : bind(shopId);
  const state = statuses === undefined ? null : isOneOf(statuses, bind);
  const range = [
    ...(days?.from === undefined ? [] : [`day >= ${bind(days.from)}::date`]),
    ...(days?.to === undefined ? [] : [`day < ${bind(days.to)}::date`]),
  ];
  // Rows of test shops are counted apart.
  const counted =
    isTest === undefined
      ? `counted IN ('${table}', '${table}_test')`
      : `counted = '${table}${isTest ? '_test' : ''}'`;
  const isWhole = range.length === 0 && !eachDay;
  const folded = [
    `org_id = ${org}::uuid`,
    counted,
    `shop_id = ${shop ?? `'${EVERY_SHOP}'`}::uuid`,
    state ?? `status = '${EVERY_STATUS}'`,
    ...(isWhole ? [`day = '${ALL_DAYS}'`] : [`day > '${ALL_DAYS}'`, ...range]),
  ];
  const open = [
    `org_id = ${org}::uuid`,
    counted,
    ...(shop === null ? [] : [`shop_id = ${shop}::uuid`]),
    ...(state === null ? [] : [state]),
    ...range,
  ];
  return `SELECT day, amount FROM core.row_counts WHERE ${folded.join(' AND ')}
    UNION ALL SELECT day, amount FROM core.row_count_deltas WHERE ${open.join(' AND ')}`;
}

function isOneOf(statuses: readonly string[], bind: Bind): string {
  return statuses.length === 1 ? `status = ${bind(statuses[0])}` : `status = ANY(${bind(statuses)}::text[])`;
}

/**
 * One row (day, rows_before): the last day, in the direction of the list, with at most `offset` rows before it. A page
 * at a large offset starts there.
 */
export function startDaySql(
  rows: CountedRows,
  page: { offset: string; descending: boolean },
  bind: Bind,
): string {
  const [walked, furthest] = page.descending ? ['DESC', 'ASC'] : ['ASC', 'DESC'];
  return `SELECT p.day, p.rows_before::bigint AS rows_before FROM (
      SELECT d.day, sum(d.amount) OVER (ORDER BY d.day ${walked}) - d.amount AS rows_before FROM (
        SELECT c.day, sum(c.amount) AS amount FROM (${countsSql(rows, bind, true)}) c GROUP BY c.day
      ) d
    ) p WHERE p.rows_before <= ${page.offset}::bigint ORDER BY p.day ${furthest} LIMIT 1`;
}

/**
 * Moves deltas into the counts of every combination of one or all shops, statuses and days. An advisory lock lets one
 * process fold at a time.
 */
const fold = statement<{ folded: number }, [number]>(
  'row_counts_fold',
  `WITH turn AS MATERIALIZED (
     SELECT pg_try_advisory_xact_lock(hashtext('core.row_counts')) AS mine
   ), taken AS (
     DELETE FROM core.row_count_deltas WHERE (SELECT mine FROM turn) AND position IN (
       SELECT position FROM core.row_count_deltas ORDER BY position LIMIT $1)
     RETURNING counted, org_id, shop_id, status, day, amount
   ), sums AS (
     SELECT counted, org_id, coalesce(shop_id, '${EVERY_SHOP}') AS shop_id, coalesce(status, '${EVERY_STATUS}') AS status,
            coalesce(day, '${ALL_DAYS}') AS day, sum(amount) AS amount
     FROM taken GROUP BY counted, org_id, CUBE (shop_id, status, day)
   ), folding AS (
     INSERT INTO core.row_counts AS c (counted, org_id, shop_id, status, day, amount)
     SELECT counted, org_id, shop_id, status, day, amount FROM sums WHERE amount <> 0 ORDER BY 1, 2, 3, 4, 5
     ON CONFLICT ON CONSTRAINT row_counts_pkey DO UPDATE SET amount = c.amount + excluded.amount
   )
   SELECT count(*)::int AS folded FROM taken`,
);

/**
 * Frees the space of folded deltas. Reads scan deleted deltas until a vacuum, and autovacuum runs too rarely. Never
 * waits: it skips a locked table, and does not truncate the file, which would need an exclusive lock.
 */
export const clearFolded = changeOf<[]>(
  'row_counts_clear',
  'VACUUM (SKIP_LOCKED, TRUNCATE FALSE) core.row_count_deltas',
);

/** Resolves with the number of folded deltas; 0 while another process is folding. */
export async function foldCounts(sql: Sql, limit: number): Promise<number> {
  return (await sql.rows(fold, limit))[0]?.folded ?? 0;
}
