import { invalid } from '@offizin/contracts/errors';
import { type Sql, statement } from './database';

/**
 * Lists that are paged by offset and by cursor: `{data, pagination: {limit, offset, total, next_cursor}}`, made as JSON
 * text by PostgreSQL in one statement. Only the filters that a caller gave stand in the statement, so that each
 * combination gets a plan of its own, prepared once per connection.
 */
export interface ListOptions {
  /** Unique in the service; begins the statement's name. */
  name: string;
  /** `core.orders o` */
  from: string;
  /** The columns of a row as they are shown, as a JSON expression. */
  row: string;
  filters: ListFilter[];
  /** A timestamptz column; ties are broken by `id`. */
  sort: { column: string; descending: boolean };
  id: string;
  limit: number;
  offset?: number;
  cursor?: string;
  /** SQL of the exact total where something else knows it than counting. */
  total?: (bind: Bind) => string;
  /**
   * For a page far behind: SQL of one row (day, rows_before), the day of the sort column to begin with and the rows
   * that come before it. Then the index alone is walked from there, and rows are read only for the page.
   */
  startDay?: (bind: Bind, offset: string) => string;
}

/** Makes a parameter of a value; resolves with its name in the statement. */
export type Bind = (value: unknown) => string;

export interface ListPage {
  /** JSON text. */
  json: string;
  total: number;
}

/** One condition; `$` stands for the value. `key` names it in the statement's name. */
export interface ListFilter {
  key: string;
  sql: string;
  value: unknown;
}

/** Leaves out the filters that the caller did not give. */
export function given(filters: (ListFilter & { value: unknown })[]): ListFilter[] {
  return filters.filter(({ value }) => value !== undefined);
}

/** Resolves with the page as JSON text. Throws `Refused` for a cursor of another list, or one beside an offset. */
export async function listPage(sql: Sql, options: ListOptions): Promise<ListPage> {
  const { name, filters, sort, limit, offset, cursor } = options;
  if (cursor !== undefined && offset !== undefined) {
    throw invalid([{ field: 'offset', message: 'is not taken beside a cursor' }]);
  }
  const direction = sort.descending ? 'desc' : 'asc';
  const sortKey = `${sort.column}:${direction}`;
  const values: unknown[] = filters.map(({ value }) => value);
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const where =
    filters.map((filter, index) => filter.sql.replaceAll('$', `$${index + 1}`)).join(' AND ') || 'true';
  const parts = { where, limit: bind(limit), offset: bind(offset ?? 0), sortKey };
  const keyset = cursor === undefined ? '' : keysetOf(options, decodeCursor(cursor, sortKey), bind);
  const total = options.total?.(bind) ?? `(SELECT count(*) FROM ${options.from} WHERE ${where})`;
  const startDay = options.startDay?.(bind, parts.offset) ?? null;
  const text = pageSql(options, { ...parts, keyset, total, startDay });
  const [row] = await sql.rows(
    statement<{ page: string; total: string }, unknown[]>(nameOf(name, text), text),
    ...values,
  );
  return { json: row?.page ?? '', total: Number(row?.total) };
}

interface Parts {
  where: string;
  keyset: string;
  limit: string;
  offset: string;
  sortKey: string;
  total: string;
  startDay: string | null;
}

function pageSql(options: ListOptions, parts: Parts): string {
  const { row, sort, id, from } = options;
  const { limit, offset, sortKey, total, startDay } = parts;
  const order = sort.descending ? 'DESC' : 'ASC';
  // One row more than the page says whether there is a next one; its predecessor's key is the cursor.
  return `WITH ${startDay === null ? '' : `start AS MATERIALIZED (${startDay}), `}counted AS MATERIALIZED (
      SELECT ${total} AS total
    ), page AS MATERIALIZED (
      SELECT ${row} AS shown, ${sort.column} AS sort_key, ${id} AS sort_id,
             row_number() OVER (ORDER BY ${sort.column} ${order}, ${id} ${order}) AS place
      FROM (${rowsSql(options, parts)}) ${aliasOf(from)}
    )
    SELECT counted.total, json_build_object(
      'data', coalesce((SELECT json_agg(shown ORDER BY place) FROM page WHERE place <= ${limit}::int), '[]'::json),
      'pagination', json_build_object('limit', ${limit}::int, 'offset', ${offset}::int, 'total', counted.total,
        'next_cursor', (SELECT translate(encode(convert_to(json_build_array('${sortKey}', p.sort_key::text, p.sort_id)::text,
            'UTF8'), 'base64'), E'+/=\\n', '-_') FROM page p
          WHERE p.place = ${limit}::int AND EXISTS (SELECT FROM page WHERE place > ${limit}::int)))
    )::text AS page FROM counted`;
}

function rowsSql({ from, sort, id }: ListOptions, { where, keyset, limit, offset, startDay }: Parts): string {
  const order = sort.descending ? 'DESC' : 'ASC';
  const paged = (conditions: string, skipped: string): string => `FROM ${from} WHERE ${conditions}
    ORDER BY ${sort.column} ${order}, ${id} ${order} LIMIT ${limit}::int + 1 OFFSET ${skipped}`;
  if (startDay === null) return `SELECT * ${paged(`${where}${keyset}`, `${offset}::int`)}`;
  const bound = sort.descending
    ? `${sort.column} < ((SELECT day FROM start) + 1)::timestamp AT TIME ZONE 'UTC'`
    : `${sort.column} >= (SELECT day FROM start)::timestamp AT TIME ZONE 'UTC'`;
  const skipped = `${offset}::int - coalesce((SELECT rows_before FROM start), 0)`;
  return `SELECT * FROM ${from} WHERE ${id} IN (SELECT ${id} ${paged(`${where} AND ${bound}`, skipped)})`;
}

function keysetOf({ sort, id }: ListOptions, after: Cursor, bind: Bind): string {
  const comparison = sort.descending ? '<' : '>';
  const [time, last] = [bind(after.time), bind(after.id)];
  return ` AND (${sort.column}, ${id}) ${comparison} (${time}::timestamptz, ${last}::uuid)`;
}

interface Cursor {
  time: string;
  id: string;
}

const TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{1,6})?[+-]\d{2}(:\d{2})?$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function decodeCursor(text: string, sortKey: string): Cursor {
  const refusal = invalid([{ field: 'cursor', message: 'is not a cursor of this list and order' }]);
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    throw refusal;
  }
  if (!Array.isArray(parts) || parts.length !== 3) throw refusal;
  const [sort, time, id] = parts as unknown[];
  if (sort !== sortKey || typeof time !== 'string' || typeof id !== 'string') throw refusal;
  if (
    !TIME.test(time) ||
    Number.isNaN(Date.parse(`${time.slice(0, 19).replace(' ', 'T')}Z`)) ||
    !UUID.test(id)
  ) {
    throw refusal;
  }
  return { time, id };
}

function aliasOf(from: string): string {
  return from.split(' ').at(-1) ?? '';
}

const names = new Map<string, string>();

/** One name for one text: PostgreSQL refuses a name that comes back with another text. */
function nameOf(list: string, text: string): string {
  const known = names.get(text);
  if (known) return known;
  const name = `${list}#${names.size}`;
  names.set(text, name);
  return name;
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
