/** Days of the pharmacy's calendar, whatever the time zone of the browser or of the person. */

const DAY_MS = 86_400_000;

/** `en-CA` writes YYYY-MM-DD. */
const BERLIN = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' });

/** The day in Berlin, YYYY-MM-DD. */
export function berlinDay(atMs: number): string {
  return BERLIN.format(atMs);
}

/** When a day of Berlin begins, as UTC. Its clock is one or two hours ahead. */
export function berlinMidnight(day: string): string {
  const summer = Date.parse(`${day}T00:00:00+02:00`);
  const atMs = berlinDay(summer) === day ? summer : Date.parse(`${day}T00:00:00+01:00`);
  return new Date(atMs).toISOString();
}

/** Whole days from one day to the other, both YYYY-MM-DD; negative when `to` is the earlier one. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS;
}

/** The day that is `days` before another one, both YYYY-MM-DD. */
export function dayBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10);
}

/** Periods of lists: `7` or `30` days, today included, or a month such as `2026-11`. Whole days of Berlin. */

export const DAYS = ['7', '30'] as const;
const MONTH = /^20\d\d-(0[1-9]|1[0-2])$/;

export function isPeriod(period: string): boolean {
  return MONTH.test(period) || DAYS.some((days) => days === period);
}

/** It stays the same for a day. */
export function timesOf(period: string | undefined, nowMs: number): { from?: string; to?: string } {
  if (period === undefined) return {};
  if (MONTH.test(period)) {
    return { from: berlinMidnight(`${period}-01`), to: berlinMidnight(`${monthAfter(period, 1)}-01`) };
  }
  return { from: berlinMidnight(dayBefore(berlinDay(nowMs), Number(period) - 1)) };
}

/** This month and those before it, the newest first. */
export function monthsBefore(nowMs: number, count: number): string[] {
  return Array.from({ length: count }, (_, back) => monthAfter(monthNow(nowMs), -back));
}

/** The running month in Berlin, YYYY-MM. */
export function monthNow(nowMs: number): string {
  return berlinDay(nowMs).slice(0, 7);
}

/** The month that is `months` later, both YYYY-MM; earlier when they are negative. */
export function monthAfter(month: string, months: number): string {
  const at = new Date(`${month}-01`);
  at.setUTCMonth(at.getUTCMonth() + months);
  return at.toISOString().slice(0, 7);
}
