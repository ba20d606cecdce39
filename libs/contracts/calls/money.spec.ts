import { fromCents, isMoney, MAX_MONEY, toCents } from './money';

describe('isMoney', () => {
  it.each([0, 0.01, 0.1, 9.5, 19.99, 1_000_000.01, 12_345_678.9, 99_999_999.98, MAX_MONEY])(
    'accepts %d',
    (amount) => {
      expect(isMoney(amount)).toBe(true);
    },
  );

  it.each([0.1 + 0.2, 1.1 * 3, 0.07 * 100, 4.35 * 3, 99_999_999.98 - 0.01, 33_333_333.33 * 3])(
    'accepts %d, whose further digits are binary noise',
    (amount) => {
      expect(isMoney(amount)).toBe(true);
    },
  );

  it.each([
    0.001, 0.015, 9.999, 1_000_000.001, 1_000_000.005, 50_000_000.005, 99_999_999.985, 99_999_999.9801,
  ])('refuses %d, which has more than two decimals', (amount) => {
    expect(isMoney(amount)).toBe(false);
  });

  it.each([-0.01, -1, MAX_MONEY + 0.01, 1e8, 1e308, NaN, Infinity, -Infinity])('refuses %d', (amount) => {
    expect(isMoney(amount)).toBe(false);
  });

  it.each(['1', '1.00', '', null, undefined, true, [], {}, 1n])(
    'refuses %p, which is not a number',
    (value) => {
      expect(isMoney(value)).toBe(false);
    },
  );

  it('accepts every amount of whole cents, and none that lies half a cent beside one', () => {
    for (let cents = 1; cents <= 9_999_999_999; cents = Math.ceil(cents * 1.003)) {
      expect(isMoney(cents / 100)).toBe(true);
      expect(isMoney((cents + 0.5) / 100)).toBe(false);
    }
  });
});

it('converts amounts to cents and back without loss', () => {
  expect(toCents(0.1 + 0.2)).toBe(30);
  for (let cents = 0; cents <= 9_999_999_999; cents = Math.ceil((cents + 1) * 1.003)) {
    expect(toCents(fromCents(cents))).toBe(cents);
  }
});
