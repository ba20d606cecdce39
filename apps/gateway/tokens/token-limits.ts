import { isIP } from 'node:net';
import * as ipaddr from 'ipaddr.js';
import { type RateLimit, RateLimiter, type RateVerdict } from '@offizin/http-edge/rate-limiter';

/** IPv6 callers have a network of 2^64 addresses each. */
const IPV6_NETWORK_PARTS = 4;

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

  /** Counts an attempt from an address, before anything of it is read. */
  takeForAddress(address: string): RateVerdict {
    return this.byAddress.take(networkOf(address));
  }

  /** Counts an exchange of a known key; the verdict is the tighter one of address and key. */
  takeForKey(keyId: string, ofAddress: RateVerdict): RateVerdict {
    const ofKey = this.byKey.take(keyId);
    return ofKey.allowed && ofAddress.remaining < ofKey.remaining ? ofAddress : ofKey;
  }
}

function perMinute(count: number): RateLimit {
  return { perSecond: count / 60, burst: count };
}

/** IPv4 as it is, also when it is written as IPv6; an IPv6 address by its /64. */
export function networkOf(address: string): string {
  // X-Forwarded-For of a trusted proxy may hold anything.
  if (!isIP(address)) return address;
  const parsed = ipaddr.process(address);
  if (!('parts' in parsed)) return parsed.toString();
  return parsed.parts
    .slice(0, IPV6_NETWORK_PARTS)
    .map((part) => part.toString(16))
    .join(':');
}
