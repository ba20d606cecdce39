/** EUR with at most two decimals as whole cents, so that sums are exact. */
export function inCents(euros: number): number {
  return Math.round(euros * 100);
}
