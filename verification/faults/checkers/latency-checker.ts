/** The value below which the given share of the values lies (nearest rank); NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

export interface LatencyVerdict {
  beforeMs: number;
  duringMs: number;
  ratio: number;
}

/**
 * Latency during a fault compared with latency before it, in one run. Below `floorMs` two values count as equal: they
 * differ by noise.
 */
export function compareLatencies(
  before: readonly number[],
  during: readonly number[],
  share: number,
  floorMs: number,
): LatencyVerdict {
  const beforeMs = percentile(before, share);
  const duringMs = percentile(during, share);
  return { beforeMs, duringMs, ratio: Math.max(duringMs, floorMs) / Math.max(beforeMs, floorMs) };
}
