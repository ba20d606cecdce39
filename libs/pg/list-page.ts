import type { QueryResultRow } from 'pg';
import { invalid } from '@offizin/contracts/errors';
import { MAX_PAGE_SIZE, rowsToSkip } from '@offizin/contracts/paging';
import { type Sql, type Statement, statement } from './database';
import { type Cursor, decodeCursor, encodeCursor } from './list-cursor';

/**
 * Lists that are paged by offset and by cursor: `{data, pagination: {limit, offset, total, next_cursor}}`, read in one
 * statement. Only the filters that a caller gave stand in the statement, so that each combination gets a plan of its
 * own, prepared once per connection.
 *
 * What is shown as it is stored leaves PostgreSQL as the text of the answer (`listPageJson`), the rest as rows
 * (`listPage`). A page of 50 orders, in turn on one machine, in PostgreSQL and in Node.js: as rows 162 + 198 µs of a
 * core, as text joined by `jsonText` 221 + 73, by json_build_object with to_char 420 + 158.
 */
export interface ListOptions {
  /** Unique in the service; begins the statement's name. */
  name: string;
  /** `core.orders o` */
  from: string;
  filters: ListFilter[];
  /** Ties are broken by the id. */
  sort: { column: 'created_at' | 'updated_at'; descending: boolean };
  /**
   * One index holds exactly what is filtered by, and then the order: the best plan is the same for any values. Where it
   * is not (a filter that few rows pass), each call is planned for its own.
   */
  isOneIndex: boolean;
  limit: number;
  offset?: number;
  cursor?: string;
  /**
   * What passes the filters is collected once, for the total and for the page. For a search, whose hits the planner
   * takes for many: it would walk over all rows in the order of the list.
   */
  isCollected?: boolean;
  /** SQL of the exact total where something else knows it than counting. */
  total?: (bind: Bind) => string;
  /**
   * For a page far behind: SQL of one row (day, rows_before), the day of the sort column to begin with and the rows
   * that come before it. Then the index alone is walked from there, and rows are read only for the page.
   */
  startDay?: (bind: Bind, offset: string) => string;
}

export interface ListRows<Row extends ListRow, Shown> extends ListOptions {
  /** The columns of a row; its times by `utcText`. */
  columns: string;
  /** The row as it is shown; its times by `isoOf`. */
  show: (row: Row) => Shown;
}

export interface ListTexts extends ListOptions {
  /** A row as it is shown: SQL of its JSON text, by `jsonText`. Without line breaks: they stand between the rows. */
  json: string;
}

/** What each row has. */
export interface ListRow {
  id: string;
  /** As `utcText` writes it, and so is the other. */
  created_at: string;
  updated_at: string;
}

/** Makes a parameter of a value; resolves with its name in the statement. */
export type Bind = (value: unknown) => string;

export interface ListPage<Shown> {
  data: Shown[];
  pagination: { limit: number; offset: number; total: number; next_cursor: string | null };
}

/** One condition; `$` stands for the value. `key` stands for the SQL: within one list, the same for the same. */
export interface ListFilter {
  key: string;
  sql: string;
  value: unknown;
}

/** Leaves out the filters that the caller did not give. */
export function given(filters: (ListFilter & { value: unknown })[]): ListFilter[] {
  return filters.filter(({ value }) => value !== undefined);
}

/** A time as text that does not depend on the session: `2026-01-31 12:00:00.123456`, fewer digits where they are 0. */
export function utcText(column: string): string {
  return `(${column} AT TIME ZONE 'UTC')::text`;
}

/** Such a text as the contract writes times: with milliseconds, what is behind them cut off. */
export function isoOf(utc: string): string {
  return `${utc.slice(0, 10)}T${utc.slice(11, 19)}.${utc.slice(20, 23).padEnd(3, '0')}Z`;
}

/** Throws `Refused` for a cursor of another list, or one beside an offset. */
export async function listPage<Row extends ListRow, Shown>(
  sql: Sql,
  options: ListRows<Row, Shown>,
): Promise<ListPage<Shown>> {
  const { sort, limit, offset } = options;
  const { question, values, sortKey } = questionOf(options, (parts) => rowsOfPage(options, parts));
  const rows = await sql.rows<(Row | { id: null }) & { total: string }, unknown[]>(question, ...values);
  const found = rows.filter((row) => row.id !== null);
  const last = found.length > limit ? found[limit - 1] : undefined;
  return {
    data: found.slice(0, limit).map(options.show),
    pagination: {
      ...{ limit, offset: offset ?? 0, total: Number(rows[0]?.total) },
      next_cursor: last ? encodeCursor(sortKey, `${last[sort.column]}+00`, last.id) : null,
    },
  };
}

/** Between the rows; nothing inside of one. */
const BETWEEN = ',\n';

interface TextRow {
  total: string;
  /** The rows of the page, and the first of the next; null for none. */
  data: string | null;
  has_more: boolean;
  last_time: string;
  last_id: string;
}

/** The same as JSON text, one row for the whole page. Throws as `listPage` does. */
export async function listPageJson(sql: Sql, options: ListTexts): Promise<{ json: string; total: number }> {
  const { limit, offset } = options;
  const { question, values, sortKey } = questionOf(options, (parts) => textOfPage(options, parts));
  const [row] = await sql.rows<TextRow, unknown[]>(question, ...values);
  if (!row) throw new Error(`the list ${options.name} gave no row`);
  const next = row.has_more ? encodeCursor(sortKey, `${row.last_time}+00`, row.last_id) : null;
  const pagination = { limit, offset: offset ?? 0, total: Number(row.total), next_cursor: next };
  const found = row.data ?? '';
  const data = row.has_more ? found.slice(0, found.lastIndexOf(BETWEEN)) : found;
  const json = `{"data":[${data}],"pagination":${JSON.stringify(pagination)}}`;
  return { json, total: pagination.total };
}

