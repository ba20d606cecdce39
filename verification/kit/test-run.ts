/**
 * How many times slower this machine is than the one that the deadlines of tests were written on, at least 1. `npm test`
 * measures it. Deadlines of tests multiply by it; bars of time never do, because they are promises of the product.
 */
export const SLOWNESS = Math.max(1, Number(process.env['OFFIZIN_SLOWNESS'] ?? 1));

/** `npm run test:all`: every look of every page, and races at full size. */
export const IS_TEST_ALL = process.env['OFFIZIN_TEST_ALL'] === 'true';

/** Calls that race each other in one test. */
export const BURST = IS_TEST_ALL ? 100 : 20;

/** Limit for work whose time must grow with its input alone: far above that on a busy machine, far below quadratic time. */
export const COMPLEXITY_GUARD_MS = 15_000;
