import type { QueryResultRow } from 'pg';
import { invalid } from '@offizin/contracts/calls/errors';
import { digestOfFilters, type ListSort, MAX_PAGE_SIZE, rowsToSkip } from '@offizin/contracts/calls/paging';
import { type Sql, type Statement, statement } from './database';

/**
 * Each combination of filters has its own text and plan. Rows shown as stored leave PostgreSQL as JSON text, which
 * Node.js need not parse.
 */
export interface ListOptions {
  /** Unique in the service; prefix of the statement's name. */
  name: string;
  /** `core.orders o` */
  from: string;
  filters: ListFilter[];
  /** Ties are broken by the id. */
  sort: { column: 'created_at' | 'updated_at'; descending: boolean };
  /**
   * One index has the filtered columns followed by the sort order, so one plan fits all values. Otherwise PostgreSQL
   * plans each call.
   */
  isOneIndex: boolean;
  limit: number;
  offset?: number;
  cursor?: string;
  /**
   * Collects the filtered rows once, for searches: the planner overestimates their hits and would walk all rows in list
   * order.
   */
  isCollected?: boolean;
  /** SQL of the exact total, if it is available without counting. */
  total?: (bind: Bind) => string;
  /**
   * For large offsets: SQL of one row (day, rows_before), where the list may start. Rows to skip after it are found in
   * the index alone.
   */
  startDay?: (bind: Bind, offset: string) => string;
}

export interface ListRows<Row extends ListRow, Item> extends ListOptions {
  columns: string;
  /** Joins that add columns to the rows of the page; each row has exactly one match. */
  joins?: string;
  show: (row: Row) => Item;
}

export interface ListTexts extends ListOptions {
  json: string;
}

export interface ListRow {
  id: string;
  /** As written by `utcText`, like `updated_at`. */
  created_at: string;
  updated_at: string;
}

/** Adds a parameter and returns its placeholder. */
export type Bind = (value: unknown) => string;

export interface ListPage<Item> {
  data: Item[];
  pagination: { limit: number; offset: number; total: number; next_cursor: string | null };
}

/** `$` is the value's placeholder, `$1` that of the first filter. Within a list, equal keys have equal SQL. */
export interface ListFilter {
  key: string;
  sql: string;
  value: unknown;
}

export const PLACE = /\$(?!\d)/g;

export function given(filters: (ListFilter & { value: unknown })[]): ListFilter[] {
  return filters.filter(({ value }) => value !== undefined);
}

/** The order that a caller asked for. */
export function sortOf(sort: ListSort): ListOptions['sort'] {
  return {
    column: sort.endsWith('created_at') ? 'created_at' : 'updated_at',
    descending: sort.startsWith('-'),
  };
}

export function utcText(column: string): string {
  return `(${column} AT TIME ZONE 'UTC')::text`;
}

/** A text of `utcText` as the contract writes times, truncated to milliseconds. */
export function isoOf(utc: string): string {
  return `${utc.slice(0, 10)}T${utc.slice(11, 19)}.${utc.slice(20, 23).padEnd(3, '0')}Z`;
}

/** Throws `Refused` for a cursor of another list, or a cursor together with an offset. */
export async function listPage<Row extends ListRow, Item>(
  sql: Sql,
  options: ListRows<Row, Item>,
): Promise<ListPage<Item>> {
  const { sort, limit, offset } = options;
  const { question, values, sortKey } = questionOf(options, (parts) => rowsOfPage(options, parts));
  const rows = await sql.rows<(Row | { id: null }) & { total: string }, unknown[]>(question, ...values);
  const found = rows.filter((row) => row.id !== null);
  const last = found.length > limit ? found[limit - 1] : undefined;
  return {
    data: found.slice(0, limit).map(options.show),
    pagination: {
      limit,
      offset: offset ?? 0,
      total: Number(rows[0]?.total),
      next_cursor: last ? encodeCursor(sortKey, `${last[sort.column]}+00`, last.id) : null,
    },
  };
}

interface TextRow {
  total: string;
  /** The rows of the page, separated by commas; null if empty. */
  data: string | null;
  has_more: boolean;
  last_time: string;
  last_id: string;
}

export async function listPageJson(sql: Sql, options: ListTexts): Promise<{ json: string; total: number }> {
  const { limit, offset } = options;
  const { question, values, sortKey } = questionOf(options, (parts) => textOfPage(options, parts));
  const [row] = await sql.rows<TextRow, unknown[]>(question, ...values);
  if (!row) throw new Error(`the list ${options.name} gave no row`);
  const next = row.has_more ? encodeCursor(sortKey, `${row.last_time}+00`, row.last_id) : null;
  const pagination = { limit, offset: offset ?? 0, total: Number(row.total), next_cursor: next };
  const json = `{"data":[${row.data ?? ''}],"pagination":${JSON.stringify(pagination)}}`;
  return { json, total: pagination.total };
}

