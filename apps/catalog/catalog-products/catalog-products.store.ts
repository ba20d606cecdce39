import type { CatalogListQuery } from '@offizin/contracts/products/catalog-products';
import { type Sql, statement } from '@offizin/pg/database';
import {
  BY_ID,
  columnsToSearch,
  containing,
  isNamed,
  pageJson,
  type PageRow,
  pageSql,
  placeOf,
  shownById,
} from '../db/json-page';
import { SCHEMA } from '../db/schema';
import { OPTIONAL_FIELDS, type StoredLine } from './catalog-line';

const SUMMARY = `p.p1_id, p.name, p.slug, p.category, p.price::float8 AS price, p.thc, p.cbd, p.available, p.pzn,
  p.codes`;

const MATCHING = `FROM ${SCHEMA}.products p
  WHERE ${isNamed(columnsToSearch('p'), '$words')}
    AND ($category::text IS NULL OR p.category = $category)`;

const page = statement<
  PageRow,
  { limit: number; skip: number; afterId: string; words: string | null; category: string | null }
>(
  'catalog_page',
  pageSql({
    rows: shownById(`SELECT ${SUMMARY} ${MATCHING} AND p.p1_id > $afterId::text
      ORDER BY p.p1_id LIMIT $limit::int + 1 OFFSET $skip::bigint`),
    total: `SELECT count(*) ${MATCHING}`,
    order: BY_ID,
  }),
);

const LIST = 'catalog';

/**
 * CatalogListResponse as JSON text. Throws `Refused` for a cursor of another list, and for a cursor together with a
 * page.
 */
export async function catalogListJson(sql: Sql, query: CatalogListQuery): Promise<string> {
  const { limit, q, category = null } = query;
  const { skip, p1Id } = placeOf(LIST, query);
  const [row] = await sql.rows(page, { limit, skip, afterId: p1Id ?? '', words: containing(q), category });
  return pageJson(LIST, query, row);
}

const product = statement<{ json: string }, [string]>(
  'catalog_product',
  `SELECT row_to_json(product)::text AS json FROM (
    SELECT ${SUMMARY}, p.description FROM ${SCHEMA}.products p WHERE p.p1_id = $1
  ) AS product`,
);

/** CatalogProduct as JSON text; null if unknown. */
export async function catalogProductJson(sql: Sql, p1Id: string): Promise<string | null> {
  const [row] = await sql.rows(product, p1Id);
  return row?.json ?? null;
}

const COLUMNS = [
  'name',
  'slug',
  'description',
  'category',
  'price',
  'thc',
  'cbd',
  'available',
  'pzn',
  'codes',
] as const;
const list = (prefix: string) => COLUMNS.map((column) => `${prefix}.${column}`).join(', ');

const LINES = `jsonb_to_recordset($1::jsonb) AS line (p1_id text, name text, slug text, description text,
     category text, price numeric(12,2), thc float8, cbd float8, available boolean, pzn text, codes text[])`;

/** The value of a known product after the import. `$2` has the fields that each line leaves out, by its id. */
const valueAfter = (column: (typeof COLUMNS)[number]) =>
  OPTIONAL_FIELDS.some((name) => name === column)
    ? `CASE WHEN $2::jsonb -> p.p1_id ? '${column}' THEN p.${column} ELSE excluded.${column} END`
    : `excluded.${column}`;
const VALUES_AFTER = COLUMNS.map(valueAfter).join(', ');

const upsert = statement<{ is_new: boolean }, [string, string]>(
  'catalog_upsert',
  `INSERT INTO ${SCHEMA}.products AS p (p1_id, ${COLUMNS.join(', ')})
   SELECT line.p1_id, ${list('line')}
   FROM ${LINES}
   ORDER BY line.p1_id
   ON CONFLICT (p1_id) DO UPDATE SET
     (${COLUMNS.join(', ')}, updated_at) = ROW (${VALUES_AFTER}, now())
   WHERE (${list('p')}) IS DISTINCT FROM (${VALUES_AFTER})
   RETURNING p.xmax = 0 AS is_new`,
);

interface LineCounts {
  imported: number;
  updated: number;
  unchanged: number;
}

/** Upserts lines; unchanged products are not written. The ids must differ. */
export async function upsertCatalogLines(sql: Sql, lines: readonly StoredLine[]): Promise<LineCounts> {
  const rows = lines.length === 0 ? [] : await sql.rows(upsert, ...parametersOf(lines));
  const imported = rows.filter((row) => row.is_new).length;
  return { imported, updated: rows.length - imported, unchanged: lines.length - rows.length };
}

function parametersOf(lines: readonly StoredLine[]): [lines: string, kept: string] {
  return [
    JSON.stringify(lines),
    JSON.stringify(Object.fromEntries(lines.map(({ p1_id, kept }) => [p1_id, kept]))),
  ];
}
