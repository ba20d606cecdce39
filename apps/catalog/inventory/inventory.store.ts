import { lookedUpAs } from '@offizin/codes/product-numbers';
import { invalid } from '@offizin/contracts/calls/errors';
import type { InventoryListQuery } from '@offizin/contracts/products/inventory';
import { type CursorQuery, MAX_PAGE_SIZE, rowsToSkip } from '@offizin/contracts/calls/paging';
import { decodeCursor, encodeCursor, filteredName } from '@offizin/operations/cursor-pages';
import { type Sql, statement } from '@offizin/pg/database';
import { isHitOf, rowOf } from '@offizin/pg/queries';
import { effective, OWN_CODES } from '../db/effective-product';
import {
  BY_ID,
  bySort,
  containing,
  HAS_CODE,
  isNamed,
  isoUtc,
  isWithin,
  pageJson,
  pageSql,
  placeOf,
  type PageRow,
  readInFull,
  type SearchPlace,
  searchSql,
  shownById,
  type TimeFilter,
  timeFilter,
} from '../db/json-page';
import type { InventoryItemRow } from '../db/entities';
import { SCHEMA } from '../db/schema';

/** The row shows values of the catalog, too. */
const TIMES = { created_at: 'i.created_at', updated_at: 'greatest(i.updated_at, p.updated_at)' };
const LAYERS = `FROM ${SCHEMA}.inventory i JOIN ${SCHEMA}.products p ON p.p1_id = i.p1_id
  WHERE i.org_id = $orgId`;

/** InventoryRow of the organization `$orgId`; more conditions may follow. */
export const ROW = `SELECT i.p1_id,
    ${effective('name', 'organization')} AS name,
    ${effective('category', 'organization')} AS category,
    ${effective('price', 'organization')}::float8 AS price,
    i.stock_quantity, i.reserved_quantity,
    i.stock_quantity - i.reserved_quantity AS available_quantity,
    i.low_stock_threshold,
    ${effective('available', 'organization')} AS available,
    ${OWN_CODES.pzn} AS pzn, ${OWN_CODES.codes} AS codes,
    ${isoUtc(TIMES.created_at)} AS created_at, ${isoUtc(TIMES.updated_at)} AS updated_at
  ${LAYERS}`;

type JsonRow = { json: string };

const ITEM = `${ROW} AND i.p1_id = page.p1_id`;
const OWN = `FROM ${SCHEMA}.inventory i WHERE i.org_id = $orgId`;

/** Without filters, an index-only scan gives the total. */
const plainSql = (rows: string): string => pageSql({ rows, total: `SELECT count(*) ${OWN}`, order: BY_ID });

/** For the inner constant limit see product-list.store.ts. */
const firstPage = statement<PageRow, { orgId: string; limit: number }>(
  'inventory_first_page',
  plainSql(
    shownById(
      `SELECT * FROM (${ROW} ORDER BY i.p1_id LIMIT ${MAX_PAGE_SIZE + 1}) AS first LIMIT $limit::int + 1`,
    ),
  ),
);

const furtherPage = statement<PageRow, { orgId: string; limit: number; skip: number; afterId: string }>(
  'inventory_page',
  plainSql(
    readInFull(
      `SELECT i.p1_id, ${BY_ID.time} AS sort_time ${OWN} AND i.p1_id > $afterId::text
       ORDER BY i.p1_id LIMIT $limit::int + 1 OFFSET $skip::bigint`,
      ITEM,
    ),
  ),
);

interface Search extends SearchPlace, TimeFilter {
  orgId: string;
  words: string | null;
  lowStock: boolean | null;
  codes: string[] | null;
}
const searches = bySort(TIMES, (sort, order) =>
  statement<PageRow, Search>(
    `inventory_search by ${sort}`,
    searchSql(
      `SELECT i.p1_id, ${order.time} AS sort_time ${LAYERS}
        AND ${isNamed({ name: effective('name', 'organization'), p1Id: 'i.p1_id', ...OWN_CODES }, '$words')}
        AND ($lowStock::boolean IS NULL OR (i.stock_quantity <= i.low_stock_threshold) = $lowStock)
        AND ${HAS_CODE}
        AND ${isWithin(TIMES)}`,
      { item: ITEM, order },
    ),
  ),
);

const LIST = 'inventory';

/**
 * InventoryListResponse as JSON text. Throws `Refused` for a cursor of another list or order, and for a cursor together
 * with a page.
 */
