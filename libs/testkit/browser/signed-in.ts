import type { BrowserContext } from 'playwright-core';
import { testEnvironment } from '../environment';
import type { TestPerson } from '../person';
import type { Screen } from './screen';

/** The browser notes each refused answer; that nobody is signed in yet is one. */
export const SIGNED_OUT = /status of 401 .*\/console\/api\/session:/;

/** Gives the browser the person's session, without the page of signing in. */
export async function signInAs({ context }: Screen, person: TestPerson): Promise<void> {
  await addSession(context, person, testEnvironment().baseUrl);
}

export async function addSession(
  context: BrowserContext,
  { cookie }: TestPerson,
  baseUrl: string,
): Promise<void> {
  const [name = '', value = ''] = cookie.split('=');
  // The protocol takes cookies with this prefix for https addresses only; the browser then sends them to its own machine.
  const url = new URL(baseUrl.replace(/^http:/, 'https:')).origin;
  await context.addCookies([{ name, value, url, httpOnly: true, secure: true, sameSite: 'Strict' }]);
}
