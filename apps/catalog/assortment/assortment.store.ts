import type {
  AssortmentProduct,
  AssortmentQuery,
  AssortmentResponse,
  AssortmentRow,
} from '@offizin/contracts/products/assortment';
import type { CatalogProductSummary } from '@offizin/contracts/products/catalog-products';
import { filteredName } from '@offizin/operations/cursor-pages';
import { type Sql, statement } from '@offizin/pg/database';
import { folded } from '@offizin/pg/list-page';
import { effective, OWN_CODES, shopValue } from '../db/effective-product';
import { columnsToSearch, containing, decodeNameCursor, encodeNameCursor, isNamed } from '../db/json-page';
import { SCHEMA } from '../db/schema';

/** The products of an inventory as one shop has them. A product that is not attached has no overrides. */

const ROW = `SELECT i.p1_id, ${effective('name', 'shop')} AS name, ${effective('category', 'shop')} AS category,
    coalesce(s.attached, false) AS attached, ${effective('available', 'shop')} AS available, i.stock_quantity,
    json_build_object(
      'catalog', p.price::float8, 'organization', i.price::float8, 'shop', ${shopValue('price')}::float8
    ) AS price,
    ${OWN_CODES.pzn} AS pzn, ${OWN_CODES.codes} AS codes`;
const LAYERS = `FROM ${SCHEMA}.inventory i JOIN ${SCHEMA}.products p ON p.p1_id = i.p1_id
  LEFT JOIN ${SCHEMA}.shop_products s
    ON s.org_id = i.org_id AND s.shop_id = $shopId::uuid AND s.p1_id = i.p1_id AND s.attached
  WHERE i.org_id = $orgId::uuid`;

type PageRow = (AssortmentRow | { p1_id: null }) & {
  sort_name: string;
  total: number;
  attached_total: number;
};

/** One row more than the page, which shows that there is a next one; without rows, one with the totals alone. */
const page = statement<
  PageRow,
  {
    orgId: string;
    shopId: string;
    words: string | null;
    attached: boolean | null;
    afterName: string | null;
    afterId: string | null;
    rows: number;
  }
>(
  'assortment_by_name',
  `WITH matching AS MATERIALIZED (
     SELECT item.*, ${folded('item.name')} AS sort_name FROM (${ROW} ${LAYERS}) AS item
     WHERE ${isNamed(columnsToSearch('item'), '$words')}
   ), totals AS (
     SELECT count(*)::int AS total, count(*) FILTER (WHERE attached)::int AS attached_total FROM matching
   ), page AS (
     SELECT * FROM matching
     WHERE ($attached::boolean IS NULL OR attached = $attached)
       AND ($afterName::text IS NULL OR (sort_name, p1_id) > ($afterName, $afterId))
     ORDER BY sort_name, p1_id LIMIT $rows
   )
   SELECT page.*, totals.total, totals.attached_total FROM totals LEFT JOIN page ON true ORDER BY sort_name, p1_id`,
);

/** Throws `Refused` for a cursor of another list. */
export async function listAssortmentByName(
  sql: Sql,
  orgId: string,
  query: AssortmentQuery,
): Promise<AssortmentResponse> {
  const { shop_id: shopId, q, attached = null, cursor, limit } = query;
  const list = filteredName('assortment', query);
  const after = cursor === undefined ? null : decodeNameCursor(list, cursor);
  const found = await sql.rows(page, {
    orgId,
    shopId,
    words: containing(q),
    attached,
    afterName: after?.name ?? null,
    afterId: after?.p1Id ?? null,
    rows: limit + 1,
  });
  const rows = found.filter((row): row is PageRow & AssortmentRow => row.p1_id !== null);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    data: rows.slice(0, limit).map(shown),
    total: found[0]?.total ?? 0,
    attached_total: found[0]?.attached_total ?? 0,
    next_cursor: last ? encodeNameCursor(list, { name: last.sort_name, p1Id: last.p1_id }) : null,
  };
}

function shown(row: AssortmentRow): AssortmentRow {
  const { p1_id, name, category, attached, available, stock_quantity, price, pzn, codes } = row;
  return { p1_id, name, category, attached, available, stock_quantity, price, pzn, codes };
}

const ownValues = (table: 'p' | 'i'): string =>
  `json_build_object(
      'name', ${table}.name, 'category', ${table}.category, 'price', ${table}.price::float8,
      'available', ${table}.available, 'description', ${table}.description, 'thc', ${table}.thc, 'cbd', ${table}.cbd,
      'pzn', ${table}.pzn, 'codes', ${table}.codes
    )`;

const product = statement<AssortmentProduct, { orgId: string; shopId: string; p1Id: string }>(
  'assortment_product',
  `${ROW}, ${ownValues('p')} AS catalog, ${ownValues('i')} AS organization,
    json_build_object(
      'name', ${shopValue('name')}, 'category', ${shopValue('category')},
      'price', ${shopValue('price')}::float8, 'available', ${shopValue('available')},
      'description', ${shopValue('description')}
    ) AS shop
   ${LAYERS} AND i.p1_id = $p1Id`,
);

/** Null if not in the inventory. */
export async function assortmentProduct(
  sql: Sql,
  orgId: string,
  shopId: string,
  p1Id: string,
): Promise<AssortmentProduct | null> {
  const [row] = await sql.rows(product, { orgId, shopId, p1Id });
  return row ?? null;
}

const addable = statement<CatalogProductSummary, [string, string | null, number]>(
  'assortment_addable',
  `SELECT p.p1_id, p.name, p.slug, p.category, p.price::float8 AS price, p.thc, p.cbd, p.available, p.pzn, p.codes
   FROM ${SCHEMA}.products p
   WHERE NOT EXISTS (SELECT FROM ${SCHEMA}.inventory i WHERE i.org_id = $1 AND i.p1_id = p.p1_id)
     AND ${isNamed(columnsToSearch('p'), '$2')}
   ORDER BY ${folded('p.name')}, p.p1_id LIMIT $3`,
);

/** The first `limit` products of the catalog, by name, that the inventory does not have. */
export async function addableProducts(
  sql: Sql,
  orgId: string,
  { words, limit }: { words: string | undefined; limit: number },
): Promise<CatalogProductSummary[]> {
  return sql.rows(addable, orgId, containing(words), limit);
}
