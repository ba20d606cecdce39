import { invalid } from '@offizin/contracts/errors';
import { decodeCursor, encodeCursor } from '@offizin/operations/cursor-pages';

/** The last row of a page, in a list by name. */
export interface NameCursor {
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
  const refusal = invalid([{ field: 'cursor', message: 'does not belong to this list' }]);
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
