import { isIP } from 'node:net';
import * as ipaddr from 'ipaddr.js';

/** A single IPv6 caller usually owns a /64. */
const IPV6_NETWORK_PARTS = 4;

/** Key of the limits per address; a mapped IPv4 address counts as IPv4. */
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
