import { readScan } from '@offizin/codes/scan';
import { invalid } from '@offizin/contracts/calls/errors';
import type { ListSort, PageDeltaQuery, PageQuery } from '@offizin/contracts/calls/paging';
import { isCursorTime, prefixPattern, sortOf, utcText } from '@offizin/pg/list-page';
import { searchFolded } from '@offizin/pg/search-words';
import { decodeCursor, encodeCursor, filteredName } from '@offizin/operations/cursor-pages';
import { SCHEMA } from './schema';

/** SQL fragments of all lists. The database builds the JSON; Node passes its bytes on. */

/** A timestamptz in the format of the contract: UTC with milliseconds and Z. */
export function isoUtc(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** The order of a list: by a time, products of equal time by id. */
export interface ListOrder {
  /** SQL of a timestamptz. */
  time: string;
  descending: boolean;
}

/** All products have the same time. */
export const BY_ID: ListOrder = { time: `'epoch'::timestamptz`, descending: false };

/** One row about a page. */
export interface PageRow {
  total: string;
  /** The products of the page as JSON, separated by commas; null if empty. */
  data: string | null;
  has_more: boolean;
  last_time: string;
  last_id: string;
}

/** SQL of a page. */
interface PageParts {
  /** Further tables, with a comma. */
  before?: string;
  /** One row more than the page, of `shownById` or `readInFull`. */
  rows: string;
  total: string;
  order: ListOrder;
}

/** SQL of rows of a page in the order of product ids. `items` selects the products as they are shown. */
export function shownById(items: string): string {
  return `SELECT shown.p1_id, ${BY_ID.time} AS sort_time, row_to_json(shown)::text AS text FROM (${items}) AS shown`;
}

/**
 * SQL of rows of a page whose products are read a second time, by id: cheaper when many rows are skipped. `keys` selects
 * `p1_id` and `sort_time`, `item` the product `page.p1_id` as it is shown.
 */
export function readInFull(keys: string, item: string): string {
  return `SELECT page.p1_id, page.sort_time, row_to_json(item)::text AS text
    FROM (${keys}) AS page CROSS JOIN LATERAL (${item}) AS item`;
}

/** SQL of a PageRow: `$limit` rows. */
export function pageSql({ before = '', rows, total, order }: PageParts): string {
  const collected = (value: string): string => `array_agg(${value} ORDER BY ${orderOf(order, 'page.')})`;
  const last = (list: string): string => `found.${list}[$limit::int]`;
  return `WITH ${before} page AS (${rows})
    SELECT (${total}) AS total, array_to_string(found.texts[:$limit::int], ',') AS data,
      found.count > $limit::int AS has_more, ${utcText(last('times'))} AS last_time, ${last('ids')} AS last_id
    FROM (
      SELECT count(*) AS count, ${collected('page.text')} AS texts,
        ${collected('page.sort_time')} AS times, ${collected('page.p1_id')} AS ids
      FROM page
    ) AS found`;
}

/** Where a page begins: rows to skip, or the place after which it begins. */
interface PagePlace {
  skip: number;
  time: string | null;
  p1Id: string | null;
}

/** Parameters of `searchSql`. */
export interface SearchPlace extends PagePlace {
  limit: number;
}

/** SQL of a PageRow of the rows that `matching` selects: `p1_id` and `sort_time`. The place of the page are parameters. */
export function searchSql(matching: string, { item, order }: { item: string; order: ListOrder }): string {
  const after = `(sort_time, p1_id) ${order.descending ? '<' : '>'} ($time::timestamptz, $p1Id::text)`;
  const keys = `SELECT * FROM matching WHERE $time::timestamptz IS NULL OR ${after}
    ORDER BY ${orderOf(order)} LIMIT $limit::int + 1 OFFSET $skip::bigint`;
  return pageSql({
    before: `matching AS MATERIALIZED (${matching}),`,
    rows: readInFull(keys, item),
    total: 'SELECT count(*) FROM matching',
    order,
  });
}

function orderOf({ descending }: ListOrder, prefix = ''): string {
  const direction = descending ? 'DESC' : 'ASC';
  return `${prefix}sort_time ${direction}, ${prefix}p1_id ${direction}`;
}

/** A statement for each order, because each has its own text. */
export function bySort<Made>(
  times: Record<'created_at' | 'updated_at', string>,
  made: (sort: ListSort | 'p1_id', order: ListOrder) => Made,
): Record<ListSort | 'p1_id', Made> {
  const by = (sort: ListSort): Made => {
    const { column, descending } = sortOf(sort);
    return made(sort, { time: times[column], descending });
  };
  return {
    p1_id: made('p1_id', BY_ID),
    created_at: by('created_at'),
    '-created_at': by('-created_at'),
    updated_at: by('updated_at'),
    '-updated_at': by('-updated_at'),
  };
}

/** Throws `Refused` for a cursor of another list, filter or order, and for a cursor together with a page. */
export function placeOf(list: string, query: PageQuery): PagePlace {
  const { limit, page, cursor } = query;
  if (cursor === undefined) return { skip: ((page ?? 1) - 1) * limit, time: null, p1Id: null };
  if (page !== undefined) {
    throw invalid([{ field: 'page', message: 'must not be given together with cursor' }]);
  }
  return { skip: 0, ...decodePlace(filteredName(list, query), cursor) };
}

/** `{data, pagination}` of a page list as JSON text. */
export function pageJson(list: string, query: PageQuery, row: PageRow | undefined): string {
  const { limit, page = 1 } = query;
  const total = Number(row?.total);
  const numbers = { page, pageSize: limit, total, totalPages: Math.ceil(total / limit) };
  return cursorPageJson(list, query, row, numbers);
}

/** The same of a list without page numbers. */
export function cursorPageJson(
  list: string,
  query: PageQuery,
  row: PageRow | undefined,
  numbers: object = { limit: query.limit },
): string {
  if (!row) throw new Error(`the list ${list} gave no row`);
  const last = { time: `${row.last_time}+00`, p1Id: row.last_id };
  const next_cursor = row.has_more ? encodePlace(filteredName(list, query), last) : null;
  return `{"data":[${row.data ?? ''}],"pagination":${JSON.stringify({ ...numbers, next_cursor })}}`;
}

/** Conditions on the times of a list; null for none. */
export interface TimeFilter {
  since: string | null;
  createdFrom: string | null;
  createdTo: string | null;
}

export function timeFilter(query: PageDeltaQuery): TimeFilter {
  const {
    updated_since: since = null,
    created_from: createdFrom = null,
    created_to: createdTo = null,
  } = query;
  return { since, createdFrom, createdTo };
}

/** SQL: changed and created within the times of a TimeFilter, which are parameters. */
export function isWithin(times: Record<'created_at' | 'updated_at', string>): string {
  return `($since::timestamptz IS NULL OR ${times.updated_at} >= $since::timestamptz)
    AND ($createdFrom::timestamptz IS NULL OR ${times.created_at} >= $createdFrom::timestamptz)
    AND ($createdTo::timestamptz IS NULL OR ${times.created_at} < $createdTo::timestamptz)`;
}

/** SQL of what a search finds a product by. */
interface SearchedValues {
  name: string;
  p1Id: string;
  pzn: string;
  codes: string;
}

/** SQL: the values hold each word of `patterns`, a placeholder for the text of `containing`. True for null. */
export function isNamed({ name, p1Id, pzn, codes }: SearchedValues, patterns: string): string {
  const text = `concat_ws(' ', ${name}, ${p1Id}, ${pzn}, array_to_string(${codes}, ' '))`;
  return `(${patterns}::text IS NULL
    OR ${SCHEMA}.search_folded(${text}) LIKE ALL (string_to_array(${patterns}, ' ')))`;
}

/** The searched values as columns of the row `of`. */
export function columnsToSearch(of: string): SearchedValues {
  return { name: `${of}.name`, p1Id: `${of}.p1_id`, pzn: `${of}.pzn`, codes: `${of}.codes` };
}

/** SQL: the product of row `i` has one of `$codes` in the organization. True for null. */
export const HAS_CODE = `($codes::text[] IS NULL OR EXISTS (
  SELECT FROM ${SCHEMA}.product_codes c
  WHERE c.org_id = i.org_id AND c.code = ANY ($codes) AND NOT c.waits AND c.p1_id = i.p1_id))`;

/**
 * LIKE patterns that find each word of `q` anywhere, whatever case and accents; wildcards are escaped. The code of a label
 * or pack is searched by the number of its product.
 */
export function containing(q: string | undefined): string | null {
  if (q === undefined) return null;
  return searchFolded(numberIn(q) ?? q)
    .split(' ')
    .map((word) => `%${prefixPattern(word)}`)
    .join(' ');
}

/** The PZN or GTIN of a code; without the zeros that may stand before it, so that ids without them are found. */
function numberIn(q: string): string | null {
  const scan = readScan(q, { year: new Date().getFullYear() });
  if ('pzn' in scan && scan.pzn !== undefined) return scan.pzn.replace(/^0/, '');
  return 'gtin' in scan && scan.gtin !== undefined ? scan.gtin.replace(/^0+/, '') : null;
}

/** The last row of a page, in a list by time and then by product. */
interface Place {
  /** With microseconds, as PostgreSQL writes it in UTC: `2026-11-26 06:35:32.123456+00`. */
  time: string;
  p1Id: string;
}

/** PostgreSQL takes no zero byte. */
const PLACE = /^([^|]+)\|([^\0]{1,255})$/;

/** Not JSON, which makes six bytes of a control character: a cursor of the longest id must be accepted again. */
function encodePlace(list: string, { time, p1Id }: Place): string {
  return encodeCursor(list, `${time}|${p1Id}`);
}

/** Throws `Refused` for a text that encodePlace did not write for this list. */
function decodePlace(list: string, text: string): Place {
  const [, time = '', p1Id = ''] = PLACE.exec(decodeCursor(list, text, isPlace)) ?? [];
  return { time, p1Id };
}

function isPlace(text: string): boolean {
  const [, time = ''] = PLACE.exec(text) ?? [];
  return isCursorTime(time);
}

/** The last row of a page, in a list by name. */
interface NameCursor {
  /** In the form in which the list is sorted. */
  name: string;
  p1Id: string;
}

/** Order and comparison of these lists are those of the column `sort_name`, then of `p1_id`. */
export function encodeNameCursor(list: string, { name, p1Id }: NameCursor): string {
  return encodeCursor(list, JSON.stringify([name, p1Id]));
}

/** Throws `Refused` for a text that encodeNameCursor did not write for this list. */
export function decodeNameCursor(list: string, text: string): NameCursor {
  const refusal = invalid([{ field: 'cursor', message: 'does not belong to this list and its filters' }]);
  let parts: unknown;
  try {
    parts = JSON.parse(decodeCursor(list, text));
  } catch {
    throw refusal;
  }
  if (!Array.isArray(parts) || parts.length !== 2) throw refusal;
  const [name, p1Id] = parts as unknown[];
  if (typeof name !== 'string' || typeof p1Id !== 'string') throw refusal;
  // PostgreSQL takes no zero byte.
  if (`${name}${p1Id}`.includes('\0')) throw refusal;
  return { name, p1Id };
}
