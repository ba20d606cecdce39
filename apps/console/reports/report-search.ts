import type { MAX_REPORT_DAYS as contract } from '@offizin/contracts/reports/reports';
import { readAddress } from '../lists/address';
import { berlinDay, dayBefore, daysBetween, monthAfter, monthNow } from '../text/berlin-day';

/** What the address of the reports screen holds: a shop, and a number of days up to today, a month, or two days. */
export interface ReportSearch {
  shop?: string;
  days?: (typeof SPANS)[number];
  /** YYYY-MM */
  month?: string;
  from?: string;
  to?: string;
}

export const SPANS = ['7', '30', '90'] as const;
const USUAL: (typeof SPANS)[number] = '30';

/** The server's limit, both days counted. */
export const MAX_DAYS: typeof contract = 366;
/** A year that is being typed passes through the first centuries. */
export const FIRST_DAY = '2000-01-01';

const KNOWN = { shop: null, days: SPANS, month: null, from: null, to: null } as const;

export function readReportSearch(search: Readonly<Record<string, unknown>>): ReportSearch {
  return readAddress(search, KNOWN);
}

/** German calendar days, both included. */
export interface Period {
  from: string;
  to: string;
}

/**
 * The days of the address. Days that are none, or that end before they begin, count as the usual span. The running month
 * ends today.
 */
export function periodOf(search: ReportSearch, nowMs: number): Period {
  const { days, from, to } = search;
  if (from !== undefined && to !== undefined && isDay(from) && isDay(to) && from <= to) return { from, to };
  const today = berlinDay(nowMs);
  const month = monthOf(search, nowMs);
  if (month !== null) return { from: `${month}-01`, to: earlier(lastDayOf(month), today) };
  return { from: dayBefore(today, Number(days ?? USUAL) - 1), to: today };
}

/** The chosen span; null when the address names a month or days instead. */
export function spanOf({ days, month, from, to }: ReportSearch): (typeof SPANS)[number] | null {
  return month !== undefined || from !== undefined || to !== undefined ? null : (days ?? USUAL);
}

/** The chosen month. Null when none is chosen, and when it has not begun in Berlin. */
export function monthOf({ month, from, to }: ReportSearch, nowMs: number): string | null {
  if (month === undefined || from !== undefined || to !== undefined) return null;
  return isTyped(`${month}-01`) && month <= monthNow(nowMs) ? month : null;
}

function lastDayOf(month: string): string {
  return dayBefore(`${monthAfter(month, 1)}-01`, 1);
}

export function isTooLong(period: Period): boolean {
  return lengthOf(period) > MAX_DAYS;
}

function lengthOf({ from, to }: Period): number {
  return daysBetween(from, to) + 1;
}

/** As many days, directly before. Before a month, the month before; before a running one, the same days of it. */
export function periodBefore(period: Period, month: string | null = null): Period {
  const { from, to } = period;
  const length = lengthOf(period);
  if (month !== null) {
    const before = monthAfter(month, -1);
    const isWhole = to === lastDayOf(month);
    const first = `${before}-01`;
    const last = lastDayOf(before);
    return { from: first, to: isWhole ? last : earlier(last, dayBefore(first, 1 - length)) };
  }
  return { from: dayBefore(from, length), to: dayBefore(from, 1) };
}

/** The change in per cent of what was; null when there was nothing to compare with. */
export function changeInPercent(now: number, before: number): number | null {
  return before === 0 ? null : ((now - before) / before) * 100;
}

/** Of the decided requests; null when none is decided. */
export function rejectedShare(days: readonly { approved: number; rejected: number }[]): number | null {
  const rejected = days.reduce((sum, day) => sum + day.rejected, 0);
  const decided = days.reduce((sum, day) => sum + day.approved, rejected);
  return decided === 0 ? null : rejected / decided;
}

/** Of two days, YYYY-MM-DD. */
export function earlier(one: string, other: string): string {
  return one < other ? one : other;
}

export function later(one: string, other: string): string {
  return one > other ? one : other;
}

/** False while a year is being typed, as in 0002-11-24. */
export function isTyped(day: string): boolean {
  return isDay(day) && day >= FIRST_DAY;
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}
