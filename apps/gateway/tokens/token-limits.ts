import { networkOf } from '@offizin/http-edge/trusted-proxies';
import { type RateLimit, RateLimiter, type RateVerdict } from '@offizin/http-edge/rate-limiter';

/**
 * Limits of the token exchange: attempts per address, for any key, and exchanges per API key. Unknown keys count for
 * the address only; otherwise invented keys could fill the memory.
 */
export class TokenLimits {
  private readonly byAddress: RateLimiter;
  private readonly byKey: RateLimiter;

  constructor(limits: { perKeyPerMinute: number; perAddressPerMinute: number }, replicas: () => number) {
    this.byAddress = new RateLimiter(perMinute(limits.perAddressPerMinute), replicas);
    this.byKey = new RateLimiter(perMinute(limits.perKeyPerMinute), replicas);
  }

  /**
   * Counts an attempt from an address, before its body is read. If the address is a load balancer missing from
   * TRUSTED_PROXIES, only failures count. Otherwise wrong keys of one caller would block the others.
   */
  takeForAddress(address: string): RateVerdict {
    return this.byAddress.take(networkOf(address));
  }

  /** Counts an exchange of a known key; returns the tighter verdict of address and key. */
  takeForKey(keyId: string, ofAddress: RateVerdict | null): RateVerdict {
    const ofKey = this.byKey.take(keyId);
    return ofKey.allowed && ofAddress && ofAddress.remaining < ofKey.remaining ? ofAddress : ofKey;
  }
}

function perMinute(count: number): RateLimit {
  return { perSecond: count / 60, burst: count };
}
