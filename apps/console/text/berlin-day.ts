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
