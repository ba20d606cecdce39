import { decodeCursor, encodeCursor } from '@offizin/operations/cursor-pages';
import { isCursorTime } from '@offizin/pg/list-cursor';

/** The last row of a page, in a list by time and then by product. */
export interface Place {
  /** With microseconds, as PostgreSQL writes it in UTC: `2026-11-26 06:35:32.123456+00`. */
  time: string;
  p1Id: string;
}

/** PostgreSQL takes no zero byte. */
const PLACE = /^([^|]+)\|([^\0]{1,255})$/;

/** Not JSON, which makes six bytes of a control character: a cursor of the longest id must be accepted again. */
export function encodePlace(list: string, { time, p1Id }: Place): string {
  return encodeCursor(list, `${time}|${p1Id}`);
}

/** Throws `Refused` for a text that encodePlace did not write for this list. */
export function decodePlace(list: string, text: string): Place {
  const [, time = '', p1Id = ''] = PLACE.exec(decodeCursor(list, text, isPlace)) ?? [];
  return { time, p1Id };
}

function isPlace(text: string): boolean {
  const [, time = ''] = PLACE.exec(text) ?? [];
  return isCursorTime(time);
}
