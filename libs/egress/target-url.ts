/**
 * Checked when a subscription is written, so that its owner gets the reason, and again in `Egress.send`. The URL parser
 * has normalised address literals ("0x7f.1", full-width digits). The guarded agent checks a name's addresses on every
 * connect.
 */
import { isIP } from 'node:net';
import { type AddressPolicy, isAllowedAddress } from './address-policy';

export interface TargetPolicy extends AddressPolicy {
  allowHttp: boolean;
}

/** For the customer; `reason` never repeats the URL, which may contain a password. */
export type TargetCheck = { ok: true; url: URL } | { ok: false; reason: string };

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

/** Without brackets; undefined for a name. */
export function addressLiteral(url: URL): string | undefined {
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
