/** The value below which the given share of the values lies (nearest rank); NaN of none. */
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
 * How much slower it is during a fault than before it, both of one run. `floorMs` is what counts as equally quick: two
 * small figures differ by noise.
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
