/** Numbers, money and times as the person reads them. Amounts of the interface are euros, times are UTC. */

export type Language = 'de' | 'en';

/** `en` alone would print 10/19/2026. */
export const LOCALES: Readonly<Record<Language, string>> = { de: 'de-DE', en: 'en-GB' };

export interface Formats {
  money: (euros: number) => string;
  number: (value: number) => string;
  /** 12.11.2026 */
  date: (time: string) => string;
  /** Of a calendar date, on an axis: 12. Nov. */
  day: (date: string) => string;
  /** 12.11.2026, 14:05 */
  dateTime: (time: string) => string;
  /** 14:05 */
  time: (time: string) => string;
  /** Of 2026-11: November 2026 */
  month: (month: string) => string;
  /** The exact moment in UTC, for tooltips. */
  exact: (time: string) => string;
  /** vor 8 Min. */
  age: (time: string, now?: number) => string;
}

const AGE_UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

export function formatsFor(language: Language, timeZone: string): Formats {
  const locale = LOCALES[language];
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR' });
  const number = new Intl.NumberFormat(locale);
  const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const date = new Intl.DateTimeFormat(locale, { ...day, timeZone });
  const calendarDate = new Intl.DateTimeFormat(locale, { ...day, timeZone: 'UTC' });
  const dateTime = new Intl.DateTimeFormat(locale, { ...day, hour: '2-digit', minute: '2-digit', timeZone });
  const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const month = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long', timeZone: 'UTC' });
  const time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone });
  // German `narrow` gives "vor 8 m".
  const age = new Intl.RelativeTimeFormat(locale, { style: 'short', numeric: 'auto' });
  return {
    money: (euros) => money.format(euros),
    number: (value) => number.format(value),
    // A calendar date has no time zone: the person's one must not move it.
    date: (time) => (/^\d{4}-\d\d-\d\d$/.test(time) ? calendarDate : date).format(new Date(time)),
    day: (name) => shortDay.format(new Date(name)),
    dateTime: (time) => dateTime.format(new Date(time)),
    month: (name) => month.format(new Date(`${name}-01`)),
    time: (at) => time.format(new Date(at)),
    exact: (time) => `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`,
    age: (time, now = Date.now()) => {
      const past = Math.max(0, now - new Date(time).getTime());
      if (past < 60_000) return language === 'de' ? 'gerade eben' : 'just now';
      const [unit, size] = AGE_UNITS.find(([, length]) => past >= length) ?? ['minute', 60_000];
      return age.format(-Math.floor(past / size), unit);
    },
  };
}
