/** Token bucket of `burst` requests, refilled evenly. */
export interface RateLimit {
  perSecond: number;
  burst: number;
}

/** The state of a caller's bucket after one request, in terms of the RateLimit-* headers. */
export interface RateVerdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the bucket is full again. */
  resetSeconds: number;
  /** Seconds until the next request is allowed; 0 when this one was. */
  retryAfterSeconds: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Beyond this the buckets that were unused for longest are deleted. */
const MAX_BUCKETS = 100_000;
/** Deleted in batches: a Map finds its first entry by walking over all entries deleted before it. */
const DELETED_AT_ONCE = 10_000;

/**
 * Limits callers by key, in memory: a shared store would cost a round trip per request. Each replica grants the
 * limit divided by the number of live replicas. A caller that is pinned to one replica gets only that share.
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
    // Reinserted at the end, so that the first entry of the map is the one unused for longest.
    this.buckets.delete(key);
    this.buckets.set(key, { tokens: left, atMs: nowMs });
    if (this.buckets.size > MAX_BUCKETS) this.deleteOldest();
    return {
      allowed,
      limit: this.rate.burst,
      remaining: Math.floor(left),
      resetSeconds: Math.ceil((burst - left) / perSecond),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((1 - left) / perSecond)),
    };
  }

  private deleteOldest(): void {
    let left = DELETED_AT_ONCE;
    for (const key of this.buckets.keys()) {
      if (left-- === 0) return;
      this.buckets.delete(key);
    }
  }
}
