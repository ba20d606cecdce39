import { MAX_PAGE_SIZE } from '@offizin/contracts/paging';
import type { ProductListQuery } from '@offizin/contracts/products';
import type { ReviewProduct } from '@offizin/contracts/review-products';
import { type Sql, statement } from '@offizin/pg/database';
import { folded } from '@offizin/pg/list-page';
import { effective, productColumns, summaryColumns } from '../db/effective-product';
import { containing, isNamed, pageJson, skipped } from '../db/json-page';
import { SCHEMA } from '../db/schema';
import type { ProductValues } from './product-change';

const ATTACHED = `FROM ${SCHEMA}.shop_products s
  JOIN ${SCHEMA}.inventory i ON i.org_id = s.org_id AND i.p1_id = s.p1_id
  JOIN ${SCHEMA}.products p ON p.p1_id = s.p1_id
  WHERE s.org_id = $1::uuid AND s.shop_id = $2::uuid AND s.attached`;

type JsonRow = { json: string };

/** Without filters only the rows of the page are overlaid; an index-only scan gives the total. */
function pageSql(page: string): string {
  return `WITH page AS (${page}), total AS (
    SELECT count(*) AS total FROM ${SCHEMA}.shop_products s
    WHERE s.org_id = $1::uuid AND s.shop_id = $2::uuid AND s.attached
  )
  SELECT ${pageJson({ total: 'SELECT total FROM total', limit: '$3', page: '$4', orderBy: 'p1_id' })}`;
}

/**
 * The inner constant limit changes no result. Without it the planner considers the generic plan too expensive and
 * re-plans every call, because it does not know the value of $3.
 */
const firstPage = statement<JsonRow, [string, string, number, number]>(
  'product_first_page',
  pageSql(`SELECT * FROM (
    SELECT ${summaryColumns('shop')} ${ATTACHED} ORDER BY s.p1_id LIMIT ${MAX_PAGE_SIZE}
  ) AS shown LIMIT $3::int`),
);

const furtherPage = statement<JsonRow, [string, string, number, number]>(
  'product_page',
  pageSql(
    `SELECT ${summaryColumns('shop')} ${ATTACHED} ORDER BY s.p1_id LIMIT $3 OFFSET ${skipped('$3', '$4')}`,
  ),
);

/** Filters apply to effective values, so every product of the shop is overlaid. */
const productSearch = statement<
  JsonRow,
  [string, string, number, number, string | null, string | null, boolean | null]
>(
  'product_search',
  `WITH matching AS MATERIALIZED (
    SELECT ${summaryColumns('shop')} ${ATTACHED}
      AND ${isNamed({ name: effective('name', 'shop'), p1Id: 's.p1_id' }, '$5')}
      AND ($6::text IS NULL OR ${effective('category', 'shop')} = $6)
      AND ($7::boolean IS NULL OR ${effective('available', 'shop')} = $7)
  ), page AS (
    SELECT * FROM matching ORDER BY p1_id LIMIT $3 OFFSET ${skipped('$3', '$4')}
  )
  SELECT ${pageJson({ total: 'SELECT count(*) FROM matching', limit: '$3', page: '$4', orderBy: 'p1_id' })}`,
);

/** ProductListResponse as JSON text. Concurrent first pages cost about the same, so they are coalesced. */
export async function productListJson(
  { alone, shared }: { alone: Sql; shared: Sql },
  orgId: string,
  query: ProductListQuery,
): Promise<string> {
  const { shop_id: shopId, limit, page, q, category, available } = query;
  const filtered = q !== undefined || category !== undefined || available !== undefined;
  const [row] = filtered
    ? await alone.rows(
        productSearch,
        orgId,
        shopId,
        limit,
        page,
        containing(q),
        category ?? null,
        available ?? null,
      )
    : page === 1
      ? await shared.rows(firstPage, orgId, shopId, limit, page)
      : await alone.rows(furtherPage, orgId, shopId, limit, page);
  return row?.json ?? '';
}

const organizationProduct = statement<JsonRow, [string, string]>(
  'organization_product',
  `SELECT row_to_json(product)::text AS json FROM (
    SELECT ${productColumns('organization')}
    FROM ${SCHEMA}.inventory i JOIN ${SCHEMA}.products p ON p.p1_id = i.p1_id
    WHERE i.org_id = $1 AND i.p1_id = $2
  ) AS product`,
);

/** Product with the organization's values, as JSON text; null if not in the inventory. */
export async function organizationProductJson(sql: Sql, orgId: string, p1Id: string): Promise<string | null> {
  const [row] = await sql.rows(organizationProduct, orgId, p1Id);
  return row?.json ?? null;
}