interface Parts {
  where: string;
  keyset: string;
  limit: string;
  offset: string | null;
  total: string;
  startDay: string | null;
  /** `total` is not a count of rows. */
  isCounted: boolean;
  isCollected: boolean;
}

/** PostgreSQL refuses one prepared name with two texts, so each shape has its own name. */
const questions = new Map<string, Statement<QueryResultRow, unknown[]>>();

function questionOf(
  options: ListOptions,
  pageSql: (parts: Parts) => string,
): { question: Statement<QueryResultRow, unknown[]>; values: unknown[]; sortKey: string } {
  const { name, from, filters, sort, limit, offset, cursor } = options;
  if (cursor !== undefined && offset !== undefined) {
    throw invalid([{ field: 'offset', message: 'must not be given together with cursor' }]);
  }
  const order = `${aliasOf(from)}.${sort.column}:${sort.descending ? 'desc' : 'asc'}`;
  const sortKey = `${order}.${digestOfFilters(filters.map(({ key, value }) => [key, value]))}`;
  const values: unknown[] = filters.map(({ value }) => value);
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const place = { limit: bind(limit), offset: offset ? bind(rowsToSkip(offset)) : null };
  const keyset = cursor === undefined ? '' : keysetOf(options, decodeCursor(cursor, sortKey), bind);
  const total = options.total?.(bind) ?? null;
  const startDay = place.offset === null ? null : (options.startDay?.(bind, place.offset) ?? null);
  const keys = filters.map(({ key }) => key).join();
  const { isOneIndex, isCollected = false } = options;
  const shape = [name, keys, order, isOneIndex, place.offset, keyset, total, startDay].join('|');
  const known = questions.get(shape);
  if (known) return { question: known, values, sortKey };
  const where =
    filters.map((filter, index) => filter.sql.replaceAll(PLACE, `$${index + 1}`)).join(' AND ') || 'true';
  const counted = total ?? `(SELECT count(*) FROM ${isCollected ? 'found' : `${from} WHERE ${where}`})`;
  const begin = isCollected ? `${foundSql(options, where)} ` : '';
  const text =
    begin +
    pageSql({ ...place, where, keyset, total: counted, startDay, isCounted: total !== null, isCollected });
  const question = statement<QueryResultRow, unknown[]>(`${name}#${questions.size}`, text);
  questions.set(shape, question);
  return { question, values, sortKey };
}

/** One row more than the page shows whether a next page exists. An empty page is one row of nulls. */
function rowsOfPage(
  options: Pick<ListRows<ListRow, unknown>, 'columns' | 'joins'> & ListOptions,
  parts: Parts,
): string {
  const alias = aliasOf(options.from);
  return `${startSql(parts)}SELECT counted.total, ${options.columns}
    FROM (SELECT ${parts.total} AS total) counted LEFT JOIN (${rowsSql(options, parts)}) ${alias} ON true
      ${options.joins ?? ''}
    ORDER BY ${orderOf(alias, options.sort)}`;
}

/** The aggregates rely on the subquery's order: an ORDER BY in each would sort again. Nothing may be joined here. */
function textOfPage(options: ListTexts, parts: Parts): string {
  const alias = aliasOf(options.from);
  const limit = `${parts.limit}::int`;
  return `${startSql(parts)}SELECT ${parts.total} AS total, array_to_string(page.texts[:${limit}], ',') AS data, page.count > ${limit} AS has_more,
      ${utcText(`page.times[${limit}]`)} AS last_time, page.ids[${limit}] AS last_id
    FROM (SELECT array_agg(${options.json}) AS texts, count(*) AS count, array_agg(${alias}.id) AS ids,
        array_agg(${alias}.${options.sort.column}) AS times
      FROM (${rowsSql(options, parts)}) ${alias}) page`;
}

function foundSql({ from }: Pick<ListOptions, 'from'>, where: string): string {
  const columns = ['id', 'created_at', 'updated_at'].map((column) => `${aliasOf(from)}.${column}`);
  return `WITH found AS MATERIALIZED (SELECT ${columns.join(', ')} FROM ${from} WHERE ${where})`;
}

function startSql({ startDay }: Parts): string {
  return startDay === null ? '' : `WITH start AS MATERIALIZED (${startDay}) `;
}

type StatementOptions = Pick<ListOptions, 'from' | 'sort' | 'isOneIndex'>;

