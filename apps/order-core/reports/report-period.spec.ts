import { Refused } from '@offizin/contracts/calls/errors';
import { germanDay, reportPeriod, wholeMonths } from './report-period';

const NOW = new Date('2026-03-15T12:00:00Z');

describe('the days of a report', () => {
  it('default to the last thirty in Germany', () => {
    expect(reportPeriod({}, NOW)).toEqual({ from: '2026-02-14', to: '2026-03-15' });
  });

  it('default to thirty days up to a given end, and to today from a given start', () => {
    expect(reportPeriod({ to: '2026-01-15' }, NOW)).toEqual({ from: '2025-12-17', to: '2026-01-15' });
    expect(reportPeriod({ from: '2026-03-01' }, NOW)).toEqual({ from: '2026-03-01', to: '2026-03-15' });
  });

  it('may span one day or a whole leap year', () => {
    const day = { from: '2026-03-29', to: '2026-03-29' };
    expect(reportPeriod(day, NOW)).toEqual(day);
    const leapYear = { from: '2028-01-01', to: '2028-12-31' };
    expect(reportPeriod(leapYear, NOW)).toEqual(leapYear);
  });

  it('are counted by the calendar, also across clock changes', () => {
    expect(reportPeriod({ to: '2026-03-30' }, NOW).from).toBe('2026-03-01');
    expect(reportPeriod({ to: '2026-10-26' }, NOW).from).toBe('2026-09-27');
  });

  it.each([
    ['ends before it begins', { from: '2026-03-02', to: '2026-03-01' }],
    ['begins after today and has no end', { from: '2026-03-16' }],
    ['has 367 days', { from: '2026-01-01', to: '2027-01-02' }],
    ['began long ago and has no end', { from: '2001-01-01' }],
  ])('are refused when the span %s', (_, query) => {
    expect(() => reportPeriod(query, NOW)).toThrow(Refused);
    expect(() => reportPeriod(query, NOW)).toThrow(/^from: must /);
  });
});

describe('today in Germany', () => {
  it.each([
    ['2026-01-14T22:59:59Z', '2026-01-14', 'a winter evening'],
    ['2026-01-14T23:00:00Z', '2026-01-15', 'midnight in winter'],
    ['2026-07-14T21:59:59Z', '2026-07-14', 'a summer evening'],
    ['2026-07-14T22:00:00Z', '2026-07-15', 'midnight in summer'],
    ['2026-03-28T23:00:00Z', '2026-03-29', 'the first midnight of the short day'],
    ['2026-03-29T21:59:59Z', '2026-03-29', 'its last second'],
    ['2026-03-29T22:00:00Z', '2026-03-30', 'the midnight after'],
    ['2026-10-24T22:00:00Z', '2026-10-25', 'the first midnight of the long day'],
    ['2026-10-25T22:59:59Z', '2026-10-25', 'its last second'],
    ['2026-10-25T23:00:00Z', '2026-10-26', 'the midnight after'],
    ['2026-12-31T23:30:00Z', '2027-01-01', 'New Year, while UTC has the old one'],
  ])('at %s is %s: %s', (instant, day) => {
    expect(germanDay(new Date(instant))).toBe(day);
  });
});

describe('whole months', () => {
  it.each([
    ['2026-03-15', '2026-03-15', '2026-03-01', '2026-03-31'],
    ['2026-02-14', '2026-03-01', '2026-02-01', '2026-03-31'],
    ['2028-02-29', '2028-02-29', '2028-02-01', '2028-02-29'],
    ['2026-01-31', '2026-02-01', '2026-01-01', '2026-02-28'],
    ['2026-12-01', '2026-12-31', '2026-12-01', '2026-12-31'],
  ])('of %s to %s are %s to %s', (from, to, first, last) => {
    expect(wholeMonths({ from, to })).toEqual({ from: first, to: last });
  });
});
