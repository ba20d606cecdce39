import { FIRST_PAGE } from '@offizin/contracts/sign-on';

/** The part before the path does not matter; a path that leaves it belongs to another site. */
const SOME_ORIGIN = 'https://console.invalid';
const MAX_LENGTH = 1_000;

/** A page of the console by its path; the first page instead of anything else, so that no answer leads to another site. */
export function ownPage(given: string | undefined): string {
  if (given === undefined || given.length > MAX_LENGTH || !given.startsWith('/console')) return FIRST_PAGE;
  // Browsers read a backslash as a slash, and drop control characters.
  if (!/^[\x21-\x5b\x5d-\x7e]*$/.test(given)) return FIRST_PAGE;
  const { origin, pathname, search } = new URL(given, SOME_ORIGIN);
  if (origin !== SOME_ORIGIN || pathname.includes('//')) return FIRST_PAGE;
  const isPage = pathname === '/console' || pathname.startsWith('/console/');
  return isPage && !/^\/console\/(?:api|assets|sign-in|sign-on)(?:\/|$)/.test(pathname)
    ? pathname + search
    : FIRST_PAGE;
}
