import type { ReviewProduct } from '@offizin/contracts/review-products';
import { type Sql, statement } from '@offizin/pg/database';
import { folded } from '@offizin/pg/list-page';
import { effective, productColumns } from '../db/effective-product';
import { containing, isNamed } from '../db/json-page';
import { SCHEMA } from '../db/schema';
import type { ProductValues } from './product-change';
import { OF_SHOP } from './product-list.store';

type JsonRow = { json: string };

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
    SELECT ${productColumns('shop')} ${OF_SHOP} AND s.attached AND s.p1_id = $3
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
