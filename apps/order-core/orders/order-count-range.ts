const DAY_MS = 86_400_000;

/** The whole days of UTC between two times, YYYY-MM-DD, `to` not included. */
export interface WholeDays {
  from: string | undefined;
  to: string | undefined;
}

/** A range as what counters know, whole days, and the pieces before and behind, whose orders must be counted. */
export interface CountRange {
  days: WholeDays;
  before: { from: string; to: string } | null;
  behind: { from: string; to: string } | null;
}

/** Null when there is no whole day between: then all of it must be counted. Times are ISO 8601 as they were sent. */
export function countRange(from: string | undefined, to: string | undefined): CountRange | null {
  const first = from === undefined ? undefined : isMidnight(from) ? dayOf(from) : dayOf(from, 1);
  const end = to === undefined ? undefined : dayOf(to);
  if (first !== undefined && end !== undefined && first >= end) return null;
  return {
    days: { from: first, to: end },
    before:
      from === undefined || first === undefined || isMidnight(from) ? null : { from, to: midnight(first) },
    behind: to === undefined || end === undefined || isMidnight(to) ? null : { from: midnight(end), to },
  };
}

/** Also of times with more digits than a Date keeps. */
function isMidnight(time: string): boolean {
  return Date.parse(time) % DAY_MS === 0 && !/\.\d*[1-9]/.test(time);
}

function dayOf(time: string, daysLater = 0): string {
  const day = Math.floor(Date.parse(time) / DAY_MS) + daysLater;
  const [date = ''] = new Date(day * DAY_MS).toISOString().split('T');
  // Beyond the year 9999 ISO 8601 wants six digits, PostgreSQL does not.
  return date.replace(/^\+0/, '');
}

function midnight(day: string): string {
  return `${day}T00:00:00Z`;
}
