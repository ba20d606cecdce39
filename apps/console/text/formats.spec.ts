import { berlinMidnight } from './berlin-day';
import { readableName, readableOf } from './customer-name';
import { de } from './de';
import { en } from './en';
import { formatsFor } from './formats';
import { readMoney } from './typed-money';

describe('formats', () => {
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

  it('states how old something is, and never that it comes from the future', () => {
    const now = Date.parse('2026-10-19T12:00:00Z');
    const age = (time: string) => plain(german.age(time, now));
    expect(age('2026-10-19T11:51:30Z')).toBe('vor 8 Min.');
    expect(age('2026-10-19T09:00:00Z')).toBe('vor 3 Std.');
    expect(age('2026-10-18T11:00:00Z')).toBe('gestern');
    expect(age('2026-10-19T12:00:30Z')).toBe('gerade eben');
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
});

describe('typed amounts', () => {
  it.each([
    ['12,5', 12.5],
    ['12.50', 12.5],
    [' 1.234,50 € ', 1234.5],
    ['1,234.50', 1234.5],
    ['1.234.567', 1234567],
    ['0', 0],
    // A thousand in German, a euro in English.
    ['1.234', null],
    ['1,234', null],
    ['1.234.50', null],
    ['12,345', null],
    ['-1', null],
    ['', null],
    ['1e3', null],
    ['100000000', null],
  ])('reads the amount %p as %p', (text, euros) => {
    expect(readMoney(text)).toBe(euros);
  });
});

describe('days in Berlin', () => {
  it.each([
    ['2026-01-15', '2026-01-14T23:00:00.000Z'],
    ['2026-07-15', '2026-07-14T22:00:00.000Z'],
    // On these days the clock changes, after midnight.
    ['2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['2026-10-25', '2026-10-24T22:00:00.000Z'],
    ['2026-10-26', '2026-10-25T23:00:00.000Z'],
  ])('knows when %s begins in Berlin', (day, begin) => {
    expect(berlinMidnight(day)).toBe(begin);
  });
});

describe('names of customers', () => {
  it.each(['Anna', '李', 'Ł', '💊', '7'])('takes %j as it is', (name) => {
    expect(readableName(name)).toBe(name);
  });

  it.each([null, '', '   ', '\u200b\u200d', '\u00ad', '\u3164', '\u202e\u2066', '\u0301'])(
    'takes %j for no name, because nothing of it can be seen',
    (name) => {
      expect(readableName(name)).toBeNull();
    },
  );

  it('isolates a name from right to left, so that the sentence around it keeps its order', () => {
    expect(readableName('محمد علي')).toBe('\u2068محمد علي\u2069');
    expect(readableName('Anna (דנה)')).toBe('\u2068Anna (דנה)\u2069');
  });

  it.each([
    ['Anna\u202e gnubierF\u2069', 'Anna gnubierF'],
    ['Rami\u200bpril \u202e5 mg\u202c', 'Ramipril 5 mg'],
    ['Ramipril 5\u2060 mg', 'Ramipril 5 mg'],
    ['a \u{1f469}\u200d\u2695\ufe0f', 'a \u{1f469}\u200d\u2695\ufe0f'],
  ])('leaves out what turns or parts %j and cannot be seen', (name, readable) => {
    expect(readableName(name)).toBe(readable);
  });

  it('takes the first name that can be read', () => {
    expect(readableOf(null, '\u200b', 'Salbe\u202e', 'P-1')).toBe('Salbe');
    expect(readableOf(undefined, '')).toBe('');
  });
});
