import { isIP } from 'node:net';
import * as ipaddr from 'ipaddr.js';

/** IPv6 callers have a network of 2^64 addresses each. */
const IPV6_NETWORK_PARTS = 4;

/** What limits per address count by: an IPv4 address, also when it is written as IPv6; an IPv6 address by its /64. */
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
