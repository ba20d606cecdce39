import { randomUUID } from 'node:crypto';

const FORM = /^[A-Za-z0-9._-]{1,128}$/;

/** A request id that the caller chose is kept when it is well-formed; else a new one is made. */
export function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && FORM.test(given) ? given : newRequestId();
}

export function newRequestId(): string {
  return randomUUID();
}
