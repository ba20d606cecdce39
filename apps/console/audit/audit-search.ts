import { readAddress, withoutUndefined } from '../shell/address';
import { berlinDay, berlinMidnight, dayBefore } from '../text/berlin-day';

/** What the address of the audit log holds: filters and the entry that is open. */
export interface AuditSearch {
  /** An actor, such as `staff:<id>`. */
  who?: string;
  what?: string;
  object?: string;
  /** `7` or `30` days, today included, or a month such as `2026-11`. */
  period?: string;
  id?: string;
}

export type AuditFilters = ReturnType<typeof filtersOf>;

export const NO_FILTER = { who: undefined, what: undefined, object: undefined, period: undefined };
const KNOWN = { who: null, what: null, object: null, period: null, id: null } as const;
const MONTH = /^(20\d\d)-(0[1-9]|1[0-2])$/;
const DAYS = /^(?:7|30)$/;

export function readAuditSearch(search: Readonly<Record<string, unknown>>): AuditSearch {
  const { period, ...read } = readAddress(search, KNOWN);
  return period !== undefined && (MONTH.test(period) || DAYS.test(period)) ? { ...read, period } : read;
}

export function isFiltered({ who, what, object, period }: AuditSearch): boolean {
  return [who, what, object, period].some((value) => value !== undefined);
}

/** In the contract's names. Periods are whole days in Berlin, so they stay the same for a day. */
export function filtersOf({ who, what, object, period }: AuditSearch, nowMs: number) {
  return withoutUndefined({ actor: who, action: what, object, ...timesOf(period, nowMs) });
}

function timesOf(period: string | undefined, nowMs: number): { from?: string; to?: string } {
  if (period === undefined) return {};
  const [, year, month] = MONTH.exec(period) ?? [];
  if (year === undefined || month === undefined) {
    return { from: berlinMidnight(dayBefore(berlinDay(nowMs), Number(period) - 1)) };
  }
  const next =
    month === '12' ? `${Number(year) + 1}-01-01` : `${year}-${String(Number(month) + 1).padStart(2, '0')}-01`;
  return { from: berlinMidnight(`${period}-01`), to: berlinMidnight(next) };
}

/** This month and those before it, the newest first. */
export function monthsBefore(nowMs: number, count: number): string[] {
  const [year = 0, month = 0] = berlinDay(nowMs).split('-').map(Number);
  return Array.from({ length: count }, (_, back) => {
    const index = year * 12 + month - 1 - back;
    return `${Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`;
  });
}
