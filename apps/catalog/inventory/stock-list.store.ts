import {
  COURSE_DAYS,
  MAX_RUNNING_OUT,
  type RunningOutResponse,
  SALES_DAYS,
  type StockPoint,
  type StockQuery,
  type StockResponse,
  type StockRow,
} from '@offizin/contracts/products/stock';
import { filteredName } from '@offizin/operations/cursor-pages';
import { type Sql, statement } from '@offizin/pg/database';
import { folded } from '@offizin/pg/list-page';
import {
  columnsToSearch,
  containing,
  decodeNameCursor,
  encodeNameCursor,
  isNamed,
  isoUtc,
} from '../db/json-page';
import { SCHEMA } from '../db/schema';
import { ROW } from './inventory.store';
import { effective } from '../db/effective-product';

/** The stock by name, as the stock screen of the console shows it, and the course of one product. */

/** The rows of a file have no strength. */
type Listed = Omit<StockRow, 'thc' | 'cbd'> & Partial<StockRow>;
type PageRow = (Listed | { p1_id: null }) & { sort_name: string; total: number; low_total: number };

interface PageOf {
  orgId: string;
  words: string | null;
  low: boolean | null;
  afterName: string | null;
  afterId: string | null;
  rows: number;
}

const LOW = 'item.stock_quantity <= item.low_stock_threshold';
const NAMED = isNamed(columnsToSearch('item'), '$words');
const AFTER = (name: string, p1Id: string): string =>
  `($afterName::text IS NULL OR (${name}, ${p1Id}) > ($afterName, $afterId))`;

/** One row more than the page, which shows that there is a next one; without rows, one with the totals alone. */
const page = statement<PageRow, PageOf>(
  'stock_by_name',
  `WITH matching AS MATERIALIZED (
     SELECT item.*, ${folded('item.name')} AS sort_name FROM (${ROW}) AS item WHERE ${NAMED}
   ), totals AS (
     SELECT count(*)::int AS total, count(*) FILTER (WHERE ${LOW})::int AS low_total FROM matching AS item
   ), page AS (
     SELECT * FROM matching AS item
     WHERE ($low::boolean IS NULL OR (${LOW}) = $low) AND ${AFTER('sort_name', 'p1_id')}
     ORDER BY sort_name, p1_id LIMIT $rows
   )
   SELECT page.*, coalesce(i.thc, p.thc)::float8 AS thc, coalesce(i.cbd, p.cbd)::float8 AS cbd, totals.total, totals.low_total
   FROM totals LEFT JOIN page ON true LEFT JOIN ${SCHEMA}.inventory i ON i.org_id = $orgId AND i.p1_id = page.p1_id
     LEFT JOIN ${SCHEMA}.products p ON p.p1_id = page.p1_id
   ORDER BY page.sort_name, page.p1_id`,
);

/** The same rows without totals: only those after the cursor are collected. */
const rowsAlone = statement<PageRow, PageOf>(
  'stock_by_name_alone',
  `SELECT item.*, ${folded('item.name')} AS sort_name, 0 AS total, 0 AS low_total FROM (${ROW}) AS item
   WHERE ${NAMED} AND ($low::boolean IS NULL OR (${LOW}) = $low) AND ${AFTER(folded('item.name'), 'item.p1_id')}
   ORDER BY sort_name, p1_id LIMIT $rows`,
);

/** Throws `Refused` for a cursor of another list. */
export async function listStockByName(
  sql: Sql,
  orgId: string,
  query: StockQuery,
  needsTotals = true,
): Promise<StockResponse> {
  const { q, low_stock: low = null, cursor, limit } = query;
  const list = filteredName('stock', query);
  const after = cursor === undefined ? null : decodeNameCursor(list, cursor);
  const found = await sql.rows(needsTotals ? page : rowsAlone, {
    orgId,
    words: containing(q),
    low,
    afterName: after?.name ?? null,
    afterId: after?.p1Id ?? null,
    rows: limit + 1,
  });
  const rows = found.filter((row): row is PageRow & Listed => row.p1_id !== null);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    data: rows.slice(0, limit).map(shown),
    total: found[0]?.total ?? 0,
    low_total: found[0]?.low_total ?? 0,
    next_cursor: last ? encodeNameCursor(list, { name: last.sort_name, p1Id: last.p1_id }) : null,
  };
}

