import { readAddress, withoutUndefined } from '../lists/address';
import { isPeriod, timesOf } from '../text/berlin-day';

/** What the address of the audit log holds: filters and the entry that is open. */
export interface AuditSearch {
  /** An actor, such as `staff:<id>`. */
  who?: string;
  what?: string;
  object?: string;
  /** `7` or `30` days, today included, or a month such as `2026-11`. */
  period?: string;
  id?: string;
  /** Id of a saved view. */
  view?: string;
}

export type AuditFilters = ReturnType<typeof filtersOf>;

export const NO_FILTER = { who: undefined, what: undefined, object: undefined, period: undefined };
const KNOWN = { who: null, what: null, object: null, period: null, id: null, view: null } as const;

export function readAuditSearch(search: Readonly<Record<string, unknown>>): AuditSearch {
  const { period, ...read } = readAddress(search, KNOWN);
  return period !== undefined && isPeriod(period) ? { ...read, period } : read;
}

/** In the contract's names. Periods are whole days in Berlin, so they stay the same for a day. */
export function filtersOf({ who, what, object, period }: AuditSearch, nowMs: number) {
  return withoutUndefined({ actor: who, action: what, object, ...timesOf(period, nowMs) });
}
