/** The day until which a pack is good. */

/**
 * YYYY-MM-DD of a code's YYMMDD; day 00 is the last of its month. null where there is no such day. Source: GS1 General
 * Specifications, section 7.12: a year 51 or more ahead of `year` is of the century before, one 50 or more behind of the
 * next.
 */
export function dayOfCode(digits: string, year: number): string | null {
  const [, yy, mm, dd] = /^(\d\d)(\d\d)(\d\d)$/.exec(digits)?.map(Number) ?? [];
  if (yy === undefined || mm === undefined || dd === undefined || mm < 1 || mm > 12) return null;
  const ahead = yy - (year % 100);
  const full = year + ahead + (ahead >= 51 ? -100 : ahead <= -50 ? 100 : 0);
  const last = new Date(Date.UTC(full, mm, 0)).getUTCDate();
  if (dd > last) return null;
  return [String(full), pair(mm), pair(dd === 0 ? last : dd)].join('-');
}

function pair(number: number): string {
  return String(number).padStart(2, '0');
}

/** `en-CA` writes YYYY-MM-DD. */
const BERLIN = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' });

/** A pack is good until the end of its day in Berlin. */
export function isExpired(expiresOn: string, now: Date | number): boolean {
  return expiresOn < BERLIN.format(now);
}
