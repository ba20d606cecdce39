import { lookedUpAs } from '@offizin/codes/product-numbers';
import type { ReviewProduct } from '@offizin/contracts/requests/review-products';
import { type Sql, statement } from '@offizin/pg/database';
import { rowOf, rowsOf } from '@offizin/pg/queries';
import { folded } from '@offizin/pg/list-page';
import { MAX_PAGE_SIZE } from '@offizin/contracts/calls/paging';
import {
  DETACHED_SHOWN_DAYS,
  type ListForPartnerBody,
  type ProductListQuery,
} from '@offizin/contracts/products/products';
import { effective, OWN_CODES, productColumns, shopValue, shownColumns } from '../db/effective-product';
import {
  BY_ID,
  bySort,
  containing,
  cursorPageJson,
  HAS_CODE,
  isNamed,
  isoUtc,
  isWithin,
  type ListOrder,
  pageJson,
  type PageRow,
  pageSql,
  placeOf,
  readInFull,
  type SearchPlace,
  searchSql,
  shownById,
  type TimeFilter,
  timeFilter,
} from '../db/json-page';
import type { InventoryItemRow, ProductRow } from '../db/entities';
import { SCHEMA } from '../db/schema';
import type { ProductValues } from './product-change';

/**
 * The products of a shop, as pages. The row of a detached product stays, because its events keep their numbers, and
 * only attaching writes it again: it was last written when the product was detached.
 */

/** SQL: the layers of the products of shop `$shopId`; more conditions may follow. */
const OF_SHOP = `FROM ${SCHEMA}.shop_products s
  JOIN ${SCHEMA}.inventory i ON i.org_id = s.org_id AND i.p1_id = s.p1_id
  JOIN ${SCHEMA}.products p ON p.p1_id = s.p1_id
  WHERE s.org_id = $orgId::uuid AND s.shop_id = $shopId::uuid`;

/** The product shows values of every layer. */
const TIMES = {
  created_at: 's.created_at',
  updated_at: 'greatest(s.updated_at, i.updated_at, p.updated_at)',
};
const AVAILABLE = `(s.attached AND ${effective('available', 'shop')})`;

const SHOWN = `SELECT ${shownColumns('shop', AVAILABLE)},
    ${isoUtc(TIMES.created_at)} AS created_at, ${isoUtc(TIMES.updated_at)} AS updated_at,
    CASE WHEN NOT s.attached THEN ${isoUtc('s.updated_at')} END AS detached_at
  ${OF_SHOP}`;
const ITEM = `${SHOWN} AND s.p1_id = page.p1_id`;

const ATTACHED = `FROM ${SCHEMA}.shop_products s
  WHERE s.org_id = $orgId::uuid AND s.shop_id = $shopId::uuid AND s.attached`;

/** Without filters, an index-only scan gives the total. */
const attachedSql = (rows: string): string =>
  pageSql({ rows, total: `SELECT count(*) ${ATTACHED}`, order: BY_ID });

/**
 * The inner constant limit changes no result. Without it the planner considers the generic plan too expensive and
 * re-plans every call, because it does not know the value of `$limit`.
 */
const firstPage = statement<PageRow, { orgId: string; shopId: string; limit: number }>(
  'product_first_page',
  attachedSql(
    shownById(`SELECT * FROM (
      ${SHOWN} AND s.attached ORDER BY s.p1_id LIMIT ${MAX_PAGE_SIZE + 1}
    ) AS first LIMIT $limit::int + 1`),
  ),
);

const furtherPage = statement<
  PageRow,
  { orgId: string; shopId: string; limit: number; skip: number; afterId: string }
>(
  'product_page',
  attachedSql(
    readInFull(
      `SELECT s.p1_id, ${BY_ID.time} AS sort_time ${ATTACHED} AND s.p1_id > $afterId::text
       ORDER BY s.p1_id LIMIT $limit::int + 1 OFFSET $skip::bigint`,
      ITEM,
    ),
  ),
);

interface Search extends SearchPlace, TimeFilter {
  orgId: string;
  shopId: string;
  words: string | null;
  category: string | null;
  available: boolean | null;
  codes: string[] | null;
  showsDetached: boolean;
}

/** Filters apply to the values that are shown, so every product of the shop is overlaid. */
const searches = bySort(TIMES, (sort, order) =>
  statement<PageRow, Search>(
    `product_search by ${sort}`,
    searchSql(
      `SELECT s.p1_id, ${order.time} AS sort_time ${OF_SHOP}
        AND (s.attached OR ($showsDetached::boolean AND s.updated_at > now() - make_interval(days => ${DETACHED_SHOWN_DAYS})))
        AND ${isNamed({ name: effective('name', 'shop'), p1Id: 's.p1_id', ...OWN_CODES }, '$words')}
        AND ($category::text IS NULL OR ${effective('category', 'shop')} = $category)
        AND ($available::boolean IS NULL OR ${AVAILABLE} = $available)
        AND ${HAS_CODE}
        AND ${isWithin(TIMES)}`,
      { item: ITEM, order },
    ),
  ),
);

