/** How often one caller may come: a token bucket of `burst`, refilled evenly. */
export interface RateLimit {
  perSecond: number;
  burst: number;
}

/** The state of a caller's bucket after one request, as the RateLimit-* headers say it. */
export interface RateVerdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the bucket is full again. */
  resetSeconds: number;
  /** Seconds until the next request is allowed; 0 when it is now. */
  retryAfterSeconds: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** With more than this the oldest go, whoever they are. */
const MAX_BUCKETS = 100_000;
/** At a time: a map finds its first entry by walking over all that were deleted before it (145 µs one by one). */
const FORGOTTEN_AT_ONCE = 10_000;

/**
 * Limits callers by key, in memory (a shared store would cost each request a round trip; the edges have no database).
 * All replicas of a service together grant the limit, because each grants its share: the limit divided by the number
 * of replicas that are present now. A caller that one load balancer pins to one replica gets only that share.
 */
export class RateLimiter {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly rate: RateLimit,
    private readonly replicas: () => number = () => 1,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  take(key: string): RateVerdict {
    const share = Math.max(1, this.replicas());
    const perSecond = this.rate.perSecond / share;
    const burst = Math.max(1, Math.floor(this.rate.burst / share));
    const nowMs = this.nowMs();
    const bucket = this.buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    const tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1000) * perSecond);
    const allowed = tokens >= 1;
    const left = allowed ? tokens - 1 : tokens;
    // Put back at the end, so that the first of the map is the one that was not seen for longest.
    this.buckets.delete(key);
    this.buckets.set(key, { tokens: left, atMs: nowMs });
    if (this.buckets.size > MAX_BUCKETS) this.forgetOldest();
    return {
      allowed,
      limit: this.rate.burst,
      remaining: Math.floor(left),
      resetSeconds: Math.ceil((burst - left) / perSecond),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((1 - left) / perSecond)),
    };
  }

  private forgetOldest(): void {
    let left = FORGOTTEN_AT_ONCE;
    for (const key of this.buckets.keys()) {
      if (left-- === 0) return;
      this.buckets.delete(key);
    }
  }
}
