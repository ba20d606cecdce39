import { invalid } from '@offizin/contracts/calls/errors';
import {
  type CursorOnlyPagination,
  type CursorOnlyQuery,
  digestOfFilters,
} from '@offizin/contracts/calls/paging';

/** A reply of large rows would exceed the size of a bus message. A page has at least one row, so every walk ends. */
export const MAX_PAGE_BYTES = 900_000;

export function rowsThatFit<Row>(rows: readonly Row[], limit: number): Row[] {
  let bytes = 0;
  const end = rows.slice(0, limit).findIndex((row, index) => {
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
    return index > 0 && bytes > MAX_PAGE_BYTES;
  });
  return rows.slice(0, end === -1 ? limit : end);
}

/** For a list that is complete in memory, sorted by key. Throws `Refused` for a foreign cursor. */
export function pageOf<Row>(
  rows: readonly Row[],
  query: CursorOnlyQuery,
  list: { name: string; keyOf: (row: Row) => string },
): { data: Row[]; pagination: CursorOnlyPagination } {
  const { limit, cursor } = query;
  const after = cursor === undefined ? '' : decodeCursor(list.name, cursor);
  const following = rows.filter((row) => list.keyOf(row) > after);
  const data = rowsThatFit(following, limit);
  return { data, pagination: { limit, next_cursor: nextCursor(list, data, data.length < following.length) } };
}

export function nextCursor<Row>(
  { name, keyOf }: { name: string; keyOf: (row: Row) => string },
  data: readonly Row[],
  hasMore: boolean,
): string | null {
  const last = data.at(-1);
  return last !== undefined && hasMore ? encodeCursor(name, keyOf(last)) : null;
}

const PLACE = new Set(['limit', 'offset', 'page', 'cursor', 'after']);

/** The name of a list under the filters and sort of a query, for its cursors. */
export function filteredName(list: string, query: object): string {
  const filters = Object.entries(query).filter(([name, value]) => value !== undefined && !PLACE.has(name));
  return `${list}.${digestOfFilters(filters.sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}

/** Contains the list's name, so that other lists refuse it. */
export function encodeCursor(name: string, key: string): string {
  return Buffer.from(`${name}:${key}`).toString('base64url');
}

/** Throws `Refused` for a cursor of another list or a key that fails `isKey`. */
export function decodeCursor(
  name: string,
  cursor: string,
  isKey: (text: string) => boolean = () => true,
): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  const key = text.startsWith(`${name}:`) ? text.slice(name.length + 1) : '';
  if (key === '' || !isKey(key))
    throw invalid([{ field: 'cursor', message: 'does not belong to this list and its filters' }]);
  return key;
}
