import { invalid } from '@offizin/contracts/calls/errors';

/** A host name of letters, digits and hyphens. Source: RFC 1123 section 2.1. */
const DOMAIN = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** By the operator only: every program resolves it, unlike `*.localhost`. */
export function operatorsDomain(text: string): string {
  return text.toLowerCase() === 'localhost' ? 'localhost' : checkedDomain(text);
}

/**
 * Returns the domain in lower case, for comparison with a request's host. Throws `Refused` for an invalid host name.
 */
export function checkedDomain(text: string): string {
  const domain = text.toLowerCase();
  if (!DOMAIN.test(domain)) throw invalid([{ field: 'domain', message: 'must be a host name' }]);
  return domain;
}
