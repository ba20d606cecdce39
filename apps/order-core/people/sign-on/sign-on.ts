import { createHmac } from 'node:crypto';
import { normalizedEmail } from '../staff/staff.store';
import { FIRST_PAGE } from '@offizin/contracts/people/sign-on';

/** What goes through the browser and the provider, each made from the token that only the browser's cookie holds. */
export interface Proofs {
  state: string;
  nonce: string;
  verifier: string;
}

/** Derived and not stored: the database holds only the hash of the token. 43 characters, as PKCE asks for. */
export function proofsOf(token: string): Proofs {
  const derive = (purpose: string) => createHmac('sha256', token).update(purpose).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
}

/** What the provider has signed about a person. */
export interface Claims {
  email?: unknown;
  email_verified?: unknown;
}

/** Null unless the provider states, as a boolean, that it has verified the address. */
export function verifiedEmailOf({ email, email_verified: isVerified }: Claims): string | null {
  return isVerified === true && typeof email === 'string' && email.length > 0 ? normalizedEmail(email) : null;
}

/** The part before the path does not matter; a path that leaves it belongs to another site. */
const SOME_ORIGIN = 'https://console.invalid';
const MAX_PAGE_LENGTH = 1_000;

/**
 * A page of the console by its path; the first page instead of anything else, so that no answer leads to another site.
 */
export function ownPage(given: string | undefined): string {
  if (given === undefined || given.length > MAX_PAGE_LENGTH || !given.startsWith('/console'))
    return FIRST_PAGE;
  // Browsers read a backslash as a slash, and drop control characters.
  if (!/^[\x21-\x5b\x5d-\x7e]*$/.test(given)) return FIRST_PAGE;
  const { origin, pathname, search } = new URL(given, SOME_ORIGIN);
  if (origin !== SOME_ORIGIN || pathname.includes('//')) return FIRST_PAGE;
  const isPage = pathname === '/console' || pathname.startsWith('/console/');
  return isPage && !/^\/console\/(?:api|assets|sign-in|sign-on)(?:\/|$)/.test(pathname)
    ? pathname + search
    : FIRST_PAGE;
}
