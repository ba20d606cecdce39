import { invalid } from '@offizin/contracts/errors';
import { type Sql, statement } from './database';

/**
 * Lists that are paged by offset and by cursor: `{data, pagination: {limit, offset, total, next_cursor}}`, made as JSON
 * text by PostgreSQL in one statement. Only the filters that a caller gave stand in the statement, so that each
 * combination gets a plan of its own; its name is the combination, so that it is prepared once per connection.
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

/** Resolves with the JSON text. Throws `Refused` for a cursor of another list, or one beside an offset. */
export async function listPage(sql: Sql, options: ListOptions): Promise<string> {
  const { name, filters, sort, limit, offset, cursor } = options;
  if (cursor !== undefined && offset !== undefined) {
    throw invalid([{ field: 'offset', message: 'is not taken beside a cursor' }]);
  }
  const direction = sort.descending ? 'desc' : 'asc';
  const sortKey = `${sort.column}:${direction}`;
  const values: unknown[] = filters.map(({ value }) => value);
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const where =
    filters.map((filter, index) => filter.sql.replaceAll('$', `$${index + 1}`)).join(' AND ') || 'true';
  const [limitParameter, offsetParameter] = [parameter(limit), parameter(offset ?? 0)];
  const keyset = cursor === undefined ? '' : keysetOf(options, decodeCursor(cursor, sortKey), parameter);
  const text = pageSql(options, { where, keyset, limit: limitParameter, offset: offsetParameter, sortKey });
  const keys = filters.map(({ key }) => key).join('+');
  const statementName = `${name}:${keys}:${sortKey}${cursor === undefined ? '' : ':cursor'}`;
  // PostgreSQL cuts names at 63 bytes, and two names that are cut alike would be one statement.
  const [row] = await sql.rows(
    statement<{ page: string }, unknown[]>(shortName(statementName), text),
    ...values,
  );
  return row?.page ?? '';
}

interface Parts {
  where: string;
  keyset: string;
  limit: string;
  offset: string;
  sortKey: string;
}

function pageSql(options: ListOptions, { where, keyset, limit, offset, sortKey }: Parts): string {
  const { from, row, sort, id } = options;
  const order = sort.descending ? 'DESC' : 'ASC';
  // One row more than the page says whether there is a next one; its predecessor's key is the cursor.
  return `WITH page AS MATERIALIZED (
      SELECT ${row} AS shown, ${sort.column} AS sort_key, ${id} AS sort_id,
             row_number() OVER (ORDER BY ${sort.column} ${order}, ${id} ${order}) AS place
      FROM (SELECT * FROM ${from} WHERE ${where}${keyset}
            ORDER BY ${sort.column} ${order}, ${id} ${order} LIMIT ${limit}::int + 1 OFFSET ${offset}::int) ${aliasOf(from)}
    )
    SELECT json_build_object(
      'data', coalesce((SELECT json_agg(shown ORDER BY place) FROM page WHERE place <= ${limit}::int), '[]'::json),
      'pagination', json_build_object('limit', ${limit}::int, 'offset', ${offset}::int,
        'total', (SELECT count(*) FROM ${from} WHERE ${where}),
        'next_cursor', (SELECT translate(encode(convert_to(json_build_array('${sortKey}', p.sort_key::text, p.sort_id)::text,
            'UTF8'), 'base64'), E'+/=\\n', '-_') FROM page p
          WHERE p.place = ${limit}::int AND EXISTS (SELECT FROM page WHERE place > ${limit}::int)))
    )::text AS page`;
}

function keysetOf({ sort, id }: ListOptions, after: Cursor, parameter: (value: unknown) => string): string {
  const comparison = sort.descending ? '<' : '>';
  const [time, last] = [parameter(after.time), parameter(after.id)];
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

const shortNames = new Map<string, string>();

function shortName(long: string): string {
  const known = shortNames.get(long);
  if (known) return known;
  const short = `${long.slice(0, 40)}#${shortNames.size}`;
  shortNames.set(long, short);
  return short;
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
