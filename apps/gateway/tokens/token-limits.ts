import { networkOf } from '@offizin/http-edge/network-of';
import { type RateLimit, RateLimiter, type RateVerdict } from '@offizin/http-edge/rate-limiter';

/**
 * Limits of the token exchange: attempts per address, whoever they name, and exchanges per API key. Unknown keys count
 * for the address only; else anybody could fill the memory with keys that do not exist.
 */
export class TokenLimits {
  private readonly byAddress: RateLimiter;
  private readonly byKey: RateLimiter;

  constructor(limits: { perKeyPerMinute: number; perAddressPerMinute: number }, replicas: () => number) {
    this.byAddress = new RateLimiter(perMinute(limits.perAddressPerMinute), replicas);
    this.byKey = new RateLimiter(perMinute(limits.perKeyPerMinute), replicas);
  }

  /**
   * Counts an attempt from an address: each one, before it is read. Where the address is that of a balancer which
   * TRUSTED_PROXIES does not name, only failures are counted, so that wrong keys of one caller do not refuse the others.
   */
  takeForAddress(address: string): RateVerdict {
    return this.byAddress.take(networkOf(address));
  }

  /** Counts an exchange of a known key; the verdict is the tighter one of address and key. */
  takeForKey(keyId: string, ofAddress: RateVerdict | null): RateVerdict {
    const ofKey = this.byKey.take(keyId);
    return ofKey.allowed && ofAddress && ofAddress.remaining < ofKey.remaining ? ofAddress : ofKey;
  }
}

function perMinute(count: number): RateLimit {
  return { perSecond: count / 60, burst: count };
}