export async function inventoryListJson(sql: Sql, orgId: string, query: InventoryListQuery): Promise<string> {
  const { limit, q, low_stock: lowStock = null, code, sort } = query;
  const place = placeOf(LIST, query);
  const codes = code === undefined ? null : lookedUpAs(code);
  const filters = { words: containing(q), lowStock, codes, ...timeFilter(query) };
  if (sort !== undefined || Object.values(filters).some((value) => value !== null)) {
    const search = searches[sort ?? 'p1_id'];
    const [row] = await sql.rows(search, { orgId, limit, ...place, ...filters });
    return pageJson(LIST, query, row);
  }
  const { skip, p1Id } = place;
  const isFirst = skip === 0 && p1Id === null;
  const [row] = isFirst
    ? await sql.rows(firstPage, { orgId, limit })
    : await sql.rows(furtherPage, { orgId, limit, skip, afterId: p1Id ?? '' });
  return pageJson(LIST, query, row);
}

const inventoryRow = statement<JsonRow, { orgId: string; p1Id: string }>(
  'inventory_row',
  `SELECT row_to_json(item)::text AS json FROM (${ROW} AND i.p1_id = $p1Id) AS item`,
);

/** InventoryRow as JSON text; null if not in the inventory. */
export async function inventoryRowJson(sql: Sql, orgId: string, p1Id: string): Promise<string | null> {
  const [row] = await sql.rows(inventoryRow, { orgId, p1Id });
  return row?.json ?? null;
}

/**
 * Entries are numbered without gaps, so a page is a range of numbers and every page costs the same. The cursor is the
 * number of the first entry of the next page (`$first`).
 */
const logPage = statement<
  { data: string; total: number; next: string | null },
  { orgId: string; p1Id: string; limit: number; skip: number; first: number | null }
>(
  'stock_log_page',
  `SELECT coalesce((SELECT json_agg(entry) FROM (
       SELECT l.id, l.p1_id, l.delta, l.stock_after, l.reason, l.note,
         coalesce(l.reference, l.order_id::text) AS reference, l.actor,
         ${isoUtc('l.created_at')} AS created_at
       FROM ${SCHEMA}.stock_log l
       WHERE l.org_id = i.org_id AND l.p1_id = i.p1_id
         AND l.entry_number <= first.number AND l.entry_number > first.number - $limit::bigint
       ORDER BY l.entry_number DESC
     ) AS entry), '[]'::json)::text AS data, i.log_entries::float8 AS total,
     CASE WHEN first.number > $limit::bigint THEN (first.number - $limit::bigint)::text END AS next
   FROM ${SCHEMA}.inventory i, LATERAL (SELECT coalesce($first::bigint, i.log_entries - $skip::bigint) AS number) first
   WHERE i.org_id = $orgId AND i.p1_id = $p1Id`,
);

/**
 * InventoryLogResponse as JSON text, newest first; null if the product is not in the inventory. Throws `Refused` for a
 * cursor of another list, or a cursor with an offset.
 */
export async function inventoryLogJson(
  sql: Sql,
  orgId: string,
  p1Id: string,
  { limit, offset, cursor }: CursorQuery,
): Promise<string | null> {
  if (cursor !== undefined && offset !== undefined) {
    throw invalid([{ field: 'offset', message: 'must not be given together with cursor' }]);
  }
  const list = filteredName('stock-log', { p1Id });
  const isNumber = (text: string): boolean => /^[1-9]\d{0,9}$/.test(text);
  const first = cursor === undefined ? null : Number(decodeCursor(list, cursor, isNumber));
  const [row] = await sql.rows(logPage, { orgId, p1Id, limit, skip: rowsToSkip(offset), first });
  if (!row) return null;
  const { data, total, next } = row;
  const next_cursor = next === null ? null : encodeCursor(list, next);
  return `{"data":${data},"pagination":${JSON.stringify({ limit, offset: offset ?? 0, total, next_cursor })}}`;
}

/**
 * Adds a catalog product without stock. null if it was already added, is not in the catalog, or its slug is taken;
 * `slugWithId` makes the slug unique by the product id.
 */
export const insertInventoryItem = rowOf<
  Pick<InventoryItemRow, 'low_stock_threshold'>,
  { orgId: string; p1Id: string; price: number | null; slugWithId: boolean }
>(
  'inventory_insert',
  `INSERT INTO ${SCHEMA}.inventory (org_id, p1_id, price, slug)
   SELECT $orgId, p.p1_id, $price::numeric,
     CASE WHEN NOT $slugWithId THEN p.slug
       WHEN p.p1_id ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(p.p1_id) <= 100 THEN rtrim(left(p.slug, 150), '-') || '-' || p.p1_id
       -- Ids of other characters differ in them alone.
       ELSE rtrim(left(p.slug, 150), '-') || '-' || md5(p.p1_id) END
   FROM ${SCHEMA}.products p WHERE p.p1_id = $p1Id
   ON CONFLICT DO NOTHING
   RETURNING low_stock_threshold`,
);

export const isInCatalog = isHitOf<[p1Id: string]>(
  'inventory_in_catalog',
  `SELECT true AS found FROM ${SCHEMA}.products WHERE p1_id = $1`,
);
