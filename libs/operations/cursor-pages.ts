import { invalid } from '@offizin/contracts/errors';
import type { CursorOnlyPagination, CursorOnlyQuery } from '@offizin/contracts/paging';

/**
 * Pages of lists that are paged by cursor only. Such a page has two bounds, rows and bytes: the largest legal rows would
 * otherwise make a reply that is longer than a message of the bus. A page always holds a row, so every walk ends.
 */
export const MAX_PAGE_BYTES = 900_000;

/** The first rows, `limit` at most, whose JSON fits a page. */
export function rowsThatFit<Row>(rows: readonly Row[], limit: number): Row[] {
  let bytes = 0;
  const end = rows.slice(0, limit).findIndex((row, index) => {
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1;
    return index > 0 && bytes > MAX_PAGE_BYTES;
  });
  return rows.slice(0, end === -1 ? limit : end);
}

/** The page of a list whose rows are all at hand, in the order of their keys. Throws `Refused` for a foreign cursor. */
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

/** The cursor behind the last row of a page; null where the list ends with it. */
export function nextCursor<Row>(
  { name, keyOf }: { name: string; keyOf: (row: Row) => string },
  data: readonly Row[],
  hasMore: boolean,
): string | null {
  const last = data.at(-1);
  return last !== undefined && hasMore ? encodeCursor(name, keyOf(last)) : null;
}

/** A cursor is opaque to callers; the list's name in it keeps the cursor of one list from being taken by another. */
export function encodeCursor(name: string, key: string): string {
  return Buffer.from(`${name}:${key}`).toString('base64url');
}

/** The key out of a cursor. Throws `Refused` where the list's name is another or `isKey` says no. */
export function decodeCursor(
  name: string,
  cursor: string,
  isKey: (text: string) => boolean = () => true,
): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  const key = text.startsWith(`${name}:`) ? text.slice(name.length + 1) : '';
  if (key === '' || !isKey(key))
    throw invalid([{ field: 'cursor', message: 'does not belong to this list' }]);
  return key;
}
