import { dayOfCode, isExpired } from './expiry';

describe('dayOfCode', () => {
  it.each([
    ['261130', 2026, '2026-11-30'],
    ['261100', 2026, '2026-11-30'],
    ['270200', 2026, '2027-02-28'],
    ['280200', 2026, '2028-02-29'],
    ['280229', 2026, '2028-02-29'],
    ['270229', 2026, null],
    ['270231', 2026, null],
    ['271301', 2026, null],
    ['270000', 2026, null],
    ['27063', 2026, null],
    ['2706300', 2026, null],
    ['2706x0', 2026, null],
    // 50 years ahead is this century, 51 the one before; 50 behind is the next one, 49 this.
    ['760101', 2026, '2076-01-01'],
    ['770101', 2026, '1977-01-01'],
    ['100101', 2060, '2110-01-01'],
    ['110101', 2060, '2011-01-01'],
  ])('makes a day of %s in %i', (digits, year, day) => {
    expect(dayOfCode(digits, year)).toBe(day);
  });
});

describe('isExpired', () => {
  it.each([
    // Summer time: the day in Berlin ends at 22:00 UTC.
    ['2027-06-30', '2027-06-30T21:59:59.999Z', false],
    ['2027-06-30', '2027-06-30T22:00:00.000Z', true],
    ['2026-11-30', '2026-11-30T22:59:59.999Z', false],
    ['2026-11-30', '2026-11-30T23:00:00.000Z', true],
    ['2026-12-01', '2026-11-30T23:00:00.000Z', false],
  ])('takes a pack that is good until %s for expired at %s: %s', (expiresOn, now, expired) => {
    expect(isExpired(expiresOn, new Date(now))).toBe(expired);
  });
});
