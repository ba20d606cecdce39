import { berlinDay, berlinMidnight, dayBefore } from './berlin-day';

/** Periods of lists: `7` or `30` days, today included, or a month such as `2026-11`. Whole days of Berlin. */

export const DAYS = ['7', '30'] as const;
const MONTH = /^(20\d\d)-(0[1-9]|1[0-2])$/;

export function isPeriod(period: string): boolean {
  return MONTH.test(period) || DAYS.some((days) => days === period);
}

/** It stays the same for a day. */
export function timesOf(period: string | undefined, nowMs: number): { from?: string; to?: string } {
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
