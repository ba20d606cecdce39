/**
 * The database's time, for values made before their statement runs: ids and the expiry of a new key. It is an
 * offset to this process's monotonic clock, so a jump of the wall clock has no effect. `Database.ping` measures it
 * at start and with each readiness probe.
 */
let offsetMs = performance.timeOrigin;

/** Whole milliseconds since 1970. Before the first measurement: this process's clock at its start. */
export function databaseNowMs(): number {
  return Math.floor(offsetMs + performance.now());
}

/**
 * Notes that the database reported `databaseMs` in an answer that took `tookMs`. Its clock is now between
 * `databaseMs` and `databaseMs + tookMs`. The estimate moves only if it lies outside, so a slow answer does not
 * turn it back.
 */
export function noteDatabaseTime(databaseMs: number, tookMs: number): void {
  const estimateMs = offsetMs + performance.now();
  offsetMs += Math.min(Math.max(estimateMs, databaseMs), databaseMs + tookMs) - estimateMs;
}
