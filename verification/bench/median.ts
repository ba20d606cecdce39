/** Throws for an empty list: a row without a figure must not look measured. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  const lower = sorted[sorted.length % 2 === 0 ? middle - 1 : middle];
  if (upper === undefined || lower === undefined) throw new Error('no figures to take the median of');
  return (upper + lower) / 2;
}

/** Median of the ratios per round: a disturbance of seconds affects both halves of a round. */
export function medianRatio(pairs: readonly { product: number; raw: number }[]): number {
  return median(pairs.map(({ product, raw }) => product / raw));
}
