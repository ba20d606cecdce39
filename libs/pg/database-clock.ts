/**
 * The database's time, for values made before their statement runs. It is an offset to the monotonic clock, so a jump
 * of the wall clock has no effect.
 */
let offsetMs = performance.timeOrigin;

/** Whole milliseconds since 1970. Before the first measurement: this process's clock. */
export function databaseNowMs(): number {
  return Math.floor(offsetMs + performance.now());
}

/**
 * The database's clock is now between `databaseMs` and `databaseMs + tookMs`. The estimate moves only if it lies
 * outside, so a slow answer does not turn it back.
 */
export function noteDatabaseTime(databaseMs: number, tookMs: number): void {
  const estimateMs = offsetMs + performance.now();
  offsetMs += Math.min(Math.max(estimateMs, databaseMs), databaseMs + tookMs) - estimateMs;
}
