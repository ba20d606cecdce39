/** Size of the next batch: a quarter after a failure such as a timeout, twice as many after a success, up to `largest`. */
export function nextBatchSize(
  size: number,
  { largest, failed }: { largest: number; failed: boolean },
): number {
  return failed ? Math.max(1, Math.floor(size / 4)) : Math.min(largest, size * 2);
}
