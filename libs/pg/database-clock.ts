/**
 * The time of the database, for what is stored but made before its statement: ids, and the expiry of a new key. It is
 * monotonic time beside a measurement, so a jump of the clock of this process changes nothing. `Database.ping` measures: at
 * the start, and with each readiness probe, which is no further statement.
 */
let offsetMs = performance.timeOrigin;

/** Milliseconds since 1970, whole ones. Before the first measurement: by the clock that this process started with. */
export function databaseNowMs(): number {
  return Math.floor(offsetMs + performance.now());
}

/**
 * The database answered now, after `tookMs`, that its clock was at `databaseMs`: it is at most `tookMs` later there. The
 * estimate moves only where it is outside, so that a slow answer does not turn it back.
 */
export function noteDatabaseTime(databaseMs: number, tookMs: number): void {
  const estimateMs = offsetMs + performance.now();
  offsetMs += Math.min(Math.max(estimateMs, databaseMs), databaseMs + tookMs) - estimateMs;
}
