/** At most `perSecond`, and `burst` together after a rest: as the rate limiter of the edges counts. */
export interface Pace {
  perSecond: number;
  burst: number;
}

/** Waits until the rate limit allows the next request. */
export function paceOf({ perSecond, burst }: Pace): () => Promise<void> {
  let nextAtMs = performance.now() - (burst * 1_000) / perSecond;
  return async () => {
    nextAtMs = Math.max(nextAtMs, performance.now() - (burst * 1_000) / perSecond) + 1_000 / perSecond;
    const waitMs = nextAtMs - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  };
}