const shopProduct = statement<JsonRow, [string, string, string]>(
  'shop_product',
  `SELECT row_to_json(product)::text AS json FROM (
    SELECT ${productColumns('shop')} ${ATTACHED} AND s.p1_id = $3
  ) AS product`,
);

/** Product with the shop's values, as JSON text; null if not attached. */
export async function shopProductJson(
  sql: Sql,
  orgId: string,
  shopId: string,
  p1Id: string,
): Promise<string | null> {
  const [row] = await sql.rows(shopProduct, orgId, shopId, p1Id);
  return row?.json ?? null;
}

const lockValues = statement<ProductValues & { catalog_slug: string }, [string, string]>(
  'product_values_lock',
  `SELECT i.name, i.slug, i.description, i.category, i.price::float8 AS price, i.thc, i.cbd, i.available,
     i.low_stock_threshold, p.slug AS catalog_slug
   FROM ${SCHEMA}.inventory i JOIN ${SCHEMA}.products p ON p.p1_id = i.p1_id
   WHERE i.org_id = $1 AND i.p1_id = $2
   FOR NO KEY UPDATE OF i`,
);

/** The organization's own values, locked until the transaction ends; null if not in the inventory. */
export async function lockProductValues(
  tx: Sql,
  orgId: string,
  p1Id: string,
): Promise<(ProductValues & { catalog_slug: string }) | null> {
  const [row] = await tx.rows(lockValues, orgId, p1Id);
  return row ?? null;
}

function patched(column: string, type: string): string {
  return `${column} = CASE WHEN change.given ? '${column}'
    THEN (change.given->>'${column}')::${type} ELSE i.${column} END`;
}

const writeValues = statement<{ event_sequence: number }, [string, string, string]>(
  'product_values_write',
  `UPDATE ${SCHEMA}.inventory i SET
    ${patched('name', 'text')}, ${patched('slug', 'text')}, ${patched('description', 'text')},
    ${patched('category', 'text')}, ${patched('price', 'numeric')}, ${patched('thc', 'float8')},
    ${patched('cbd', 'float8')}, ${patched('available', 'boolean')},
    ${patched('low_stock_threshold', 'integer')},
    event_sequence = i.event_sequence + 1, updated_at = clock_timestamp()
   FROM (SELECT $3::jsonb AS given) AS change
   WHERE i.org_id = $1 AND i.p1_id = $2
   RETURNING i.event_sequence`,
);

/** Writes the given values; returns the sequence of the event about it. */
export async function writeProductValues(
  tx: Sql,
  orgId: string,
  p1Id: string,
  change: Partial<ProductValues>,
): Promise<number> {
  const [row] = await tx.rows(writeValues, orgId, p1Id, JSON.stringify(change));
  return row?.event_sequence ?? 0;
}

const REVIEW_COLUMNS = `p.p1_id, i.p1_id IS NOT NULL AS in_inventory,
  ${effective('name', 'organization')} AS name,
  ${effective('category', 'organization')} AS category,
  coalesce(i.thc, p.thc)::text AS thc, coalesce(i.cbd, p.cbd)::text AS cbd,
  i.stock_quantity - i.reserved_quantity AS available,
  ${effective('price', 'organization')}::float8 AS price`;

const forReview = statement<ReviewProduct, [string, readonly string[]]>(
  'products_for_review',
  `SELECT ${REVIEW_COLUMNS}
   FROM ${SCHEMA}.products p LEFT JOIN ${SCHEMA}.inventory i ON i.org_id = $1 AND i.p1_id = p.p1_id
   WHERE p.p1_id = ANY ($2::text[]) ORDER BY p.p1_id`,
);

/** The organization's values, or those of the catalog for a product that is not in the inventory. */
export async function reviewProducts(
  sql: Sql,
  orgId: string,
  p1Ids: readonly string[],
): Promise<ReviewProduct[]> {
  return sql.rows(forReview, orgId, p1Ids);
}

const foundForReview = statement<ReviewProduct, [string, string | null, number]>(
  'products_found_for_review',
  `SELECT ${REVIEW_COLUMNS}
   FROM ${SCHEMA}.inventory i JOIN ${SCHEMA}.products p ON p.p1_id = i.p1_id
   WHERE i.org_id = $1
     AND ${isNamed({ name: effective('name', 'organization'), p1Id: 'i.p1_id' }, '$2')}
   ORDER BY ${folded(effective('name', 'organization'))}, p.p1_id LIMIT $3`,
);

/** The first `limit` products of the inventory whose name or id contains the words. */
export async function findForReview(
  sql: Sql,
  orgId: string,
  { words, limit }: { words: string | undefined; limit: number },
): Promise<ReviewProduct[]> {
  return sql.rows(foundForReview, orgId, containing(words), limit);
}
