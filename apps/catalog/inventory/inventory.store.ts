import { invalid } from '@offizin/contracts/errors';
import type { InventoryListQuery } from '@offizin/contracts/inventory';
import { type CursorQuery, rowsToSkip } from '@offizin/contracts/paging';
import { type Sql, statement } from '@offizin/pg/database';
import { effective } from '../db/effective-product';
import { containing, isNamed, isoUtc, pageJson, skipped } from '../db/json-page';
import { SCHEMA } from '../db/schema';

/** The row shows values of the catalog, too. */
const CHANGED_AT = 'greatest(i.updated_at, p.updated_at)';

/** InventoryRow of the organization `$1`; more conditions may follow. */
export const ROW = `SELECT i.p1_id,
    ${effective('name', 'organization')} AS name,
    ${effective('category', 'organization')} AS category,
    ${effective('price', 'organization')}::float8 AS price,
    i.stock_quantity, i.reserved_quantity,
    i.stock_quantity - i.reserved_quantity AS available_quantity,
    i.low_stock_threshold,
    ${effective('available', 'organization')} AS available,
    ${isoUtc(CHANGED_AT)} AS updated_at
  FROM ${SCHEMA}.inventory i JOIN ${SCHEMA}.products p ON p.p1_id = i.p1_id
  WHERE i.org_id = $1`;

type JsonRow = { json: string };

const inventoryPage = statement<JsonRow, [string, number, number]>(
  'inventory_page',
  `WITH page AS (${ROW} ORDER BY i.p1_id LIMIT $2 OFFSET ${skipped('$2', '$3')})
   SELECT ${pageJson({
     total: `SELECT count(*) FROM ${SCHEMA}.inventory WHERE org_id = $1`,
     limit: '$2',
     page: '$3',
     orderBy: 'p1_id',
   })}`,
);

type SearchValues = [string, number, number, string | null, boolean | null, string | null];
const inventorySearch = statement<JsonRow, SearchValues>(
  'inventory_search',
  `WITH matching AS MATERIALIZED (${ROW}
     AND ${isNamed({ name: effective('name', 'organization'), p1Id: 'i.p1_id' }, '$4')}
     AND ($5::boolean IS NULL OR (i.stock_quantity <= i.low_stock_threshold) = $5)
     AND ($6::timestamptz IS NULL OR ${CHANGED_AT} >= $6)
   ), page AS (
     SELECT * FROM matching ORDER BY p1_id LIMIT $2 OFFSET ${skipped('$2', '$3')}
   )
   SELECT ${pageJson({ total: 'SELECT count(*) FROM matching', limit: '$2', page: '$3', orderBy: 'p1_id' })}`,
);

/** InventoryListResponse as JSON text. */
export async function inventoryListJson(sql: Sql, orgId: string, query: InventoryListQuery): Promise<string> {
  const { limit, page, q, low_stock: lowStock, updated_since: since } = query;
  const filtered = q !== undefined || lowStock !== undefined || since !== undefined;
  const [row] = filtered
    ? await sql.rows(inventorySearch, orgId, limit, page, containing(q), lowStock ?? null, since ?? null)
    : await sql.rows(inventoryPage, orgId, limit, page);
  return row?.json ?? '';
}

const inventoryRow = statement<JsonRow, [string, string]>(
  'inventory_row',
  `SELECT row_to_json(item)::text AS json FROM (${ROW} AND i.p1_id = $2) AS item`,
);

/** InventoryRow as JSON text; null if not in the inventory. */
export async function inventoryRowJson(sql: Sql, orgId: string, p1Id: string): Promise<string | null> {
  const [row] = await sql.rows(inventoryRow, orgId, p1Id);
  return row?.json ?? null;
}

/**
 * Entries are numbered without gaps, so a page is a range of numbers and every page costs the same. The cursor is the
 * number of the first entry of the next page ($5).
 */
const logPage = statement<JsonRow, [string, string, number, number, number | null, number]>(
  'stock_log_page',
  `SELECT json_build_object(
     'data', coalesce((SELECT json_agg(entry) FROM (
       SELECT l.id, l.p1_id, l.delta, l.stock_after, l.reason, l.note,
         coalesce(l.reference, l.order_id::text) AS reference, l.actor,
         ${isoUtc('l.created_at')} AS created_at
       FROM ${SCHEMA}.stock_log l
       WHERE l.org_id = i.org_id AND l.p1_id = i.p1_id
         AND l.entry_number <= first.number AND l.entry_number > first.number - $3::bigint
       ORDER BY l.entry_number DESC
     ) AS entry), '[]'::json),
     'pagination', json_build_object('limit', $3::bigint, 'offset', $6::numeric, 'total', i.log_entries, 'next_cursor',
       CASE WHEN first.number > $3::bigint THEN (first.number - $3::bigint)::text END)
   )::text AS json
   FROM ${SCHEMA}.inventory i, LATERAL (SELECT coalesce($5::bigint, i.log_entries - $4::bigint) AS number) first
   WHERE i.org_id = $1 AND i.p1_id = $2`,
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
  if (cursor !== undefined && !/^[1-9]\d{0,9}$/.test(cursor)) {
    throw invalid([{ field: 'cursor', message: 'does not belong to this list' }]);
  }
  const first = cursor === undefined ? null : Number(cursor);
  const [row] = await sql.rows(logPage, orgId, p1Id, limit, rowsToSkip(offset ?? 0), first, offset ?? 0);
  return row?.json ?? null;
}

const insertItem = statement<{ low_stock_threshold: number }, [string, string, number | null, boolean]>(
  'inventory_insert',
  `INSERT INTO ${SCHEMA}.inventory (org_id, p1_id, price, slug)
   SELECT $1, p.p1_id, $3::numeric,
     CASE WHEN $4 THEN left(p.slug, 150) || '-' || left(p.p1_id, 100) ELSE p.slug END
   FROM ${SCHEMA}.products p WHERE p.p1_id = $2
   ON CONFLICT DO NOTHING
   RETURNING low_stock_threshold`,
);

/**
 * Adds a catalog product without stock. null if it was already added, is not in the catalog, or its slug is taken;
 * `slugWithId` makes the slug unique by the product id.
 */
export async function insertInventoryItem(
  tx: Sql,
  orgId: string,
  p1Id: string,
  price: number | null,
  slugWithId: boolean,
): Promise<{ low_stock_threshold: number } | null> {
  const [row] = await tx.rows(insertItem, orgId, p1Id, price, slugWithId);
  return row ?? null;
}

const inCatalog = statement<{ found: boolean }, [string]>(
  'inventory_in_catalog',
  `SELECT true AS found FROM ${SCHEMA}.products WHERE p1_id = $1`,
);

export async function isInCatalog(tx: Sql, p1Id: string): Promise<boolean> {
  return (await tx.rows(inCatalog, p1Id)).length > 0;
}
