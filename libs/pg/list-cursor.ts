import { invalid } from '@offizin/contracts/errors';

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

/** Throws `Refused` for a cursor of another list or order. */
export function decodeCursor(text: string, sortKey: string): Cursor {
  const refusal = invalid([{ field: 'cursor', message: 'does not belong to this list and sort order' }]);
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
