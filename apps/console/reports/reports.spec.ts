import { monthAfter } from '../text/berlin-day';
import {
  changeInPercent,
  isTooLong,
  isTyped,
  monthOf,
  periodBefore,
  periodOf,
  rejectedShare,
  spanOf,
} from './report-search';

describe('the period', () => {
  /** Already the 25th in Berlin. */
  const NOW = Date.parse('2026-11-24T23:30:00Z');

  it('takes the last 30 days of Berlin where the address says nothing, or nothing that can be', () => {
    const usual = { from: '2026-10-27', to: '2026-11-25' };
    expect(periodOf({}, NOW)).toEqual(usual);
    expect(periodOf({ from: '2026-11-20', to: '2026-11-01' }, NOW)).toEqual(usual);
    expect(periodOf({ from: 'yesterday', to: '2026-11-01' }, NOW)).toEqual(usual);
    expect(spanOf({})).toBe('30');
  });

  it('takes a span up to today, or the two days of the address', () => {
    expect(periodOf({ days: '7' }, NOW)).toEqual({ from: '2026-11-19', to: '2026-11-25' });
    const own = { from: '2026-02-01', to: '2026-02-28' };
    expect(periodOf(own, NOW)).toEqual(own);
    expect(spanOf(own)).toBeNull();
  });

  it('compares with as many days before', () => {
    expect(periodBefore({ from: '2026-03-01', to: '2026-03-31' })).toEqual({
      from: '2026-01-29',
      to: '2026-02-28',
    });
    expect(periodBefore({ from: '2026-11-25', to: '2026-11-25' })).toEqual({
      from: '2026-11-24',
      to: '2026-11-24',
    });
    expect(changeInPercent(9, 12)).toBe(-25);
    expect(changeInPercent(9, 0)).toBeNull();
  });

  it('takes a month that has begun in Berlin, the running one up to today', () => {
    const month = (name: string) => periodOf({ month: name }, NOW);
    expect(month('2024-02')).toEqual({ from: '2024-02-01', to: '2024-02-29' });
    expect(month('2026-11')).toEqual({ from: '2026-11-01', to: '2026-11-25' });
    const usual = periodOf({}, NOW);
    for (const name of ['2026-12', '2026-13', '0026-11', '2026', 'x']) expect(month(name)).toEqual(usual);
    expect(monthOf({ month: '2026-11', from: '2026-01-01' }, NOW)).toBeNull();
    // In Berlin the month has begun, in UTC it has not.
    expect(monthOf({ month: '2026-12' }, Date.parse('2026-11-30T23:30:00Z'))).toBe('2026-12');
    expect([monthAfter('2026-01', -1), monthAfter('2026-12', 1)]).toEqual(['2025-12', '2027-01']);
  });

  it('compares a month with the month before, and the running one with the same days of it', () => {
    const before = (month: string, now = NOW) => periodBefore(periodOf({ month }, now), month);
    expect(before('2026-03')).toEqual({ from: '2026-02-01', to: '2026-02-28' });
    expect(before('2026-01')).toEqual({ from: '2025-12-01', to: '2025-12-31' });
    expect(before('2026-11')).toEqual({ from: '2026-10-01', to: '2026-10-25' });
    expect(before('2026-03', Date.parse('2026-03-30T12:00:00Z'))).toEqual({
      from: '2026-02-01',
      to: '2026-02-28',
    });
  });

  it('takes no day while its year is being typed', () => {
    const typed = ['', '0002-11-24', '0020-11-24', '0202-11-24', '1999-12-31', '20265-11-24'];
    expect(typed.filter(isTyped)).toEqual([]);
    expect(isTyped('2000-01-01')).toBe(true);
  });

  it('knows a period that the server refuses as too long', () => {
    expect(isTooLong({ from: '2024-01-01', to: '2024-12-31' })).toBe(false);
    expect(isTooLong({ from: '2024-01-01', to: '2025-01-01' })).toBe(true);
  });

  it('takes the rejected share of the decided requests, and none when nothing is decided', () => {
    const days = [
      { approved: 5, rejected: 1 },
      { approved: 1, rejected: 1 },
    ];
    expect(rejectedShare(days)).toBe(0.25);
    expect(rejectedShare([{ approved: 0, rejected: 0 }])).toBeNull();
  });
});