const LIST = 'products';

/**
 * ProductListResponse as JSON text. Concurrent first pages cost about the same, so they are coalesced. Throws `Refused`
 * for a cursor of another list or order, and for a cursor together with a page.
 */
export async function productListJson(
  { alone, shared }: { alone: Sql; shared: Sql },
  orgId: string,
  query: ProductListQuery,
): Promise<string> {
  const { shop_id: shopId, limit, q, category = null, available = null, code, sort } = query;
  const place = placeOf(LIST, query);
  const codes = code === undefined ? null : lookedUpAs(code);
  const filters = { words: containing(q), category, available, codes, ...timeFilter(query) };
  if (sort !== undefined || Object.values(filters).some((value) => value !== null)) {
    const showsDetached = listsChanges(query);
    const search = searches[sort ?? 'p1_id'];
    const [row] = await alone.rows(search, { orgId, shopId, limit, ...place, ...filters, showsDetached });
    return pageJson(LIST, query, row);
  }
  const { skip, p1Id } = place;
  const isFirst = skip === 0 && p1Id === null;
  const [row] = isFirst
    ? await shared.rows(firstPage, { orgId, shopId, limit })
    : await alone.rows(furtherPage, { orgId, shopId, limit, skip, afterId: p1Id ?? '' });
  return pageJson(LIST, query, row);
}

/**
 * Only such a list shows detached products. One in the order of changes does, too, without a time: a product that is
 * detached while it is walked would otherwise disappear without a trace.
 */
function listsChanges({ updated_since: since, sort }: ProductListQuery): boolean {
  return since !== undefined || sort === 'updated_at' || sort === '-updated_at';
}

/** SQL: a partner does not see how a product develops after it was detached. */
const ofAttached = (value: string): string => `CASE WHEN s.attached THEN ${value} END`;
/** When the part that a partner sees was changed. */
const SHOWN_TIME = `CASE WHEN s.attached THEN greatest(s.updated_at, i.shown_at, p.updated_at) ELSE s.updated_at END`;
const FOR_PARTNER = `SELECT i.p1_id,
    ${ofAttached(effective('name', 'shop'))} AS name,
    ${ofAttached(effective('category', 'shop'))} AS category,
    ${ofAttached(`${effective('price', 'shop')}::float8`)} AS price,
    ${ofAttached('coalesce(i.thc, p.thc)')} AS thc,
    ${ofAttached('coalesce(i.cbd, p.cbd)')} AS cbd,
    ${AVAILABLE} AS available,
    ${ofAttached(`${SCHEMA}.stock_class(i.stock_quantity - i.reserved_quantity, i.low_stock_threshold)`)} AS stock,
    ${ofAttached(OWN_CODES.pzn)} AS pzn,
    ${isoUtc(SHOWN_TIME)} AS updated_at, CASE WHEN NOT s.attached THEN ${isoUtc('s.updated_at')} END AS detached_at
  ${OF_SHOP} AND s.p1_id = page.p1_id`;

const partnerPage = statement<PageRow, { orgId: string; shopId: string; limit: number; afterId: string }>(
  'partner_products',
  pageSql({
    rows: readInFull(
      `SELECT s.p1_id, ${BY_ID.time} AS sort_time ${ATTACHED} AND s.p1_id > $afterId::text
       ORDER BY s.p1_id LIMIT $limit::int + 1`,
      FOR_PARTNER,
    ),
    total: '0::bigint',
    order: BY_ID,
  }),
);

const BY_SHOWN_TIME: ListOrder = { time: SHOWN_TIME, descending: false };
const partnerChanges = statement<PageRow, SearchPlace & { orgId: string; shopId: string; since: string }>(
  'partner_product_changes',
  searchSql(
    `SELECT s.p1_id, ${SHOWN_TIME} AS sort_time ${OF_SHOP} AND ${SHOWN_TIME} >= $since::timestamptz
      AND (s.attached OR s.updated_at > now() - make_interval(days => ${DETACHED_SHOWN_DAYS}))`,
    { item: FOR_PARTNER, order: BY_SHOWN_TIME },
  ),
);

/** PartnerProductsResponse as JSON text: by id, or the changes in their order. Throws `Refused` for a foreign cursor. */
export async function partnerProductsJson(sql: Sql, query: ListForPartnerBody): Promise<string> {
  const { org_id: orgId, shop_id: shopId, limit, updated_since: since } = query;
  const list = 'partner-products';
  const place = placeOf(list, query);
  const [row] =
    since === undefined
      ? await sql.rows(partnerPage, { orgId, shopId, limit, afterId: place.p1Id ?? '' })
      : await sql.rows(partnerChanges, { orgId, shopId, limit, ...place, since });
  return cursorPageJson(list, query, row);
}

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

