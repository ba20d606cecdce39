/** Token bucket of `burst` requests, refilled evenly. */
export interface RateLimit {
  perSecond: number;
  burst: number;
}

export interface RateVerdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  resetSeconds: number;
  retryAfterSeconds: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Beyond this the longest unused buckets are deleted. */
const MAX_BUCKETS = 100_000;
/** A Map finds its first entry by walking over all entries deleted before it. */
const DELETED_AT_ONCE = 10_000;

/**
 * In memory: a shared store would cost a round trip per request. Each replica grants the limit divided by the live
 * replicas, so the total never exceeds the limit.
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
    // Reinserted at the end, so that the first entry is the longest unused.
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
