import { SLOWNESS } from '@offizin/testkit/test-run';
import { type RateLimit, RateLimiter } from './rate-limiter';
import { networkOf } from './trusted-proxies';

class Bench {
  nowMs = 0;
  replicas = 1;
  readonly limiter: RateLimiter;

  constructor(rate: RateLimit) {
    this.limiter = new RateLimiter(
      rate,
      () => this.replicas,
      () => this.nowMs,
    );
  }

  allowed(count: number, key = 'a'): number {
    return Array.from({ length: count }, () => this.limiter.take(key)).filter(({ allowed }) => allowed)
      .length;
  }
}

it('allows exactly a burst', () => {
  const bench = new Bench({ perSecond: 10, burst: 20 });
  expect(bench.allowed(50)).toBe(20);
});

it('refills evenly, up to the burst', () => {
  const bench = new Bench({ perSecond: 10, burst: 20 });
  bench.allowed(20);
  bench.nowMs = 99;
  expect(bench.allowed(5)).toBe(0);
  bench.nowMs = 500;
  expect(bench.allowed(10)).toBe(5);
  bench.nowMs = 3_600_000;
  expect(bench.allowed(50)).toBe(20);
});

it('grants the rate over a long time, whatever the request pattern', () => {
  const bench = new Bench({ perSecond: 10, burst: 20 });
  let allowed = 0;
  for (bench.nowMs = 0; bench.nowMs < 60_000; bench.nowMs += 7) allowed += bench.allowed(1);
  expect(allowed).toBeGreaterThanOrEqual(615);
  expect(allowed).toBeLessThanOrEqual(620);
});

it('counts each caller separately', () => {
  const bench = new Bench({ perSecond: 1, burst: 2 });
  bench.allowed(5, 'a');
  expect(bench.allowed(5, 'b')).toBe(2);
});

it('reports the remaining requests, the reset time and the retry time', () => {
  const bench = new Bench({ perSecond: 10 / 60, burst: 2 });
  const quiet = { limit: 2, resetSeconds: 6, retryAfterSeconds: 0 };
  expect(bench.limiter.take('a')).toEqual({ ...quiet, allowed: true, remaining: 1 });
  bench.limiter.take('a');
  const refused = bench.limiter.take('a');
  expect(refused).toMatchObject({ allowed: false, remaining: 0, resetSeconds: 12, retryAfterSeconds: 6 });
  bench.nowMs = refused.retryAfterSeconds * 1000;
  expect(bench.limiter.take('a').allowed).toBe(true);
});

it('grants each of four replicas a quarter', () => {
  const bench = new Bench({ perSecond: 100, burst: 200 });
  bench.replicas = 4;
  expect(bench.allowed(200)).toBe(50);
  bench.nowMs = 1_000;
  expect(bench.allowed(200)).toBe(25);
});

it('follows the number of replicas: fewer immediately when it rises, more over time when it falls', () => {
  const bench = new Bench({ perSecond: 100, burst: 200 });
  bench.allowed(1);
  bench.replicas = 2;
  expect(bench.allowed(200)).toBe(100);
  bench.replicas = 1;
  expect(bench.allowed(200)).toBe(0);
  bench.nowMs = 1_000;
  expect(bench.allowed(200)).toBe(100);
});

it('allows at least one request at a time, however many replicas there are', () => {
  const bench = new Bench({ perSecond: 1, burst: 10 });
  bench.replicas = 50;
  expect(bench.allowed(5)).toBe(1);
});

it('deletes the callers unseen for longest when there are too many', () => {
  const bench = new Bench({ perSecond: 0.001, burst: 1 });
  bench.allowed(1, 'first');
  for (let caller = 0; caller < 99_999; caller++) bench.limiter.take(`caller-${caller}`);
  expect(bench.allowed(1, 'first')).toBe(0);
  const startedAt = performance.now();
  for (let caller = 0; caller < 200_000; caller++) bench.limiter.take(`other-${caller}`);
  // A walk over all deleted entries for each new caller would take longer.
  expect(performance.now() - startedAt).toBeLessThan(15_000 * SLOWNESS);
  expect(bench.allowed(1, 'first')).toBe(1);
});

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2:ffff::1', '2001:db8:1:2'],
  ['unknown', 'unknown'],
])('the address %s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
