import { readAddress } from '../shell/address';
import { berlinDay, daysBetween, dayBefore } from '../text/berlin-day';

/** What the address of the reports screen holds: a shop, and a number of days up to today or two days. */
export interface ReportSearch {
  shop?: string;
  days?: (typeof SPANS)[number];
  from?: string;
  to?: string;
}

export const SPANS = ['7', '30', '90'] as const;
const USUAL: (typeof SPANS)[number] = '30';

const KNOWN = { shop: null, days: SPANS, from: null, to: null } as const;

export function readReportSearch(search: Readonly<Record<string, unknown>>): ReportSearch {
  return readAddress(search, KNOWN);
}

/** German calendar days, both included. */
export interface Period {
  from: string;
  to: string;
}

/** The days of the address. Days that are none, or that end before they begin, count as the usual span. */
export function periodOf({ days, from, to }: ReportSearch, nowMs: number): Period {
  if (from !== undefined && to !== undefined && isDay(from) && isDay(to) && from <= to) return { from, to };
  const today = berlinDay(nowMs);
  return { from: dayBefore(today, Number(days ?? USUAL) - 1), to: today };
}

/** The chosen span; null when the address has two days of its own. */
export function spanOf({ days, from, to }: ReportSearch): (typeof SPANS)[number] | null {
  return from !== undefined || to !== undefined ? null : (days ?? USUAL);
}

/** As many days, directly before. */
export function periodBefore({ from, to }: Period): Period {
  const length = daysBetween(from, to) + 1;
  return { from: dayBefore(from, length), to: dayBefore(from, 1) };
}

/** The change in per cent of what was; null when there was nothing to compare with. */
export function changeInPercent(now: number, before: number): number | null {
  return before === 0 ? null : ((now - before) / before) * 100;
}

/** Of two days, YYYY-MM-DD. */
export function earlier(one: string, other: string): string {
  return one < other ? one : other;
}

export function later(one: string, other: string): string {
  return one > other ? one : other;
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}