function shown(row: Listed): StockRow {
  const { p1_id, name, category, price, available, pzn, codes, created_at, updated_at } = row;
  const { stock_quantity, reserved_quantity, available_quantity, low_stock_threshold } = row;
  return {
    p1_id,
    name,
    category,
    price,
    thc: row.thc ?? null,
    cbd: row.cbd ?? null,
    available,
    pzn,
    codes,
    created_at,
    updated_at,
    stock_quantity,
    reserved_quantity,
    available_quantity,
    low_stock_threshold,
  };
}

const course = statement<StockPoint, [string, string, number]>(
  'stock_course',
  // From the newest entry back to the first older one: the log before that is not read.
  `WITH before AS MATERIALIZED (
     SELECT entry_number, stock_after, created_at FROM ${SCHEMA}.stock_log
     WHERE org_id = $1 AND p1_id = $2 AND created_at < now() - make_interval(days => $3)
     ORDER BY entry_number DESC LIMIT 1
   ), shown AS (
     SELECT entry_number, stock_after, created_at FROM before
     UNION ALL
     (SELECT DISTINCT ON ((created_at AT TIME ZONE 'Europe/Berlin')::date) entry_number, stock_after, created_at
      FROM ${SCHEMA}.stock_log
      WHERE org_id = $1 AND p1_id = $2 AND entry_number > coalesce((SELECT entry_number FROM before), 0)
      ORDER BY (created_at AT TIME ZONE 'Europe/Berlin')::date, entry_number DESC)
   )
   SELECT ${isoUtc('created_at')} AS at, stock_after AS stock_quantity FROM shown ORDER BY entry_number`,
);

/** The last entry of each day, oldest first, after the last entry before those days. */
export async function stockCourse(sql: Sql, orgId: string, p1Id: string): Promise<StockPoint[]> {
  return sql.rows(course, orgId, p1Id, COURSE_DAYS);
}

/** Products whose stock runs out soon, if as much is sold as of late. */

const found = statement<RunningOutResponse, [orgId: string, days: number, rows: number]>(
  'stock_running_out',
  // Per product, the log is read from its newest entry back to the first one that is too old.
  `WITH selling AS (
     SELECT i.p1_id, i.stock_quantity - i.reserved_quantity AS available_quantity, log.sold,
            least($2, ceil(extract(epoch FROM now() - i.created_at) / 86400)) AS days
     FROM ${SCHEMA}.inventory i, LATERAL (
       SELECT -sum(l.delta) AS sold FROM ${SCHEMA}.stock_log l
       WHERE l.org_id = i.org_id AND l.p1_id = i.p1_id AND l.reason = 'sold'
         AND l.created_at >= now() - make_interval(days => $2)
         AND l.entry_number > coalesce((
           SELECT b.entry_number FROM ${SCHEMA}.stock_log b
           WHERE b.org_id = i.org_id AND b.p1_id = i.p1_id AND b.created_at < now() - make_interval(days => $2)
           ORDER BY b.entry_number DESC LIMIT 1), 0)) log
     WHERE i.org_id = $1 AND log.sold > 0
   ), lasting AS (
     SELECT p1_id, available_quantity, sold, floor(available_quantity * days / sold) AS days_left
     FROM selling WHERE available_quantity * days <= $2 * sold
   ), page AS (
     SELECT l.p1_id, ${effective('name', 'organization')} AS name, l.available_quantity, l.sold, l.days_left
     FROM lasting l JOIN ${SCHEMA}.inventory i ON i.org_id = $1 AND i.p1_id = l.p1_id
       JOIN ${SCHEMA}.products p ON p.p1_id = l.p1_id
     ORDER BY days_left, l.sold DESC, l.p1_id LIMIT $3
   )
   SELECT (SELECT count(*) FROM lasting)::int AS total, coalesce(json_agg(page), '[]') AS data FROM page`,
);

export async function runningOut(sql: Sql, orgId: string): Promise<RunningOutResponse> {
  const [row] = await sql.rows(found, orgId, SALES_DAYS, MAX_RUNNING_OUT);
  return row ?? { data: [], total: 0 };
}
