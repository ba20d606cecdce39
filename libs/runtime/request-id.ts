import { randomUUID } from 'node:crypto';

const FORM = /^[A-Za-z0-9._-]{1,128}$/;

export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && FORM.test(header) ? header : newRequestId();
}

export function newRequestId(): string {
  return randomUUID();
}
