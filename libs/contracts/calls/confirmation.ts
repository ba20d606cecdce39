import type { Caller } from './caller';
import { Refused } from './errors';

/** For how long a confirmation by password or passkey counts. See docs/contract.md#people */
export const CONFIRMED_MINUTES = 10;

/** A person confirmed lately, as the edge states. Others have nothing to confirm. */
export function isConfirmed({ kind, confirmedUntil }: Caller, nowMs: number): boolean {
  return kind !== 'staff' || (confirmedUntil !== undefined && Date.parse(confirmedUntil) > nowMs);
}

export function notConfirmed(): Refused {
  const message = `Confirm your password first: the last confirmation is older than ${CONFIRMED_MINUTES} minutes.`;
  return new Refused('forbidden', message);
}
