import { BlockList, isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';
import * as ipaddr from 'ipaddr.js';
import { log } from '@offizin/runtime/log';

/**
 * The balancers whose X-Forwarded-For is trusted. Many callers share an unlisted balancer's address and must not lock
 * each other out.
 */
export class TrustedProxies {
  private readonly networks = new BlockList();
  private readonly isEmpty: boolean;
  private hasReported = false;

  /** Addresses or networks (`10.0.0.0/8`). Throws on any other entry. */
  constructor(private readonly text: string) {
    const entries = text.split(',').map((entry) => entry.trim());
    const present = entries.filter((entry) => entry !== '');
    this.isEmpty = present.length === 0;
    for (const entry of present) this.add(entry);
  }

  has(address: string | undefined): boolean {
    if (this.isEmpty || address === undefined) return false;
    const version = isIP(address);
    return version !== 0 && this.networks.check(address, version === 6 ? 'ipv6' : 'ipv4');
  }

  toString(): string {
    return this.text;
  }

  isUndeclared({ headers, socket }: IncomingMessage): boolean {
    if (headers['x-forwarded-for'] === undefined || this.has(socket.remoteAddress)) return false;
    if (!this.hasReported) {
      this.hasReported = true;
      log.warn(
        { peer: socket.remoteAddress },
        'X-Forwarded-For came from an address that TRUSTED_PROXIES does not name: all callers behind it count as one address, and only their failures are counted',
      );
    }
    return true;
  }

  private add(entry: string): void {
    const [address = '', prefix, ...rest] = entry.split('/');
    const version = isIP(address);
    const bits = version === 6 ? 128 : 32;
    const length = prefix === undefined ? bits : Number(prefix);
    if (version === 0 || rest.length > 0 || !/^\d+$/.test(prefix ?? '0') || length > bits) {
      throw new Error(`TRUSTED_PROXIES: ${entry} is neither an address nor a network such as 10.0.0.0/8`);
    }
    this.networks.addSubnet(address, length, version === 6 ? 'ipv6' : 'ipv4');
  }
}

/** Key of the limits per address: a single IPv6 caller usually owns a /64. */
export function networkOf(address: string): string {
  return prefixOf(address, { ipv4: 4, ipv6: 4 });
}

/** Addresses that one customer of a provider can rent together: IPv4 /16, IPv6 /32. Ends with `*`, as no network does. */
export function providerOf(address: string): string {
  return `${prefixOf(address, { ipv4: 2, ipv6: 2 })}*`;
}

/** By the leading parts. A mapped IPv4 address counts as IPv4. */
function prefixOf(address: string, parts: { ipv4: number; ipv6: number }): string {
  // X-Forwarded-For of a trusted proxy may hold anything.
  if (!isIP(address)) return address;
  const parsed = ipaddr.process(address);
  if (!('parts' in parsed)) return parsed.octets.slice(0, parts.ipv4).join('.');
  return parsed.parts
    .slice(0, parts.ipv6)
    .map((part) => part.toString(16))
    .join(':');
}
