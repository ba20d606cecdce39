const TIMESTAMP =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/;

/** Bounds of a time in UTC. The upper one leaves a margin for rounding: a five-digit year is not valid ISO 8601. */
const FIRST_TIME_MS = Date.UTC(1900, 0, 1);
const LAST_TIME_MS = Date.UTC(9999, 11, 31, 23, 59, 59);

/** ISO 8601 with offset, of a day that exists. */
export function isTimestamp(value: unknown): value is string {
  const parts = typeof value === 'string' ? TIMESTAMP.exec(value) : null;
  if (parts === null || !isDay(Number(parts[1]), Number(parts[2]), Number(parts[3]))) return false;
  const atMs = Date.parse(String(value));
  return atMs >= FIRST_TIME_MS && atMs <= LAST_TIME_MS;
}

/** Times are kept to the millisecond; further digits are cut, not rounded. See docs/contract.md#conventions */
export function toMilliseconds(timestamp: string): string {
  return timestamp.replace(/(\.\d{3})\d+/, '$1');
}

/** YYYY-MM-DD, of a day that exists. */
export function isCalendarDate(value: unknown): boolean {
  const parts = typeof value === 'string' ? /^(\d{4})-(\d{2})-(\d{2})$/.exec(value) : null;
  return parts !== null && isDay(Number(parts[1]), Number(parts[2]), Number(parts[3]));
}

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return year >= 1900 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