function orderOf(alias: string, { column, descending }: StatementOptions['sort']): string {
  const direction = descending ? 'DESC' : 'ASC';
  return `${alias}.${column} ${direction}, ${alias}.id ${direction}`;
}

function rowsSql({ from, sort, isOneIndex }: StatementOptions, parts: Parts): string {
  const { where, keyset, limit, offset, total, startDay, isCounted, isCollected } = parts;
  const alias = aliasOf(from);
  const sorted = (conditions: string, source = from): string =>
    `FROM ${source} WHERE ${conditions} ORDER BY ${orderOf(alias, sort)}`;
  /** Skips over ids in the index alone; reads only the rows of the page. */
  const rowsOf = (ids: string): string =>
    `SELECT * FROM ${from} WHERE ${alias}.id IN (SELECT ${alias}.id ${ids}) ORDER BY ${orderOf(alias, sort)}`;
  const place = `LIMIT ${limit}::int + 1 OFFSET ${offset ?? '0'}::bigint`;
  if (isCollected) return rowsOf(`${sorted(`true${keyset}`, `found ${alias}`)} ${place}`);
  if (offset === null && isOneIndex) {
    // The inner LIMIT changes no result. Without it, the planner considers the generic plan too expensive and re-plans
    // every call (PostgreSQL's plan_cache_mode).
    return `SELECT * FROM (SELECT * ${sorted(`${where}${keyset}`)} LIMIT ${MAX_PAGE_SIZE + 1}) ${alias}
      LIMIT ${limit}::int + 1`;
  }
  if (startDay === null) {
    return offset === null
      ? `SELECT * ${sorted(`${where}${keyset}`)} ${place}`
      : rowsOf(`${sorted(isCounted ? `${where} AND ${offset}::bigint < ${total}` : where)} ${place}`);
  }
  const bound = sort.descending
    ? `${alias}.${sort.column} < ((SELECT day FROM start) + 1)::timestamp AT TIME ZONE 'UTC'`
    : `${alias}.${sort.column} >= (SELECT day FROM start)::timestamp AT TIME ZONE 'UTC'`;
  const skipped = `${offset}::bigint - coalesce((SELECT rows_before FROM start), 0)`;
  return rowsOf(`${sorted(`${where} AND ${bound}`)} LIMIT ${limit}::int + 1 OFFSET ${skipped}`);
}

function keysetOf(
  { from, sort }: Pick<StatementOptions, 'from' | 'sort'>,
  after: Cursor,
  bind: Bind,
): string {
  const alias = aliasOf(from);
  const comparison = sort.descending ? '<' : '>';
  const [time, last] = [bind(after.time), bind(after.id)];
  return ` AND (${alias}.${sort.column}, ${alias}.id) ${comparison} (${time}::timestamptz, ${last}::uuid)`;
}

function aliasOf(from: string): string {
  return from.split(' ').at(-1) ?? '';
}

/**
 * Under the C locale lower() knows only ASCII, so letters of German and neighbouring languages are translated. Apply it
 * to the search text, too.
 */
export function folded(expression: string): string {
  return `translate(lower(${expression}), 'ÄÖÜÀÂÇÉÈÊËÎÏÑÓÔŁŠŽ', 'äöüàâçéèêëîïñóôłšž')`;
}

/** LIKE pattern for a prefix; escapes wildcards in it. */
export function prefixPattern(text: string): string {
  return `${text.replace(/[\\%_]/g, '\\$&')}%`;
}

export function encodeCursor(sortKey: string, time: string, id: string): string {
  return Buffer.from(`["${sortKey}", "${time}", "${id}"]`).toString('base64url');
}

export interface Cursor {
  time: string;
  id: string;
}

/** As written by encodeCursor. PostgreSQL has no year 0. */
const TIME = /^(?!0000)(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(\.\d{1,6})?\+00$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Throws `Refused` for a cursor of another list, filter or order. */
export function decodeCursor(text: string, sortKey: string): Cursor {
  const refusal = invalid([{ field: 'cursor', message: 'does not belong to this list, filters and sort' }]);
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    throw refusal;
  }
  if (!Array.isArray(parts) || parts.length !== 3) throw refusal;
  const [sort, time, id] = parts as unknown[];
  if (sort !== sortKey || typeof time !== 'string' || typeof id !== 'string') throw refusal;
  if (!isCursorTime(time) || !UUID.test(id)) throw refusal;
  return { time, id };
}

/** False for dates such as 30 February: JavaScript reads it as 2 March, PostgreSQL fails. */
export function isCursorTime(text: string): boolean {
  const [, day = '', clock = ''] = TIME.exec(text) ?? [];
  const atMs = Date.parse(`${day}T${clock}Z`);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(`${day}T${clock}`);
}
