/**
 * Which IP addresses the service may connect to. Sources: the IANA special-purpose registries (RFC 6890), the multicast
 * blocks (RFC 5771, RFC 4291), and global unicast (RFC 4291, section 2.4). Globally reachable special-purpose blocks
 * are refused, too: no webhook receiver uses them.
 */
import { isIP } from 'node:net';
import * as ipaddr from 'ipaddr.js';

export interface AddressPolicy {
  /** Also allows loopback addresses, including IPv4-mapped ones. */
  allowLoopback: boolean;
  /** For a host that the operator set, never one of a customer: allows every address. */
  allowInternal?: boolean;
}

export type AddressClass =
  | 'public'
  | 'loopback'
  | 'unspecified'
  | 'private'
  | 'carrier_grade_nat'
  | 'link_local'
  | 'unique_local'
  | 'protocol_assignment'
  | 'documentation'
  | 'benchmarking'
  | 'multicast'
  | 'broadcast'
  | 'transition'
  | 'cloud_internal'
  | 'reserved'
  | 'not_an_address';

/** Refuses everything that is not an IP address in canonical spelling. */
export function isAllowedAddress(ip: string, policy: AddressPolicy): boolean {
  const addressClass = classifyAddress(ip);
  if (policy.allowInternal) return addressClass !== 'not_an_address';
  return addressClass === 'public' || (addressClass === 'loopback' && policy.allowLoopback);
}

/** Dotted decimal, or IPv6 without brackets. */
export function classifyAddress(ip: string): AddressClass {
  // ipaddr.js also accepts "0177.1" and "2130706433"; isIP requires the canonical spelling.
  if (isIP(ip) === 0) return 'not_an_address';
  // A zone id ("fe80::1%eth0") names an interface of this machine.
  if (ip.includes('%')) return 'link_local';
  const address = ipaddr.parse(withHexTail(ip));
  return address instanceof ipaddr.IPv6 ? classifyIPv6(address) : classifyIPv4(address);
}

/** "::7f00:1" for "::127.0.0.1". ipaddr.js 2.5.0 mistakes a dotted IPv4-compatible address for an IPv4-mapped one. */
function withHexTail(ip: string): string {
  if (!ip.includes(':')) return ip;
  return ip.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_tail, ...bytes: string[]) => {
    const [a, b, c, d] = bytes.map(Number);
    return `${hexGroup(a, b)}:${hexGroup(c, d)}`;
  });
}

function hexGroup(high = 0, low = 0): string {
  return (high * 256 + low).toString(16);
}

function classifyIPv4(address: ipaddr.IPv4): AddressClass {
  return IPV4_BLOCKS.find((entry) => address.match(entry.block))?.addressClass ?? 'public';
}

function classifyIPv6(address: ipaddr.IPv6): AddressClass {
  // The kernel connects a mapped address to its embedded IPv4 address.
  if (address.isIPv4MappedAddress()) return classifyIPv4(address.toIPv4Address());
  if (address.match(NAT64_WELL_KNOWN)) {
    // DNS64 networks reach every IPv4 receiver this way. The translator would reach an embedded internal address in its
    // own network.
    return classifyIPv4(embeddedIPv4(address)) === 'public' ? 'public' : 'transition';
  }
  const special = IPV6_BLOCKS.find((entry) => address.match(entry.block))?.addressClass;
  return special ?? (address.match(GLOBAL_UNICAST) ? 'public' : 'reserved');
}

