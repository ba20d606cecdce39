import { de } from './de';
import { en } from './en';
import { formatsFor } from './formats';

const german = formatsFor('de', 'Europe/Berlin');
const english = formatsFor('en', 'Europe/Berlin');
/** Intl puts spaces of several kinds between number and unit. */
const plain = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ');

it('prints money, numbers and dates by language', () => {
  expect(plain(german.money(1234.5))).toBe('1.234,50 €');
  expect(english.money(1234.5)).toBe('€1,234.50');
  expect(german.date('2026-10-19')).toBe('19.10.2026');
  expect(english.date('2026-10-19')).toBe('19/10/2026');
  expect(german.exact('2026-10-19T08:05:07.123Z')).toBe('2026-10-19 08:05:07 UTC');
});

it('shows times in the zone of the person, over midnight and the change of clocks', () => {
  expect(german.dateTime('2026-10-24T22:30:00Z')).toBe('25.10.2026, 00:30');
  expect(german.dateTime('2026-10-25T22:30:00Z')).toBe('25.10.2026, 23:30');
  expect(formatsFor('en', 'America/New_York').date('2026-10-19')).toBe('19/10/2026');
});

it('says how old something is, and never that it comes from the future', () => {
  const now = Date.parse('2026-10-19T12:00:00Z');
  const age = (time: string) => plain(german.age(time, now));
  expect(age('2026-10-19T11:51:30Z')).toBe('vor 8 Min.');
  expect(age('2026-10-19T09:00:00Z')).toBe('vor 3 Std.');
  expect(age('2026-10-18T11:00:00Z')).toBe('gestern');
  expect(age('2026-10-19T12:00:30Z')).toBe('in dieser Minute');
  expect(english.age('2026-10-19T11:52:00Z', now)).toBe('8 min ago');
});

it('has no empty text', () => {
  const textsIn = (value: unknown): string[] =>
    typeof value === 'string'
      ? [value]
      : typeof value === 'object' && value !== null
        ? Object.values(value).flatMap(textsIn)
        : [];
  for (const text of [...textsIn(de), ...textsIn(en)]) expect(text.trim()).not.toBe('');
});

it('writes a calendar date as it is, in every time zone', () => {
  const zones = ['Pacific/Auckland', 'Europe/Berlin', 'Pacific/Honolulu'];
  expect(zones.map((zone) => formatsFor('de', zone).date('2026-11-24'))).toEqual(
    zones.map(() => '24.11.2026'),
  );
});