interface Parts {
  where: string;
  keyset: string;
  limit: string;
  offset: string | null;
  total: string;
  startDay: string | null;
  /** Something else than counting knows the total. */
  isCounted: boolean;
  isCollected: boolean;
}

/** By name and shape. PostgreSQL refuses a name that comes back with another text, so each has a name of its own. */
const questions = new Map<string, Statement<QueryResultRow, unknown[]>>();

/**
 * The statement of a page and its values. The text is put together once for each shape: doing so took 13 to 20 of the
 * 170 µs that a list takes in order-core.
 */
function questionOf(
  options: ListOptions,
  pageSql: (parts: Parts) => string,
): { question: Statement<QueryResultRow, unknown[]>; values: unknown[]; sortKey: string } {
  const { name, from, filters, sort, limit, offset, cursor } = options;
  if (cursor !== undefined && offset !== undefined) {
    throw invalid([{ field: 'offset', message: 'is not taken beside a cursor' }]);
  }
  const sortKey = `${aliasOf(from)}.${sort.column}:${sort.descending ? 'desc' : 'asc'}`;
  const values: unknown[] = filters.map(({ value }) => value);
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const place = { limit: bind(limit), offset: offset ? bind(rowsToSkip(offset)) : null };
  const keyset = cursor === undefined ? '' : keysetOf(options, decodeCursor(cursor, sortKey), bind);
  const total = options.total?.(bind) ?? null;
  const startDay = place.offset === null ? null : (options.startDay?.(bind, place.offset) ?? null);
  const keys = filters.map(({ key }) => key).join();
  const { isOneIndex, isCollected = false } = options;
  const shape = [name, keys, sortKey, isOneIndex, place.offset, keyset, total, startDay].join('|');
  const known = questions.get(shape);
  if (known) return { question: known, values, sortKey };
  const where =
    filters.map((filter, index) => filter.sql.replaceAll('$', `$${index + 1}`)).join(' AND ') || 'true';
  const counted = total ?? `(SELECT count(*) FROM ${isCollected ? 'found' : `${from} WHERE ${where}`})`;
  const begin = isCollected ? `${foundSql(options, where)} ` : '';
  const text =
    begin +
    pageSql({ ...place, where, keyset, total: counted, startDay, isCounted: total !== null, isCollected });
  const question = statement<QueryResultRow, unknown[]>(`${name}#${questions.size}`, text);
  questions.set(shape, question);
  return { question, values, sortKey };
}

/** One row more than the page says whether there is a next one. Where there is none at all, a row of nulls has the total. */
function rowsOfPage(
  options: Pick<ListRows<ListRow, unknown>, 'columns'> & ListOptions,
  parts: Parts,
): string {
  const alias = aliasOf(options.from);
  return `${startSql(parts)}SELECT counted.total, ${options.columns}
    FROM (SELECT ${parts.total} AS total) counted LEFT JOIN (${rowsSql(options, parts)}) ${alias} ON true
    ORDER BY ${orderOf(alias, options.sort)}`;
}

/**
 * The rows come in their order, and a plain aggregate takes them as they come: said once more inside of each aggregate,
 * the order would be compared again, row by row (98 µs of PostgreSQL instead of 82). Nothing may be joined to them here.
 */
function textOfPage(options: ListTexts, parts: Parts): string {
  const alias = aliasOf(options.from);
  const limit = `${parts.limit}::int`;
  return `${startSql(parts)}SELECT ${parts.total} AS total, page.data, page.count > ${limit} AS has_more,
      ${utcText(`page.times[${limit}]`)} AS last_time, page.ids[${limit}] AS last_id
    FROM (SELECT string_agg(${options.json}, '${BETWEEN}') AS data, count(*) AS count, array_agg(${alias}.id) AS ids,
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

/** The rows in the order of the list, and one more. */
function rowsSql({ from, sort, isOneIndex }: StatementOptions, parts: Parts): string {
  const { where, keyset, limit, offset, total, startDay, isCounted, isCollected } = parts;
  const alias = aliasOf(from);
  const sorted = (conditions: string, source = from): string =>
    `FROM ${source} WHERE ${conditions} ORDER BY ${orderOf(alias, sort)}`;
  /** An index alone finds the ids, however many are skipped; rows are read only for the page. */
  const rowsOf = (ids: string): string =>
    `SELECT * FROM ${from} WHERE ${alias}.id IN (SELECT ${alias}.id ${ids}) ORDER BY ${orderOf(alias, sort)}`;
  const place = `LIMIT ${limit}::int + 1 OFFSET ${offset ?? '0'}::bigint`;
  if (isCollected) return rowsOf(`${sorted(`true${keyset}`, `found ${alias}`)} ${place}`);
  if (offset === null && isOneIndex) {
    // The inner limit changes no row. But the planner knows it, and not the one that comes with the call: without it,
    // it takes the plan for any value for dear and plans each call anew, 300 of 760 µs (PostgreSQL's plan_cache_mode).
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
 * Lower case for comparing text. The database's lower() knows only ASCII under the C locale; the letters of German and
 * its neighbours are added here. The text that is looked for goes through the same expression.
 */
export function folded(expression: string): string {
  return `translate(lower(${expression}), 'ÄÖÜÀÂÇÉÈÊËÎÏÑÓÔŁŠŽ', 'äöüàâçéèêëîïñóôłšž')`;
}

/** The pattern of a LIKE for what begins with `text`; what LIKE takes as a wildcard stands for itself. */
export function prefixPattern(text: string): string {
  return `${text.replace(/[\\%_]/g, '\\$&')}%`;
}
