/**
 * Money is EUR with two decimals: a JSON number in the API, cents or `numeric(12,2)` internally, never a float sum.
 */

export const MAX_MONEY = 99_999_999.99;
/**
 * Tolerated binary noise of a JSON number, in cents. See docs/contract.md#conventions. A double near the largest
 * amount is itself only exact to 1.5e-6 cents, so above ten million EUR the tolerance grows with the amount.
 */
const NOISE_CENTS = 1e-6;
const NOISE_PER_CENT = 1e-15;

/** True for a finite number of 0 to 99,999,999.99 with at most two decimals. */
export function isMoney(value: unknown): value is number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || value > MAX_MONEY) return false;
  const cents = value * 100;
  return Math.abs(cents - Math.round(cents)) <= Math.max(NOISE_CENTS, cents * NOISE_PER_CENT);
}

/** The amount without binary noise: 0.30000000000000004 is 0.3. */
export function exactMoney(amount: number): number {
  return fromCents(toCents(amount));
}

export function toCents(amount: number): number {
  return Math.round(amount * 100);
}

export function fromCents(cents: number): number {
  return cents / 100;
}