const shopProduct = statement<JsonRow, { orgId: string; shopId: string; p1Id: string }>(
  'shop_product',
  `SELECT row_to_json(product)::text AS json FROM (
    SELECT ${productColumns('shop')} ${OF_SHOP} AND s.attached AND s.p1_id = $p1Id
  ) AS product`,
);

/** Product with the shop's values, as JSON text; null if not attached. */
export async function shopProductJson(
  sql: Sql,
  orgId: string,
  shopId: string,
  p1Id: string,
): Promise<string | null> {
  const [row] = await sql.rows(shopProduct, { orgId, shopId, p1Id });
  return row?.json ?? null;
}

/** The organization's own values, locked until the transaction ends; null if not in the inventory. */
export const lockProductValues = rowOf<LockedValues, [orgId: string, p1Id: string]>(
  'product_values_lock',
  `SELECT i.name, i.slug, i.description, i.category, i.price::float8 AS price, i.thc, i.cbd, i.available,
     i.low_stock_threshold, i.pzn, i.codes, p.slug AS catalog_slug, p.thc AS catalog_thc
   FROM ${SCHEMA}.inventory i JOIN ${SCHEMA}.products p ON p.p1_id = i.p1_id
   WHERE i.org_id = $1 AND i.p1_id = $2
   FOR NO KEY UPDATE OF i`,
);

type LockedValues = ProductValues & { catalog_slug: ProductRow['slug']; catalog_thc: ProductRow['thc'] };

function patched(column: string, type: string): string {
  return `${column} = CASE WHEN change.given ? '${column}'
    THEN (change.given->>'${column}')::${type} ELSE i.${column} END`;
}

const writeValues = statement<Pick<InventoryItemRow, 'event_sequence'>, [string, string, string]>(
  'product_values_write',
  `UPDATE ${SCHEMA}.inventory i SET
    ${patched('name', 'text')}, ${patched('slug', 'text')}, ${patched('description', 'text')},
    ${patched('category', 'text')}, ${patched('price', 'numeric')}, ${patched('thc', 'float8')},
    ${patched('cbd', 'float8')}, ${patched('available', 'boolean')},
    ${patched('low_stock_threshold', 'integer')}, ${patched('pzn', 'text')},
    codes = CASE WHEN NOT change.given ? 'codes' THEN i.codes
      WHEN change.given->>'codes' IS NOT NULL THEN ARRAY(SELECT jsonb_array_elements_text(change.given->'codes')) END,
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

/** What every layer says; more conditions of the shop may follow. */
const LAYERS_FOR_REVIEW = `SELECT ${REVIEW_COLUMNS},
     array_remove(ARRAY[p.name, i.name, ${shopValue('name')}], NULL) AS names,
     array_remove(ARRAY[p.category, i.category, ${shopValue('category')}], NULL) AS categories,
     array_remove(ARRAY[p.thc::text, i.thc::text], NULL) AS thcs
   FROM ${SCHEMA}.products p LEFT JOIN ${SCHEMA}.inventory i ON i.org_id = $1 AND i.p1_id = p.p1_id
   LEFT JOIN ${SCHEMA}.shop_products s ON s.org_id = $1 AND s.p1_id = p.p1_id AND s.attached`;
const forReview = statement<ReviewProduct, [string, readonly string[], string | null]>(
  'products_for_review',
  `${LAYERS_FOR_REVIEW} AND s.shop_id = $3 WHERE p.p1_id = ANY ($2::text[]) ORDER BY p.p1_id`,
);
const plain = (name: string): string =>
  `regexp_replace(lower(normalize(${name}, NFKC)), '[^a-z0-9]', '', 'g')`;
/** Other products of which any layer has a name that differs in other characters than ASCII letters and digits at most. */
export const productsNamed = rowsOf<ReviewProduct, [orgId: string, p1Id: string, names: readonly string[]]>(
  'products_named',
  `${LAYERS_FOR_REVIEW}
   WHERE p.p1_id <> $2 AND ARRAY[${['p.name', 'i.name', shopValue('name')].map(plain).join(', ')}]
     && ARRAY(SELECT ${plain('name')} FROM unnest($3::text[]) AS name)`,
);

/**
 * The organization's values, or those of the catalog for a product that is not in the inventory; and what every layer says.
 */
export async function reviewProducts(
  sql: Sql,
  orgId: string,
  p1Ids: readonly string[],
  shopId: string | null = null,
): Promise<ReviewProduct[]> {
  return sql.rows(forReview, orgId, p1Ids, shopId);
}

const foundForReview = statement<ReviewProduct, [string, string | null, number]>(
  'products_found_for_review',
  `SELECT ${REVIEW_COLUMNS}
   FROM ${SCHEMA}.inventory i JOIN ${SCHEMA}.products p ON p.p1_id = i.p1_id
   WHERE i.org_id = $1
     AND ${isNamed({ name: effective('name', 'organization'), p1Id: 'i.p1_id', ...OWN_CODES }, '$2')}
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