function embeddedIPv4(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

const NAT64_WELL_KNOWN = ipaddr.IPv6.parseCIDR('64:ff9b::/96'); // RFC 6052
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

interface Block<Address> {
  block: [Address, number];
  addressClass: AddressClass;
}

function ipv4Block(cidr: string, addressClass: AddressClass): Block<ipaddr.IPv4> {
  return { block: ipaddr.IPv4.parseCIDR(cidr), addressClass };
}

function ipv6Block(cidr: string, addressClass: AddressClass): Block<ipaddr.IPv6> {
  return { block: ipaddr.IPv6.parseCIDR(cidr), addressClass };
}

/** The first match counts, so a narrower block precedes the block that contains it. */
const IPV4_BLOCKS: readonly Block<ipaddr.IPv4>[] = [
  ipv4Block('0.0.0.0/32', 'unspecified'), // RFC 1122; many kernels connect it to loopback
  ipv4Block('0.0.0.0/8', 'reserved'), // RFC 791, "this network"
  ipv4Block('10.0.0.0/8', 'private'), // RFC 1918
  ipv4Block('100.64.0.0/10', 'carrier_grade_nat'), // RFC 6598
  ipv4Block('127.0.0.0/8', 'loopback'), // RFC 1122
  ipv4Block('168.63.129.16/32', 'cloud_internal'), // Azure's host service, a public number inside the host
  ipv4Block('169.254.0.0/16', 'link_local'), // RFC 3927; holds the clouds' metadata services
  ipv4Block('172.16.0.0/12', 'private'), // RFC 1918
  ipv4Block('192.0.0.0/24', 'protocol_assignment'), // RFC 6890
  ipv4Block('192.0.2.0/24', 'documentation'), // RFC 5737
  ipv4Block('192.31.196.0/24', 'protocol_assignment'), // RFC 7535, AS112
  ipv4Block('192.52.193.0/24', 'protocol_assignment'), // RFC 7450, AMT
  ipv4Block('192.88.99.0/24', 'transition'), // RFC 7526, 6to4 relays
  ipv4Block('192.168.0.0/16', 'private'), // RFC 1918
  ipv4Block('192.175.48.0/24', 'protocol_assignment'), // RFC 7534, AS112
  ipv4Block('198.18.0.0/15', 'benchmarking'), // RFC 2544
  ipv4Block('198.51.100.0/24', 'documentation'), // RFC 5737
  ipv4Block('203.0.113.0/24', 'documentation'), // RFC 5737
  ipv4Block('224.0.0.0/4', 'multicast'), // RFC 5771
  ipv4Block('255.255.255.255/32', 'broadcast'), // RFC 8190
  ipv4Block('240.0.0.0/4', 'reserved'), // RFC 1112
];

/** All else outside 2000::/3 is `reserved`, including IPv4-compatible forms. */
const IPV6_BLOCKS: readonly Block<ipaddr.IPv6>[] = [
  ipv6Block('::/128', 'unspecified'), // RFC 4291
  ipv6Block('::1/128', 'loopback'), // RFC 4291
  ipv6Block('64:ff9b:1::/48', 'transition'), // RFC 8215, NAT64 of the local network
  ipv6Block('2001::/32', 'transition'), // RFC 4380, Teredo
  ipv6Block('2001:2::/48', 'benchmarking'), // RFC 5180
  ipv6Block('2001::/23', 'protocol_assignment'), // RFC 2928, ORCHID and anycast
  ipv6Block('2001:db8::/32', 'documentation'), // RFC 3849
  ipv6Block('2002::/16', 'transition'), // RFC 3056, 6to4
  ipv6Block('2620:4f:8000::/48', 'protocol_assignment'), // RFC 7534, AS112
  ipv6Block('3fff::/20', 'documentation'), // RFC 9637
  ipv6Block('fc00::/7', 'unique_local'), // RFC 4193
  ipv6Block('fe80::/10', 'link_local'), // RFC 4291
  ipv6Block('fec0::/10', 'private'), // RFC 3879, site-local
  ipv6Block('ff00::/8', 'multicast'), // RFC 4291
];

/**
 * Checked when a subscription is written, so that its owner gets the reason, and again in `Egress.send`. The URL parser
 * has normalised address literals ("0x7f.1", full-width digits). The guarded agent checks a name's addresses on every
 * connect.
 */

export interface TargetPolicy extends AddressPolicy {
  allowHttp: boolean;
}

/** For the customer; `reason` never repeats the URL, which may contain a password. */
type TargetCheck = { ok: true; url: URL } | { ok: false; reason: string };

export const MAX_URL_CHARACTERS = 2048;

export function checkTargetUrl(text: string, policy: TargetPolicy): TargetCheck {
  if (text.length > MAX_URL_CHARACTERS) {
    return refused(`The URL must have at most ${MAX_URL_CHARACTERS} characters.`);
  }
  // The parser silently drops tabs and line breaks, so the called URL would differ from the one shown.
  if (WHITE_SPACE_OR_CONTROL.test(text)) {
    return refused('The URL must not contain spaces or control characters.');
  }
  const url = parsed(text);
  if (url === undefined) return refused('The URL cannot be parsed; give an absolute URL.');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.allowHttp)) {
    return refused(
      policy.allowHttp ? 'The URL must begin with https:// or http://.' : 'The URL must begin with https://.',
    );
  }
  if (url.username !== '' || url.password !== '') {
    return refused('The URL must not contain a user name or password.');
  }
  const literal = addressLiteral(url);
  if (literal !== undefined && !isAllowedAddress(literal, policy)) {
    return refused(
      'The URL must not point to a private, loopback, link-local, multicast or reserved address.',
    );
  }
  return { ok: true, url };
}

/** A URL without TLS on this machine, for development. */
export function isLocalHttp(text: string): boolean {
  const check = checkTargetUrl(text, { allowHttp: true, allowLoopback: true });
  if (!check.ok || check.url.protocol !== 'http:') return false;
  return classifyAddress(addressLiteral(check.url) ?? '') === 'loopback';
}

/** Without brackets; undefined for a name. */
function addressLiteral(url: URL): string | undefined {
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  return isIP(host) === 0 ? undefined : host;
}

const WHITE_SPACE_OR_CONTROL = /[\s\p{Cc}]/u;

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function refused(reason: string): TargetCheck {
  return { ok: false, reason };
}
