import { percentile, quantile, Tally } from './tally';

it('takes quantiles by the nearest rank', () => {
  const sorted = Array.from({ length: 100 }, (_, index) => index + 1);
  expect([0, 0.5, 0.99, 1].map((share) => quantile(sorted, share))).toEqual([1, 50, 99, 100]);
  expect(quantile([], 0.5)).toBeNaN();
  expect(percentile([5, 1, 4, 2, 3], 0.5)).toBe(3);
  expect(percentile([100, 9, 20], 1)).toBe(100);
});

it('goes on until it is ended, where the job has no end', () => {
  const ending = new AbortController();
  const tally = new Tally({}, ending.signal);
  expect(tally.isOver).toBe(false);
  ending.abort();
  expect(tally.isOver).toBe(true);
});

it('counts only successes as such, and every answer by its status', () => {
  const tally = new Tally({ count: 3 });
  for (const status of [200, 503, 'error']) {
    expect(tally.isOver).toBe(false);
    tally.countSent();
    tally.add(status, performance.now());
  }
  expect(tally.isOver).toBe(true);
  expect(tally.result()).toMatchObject({
    successes: 1,
    sent: 3,
    statuses: { '200': 1, '503': 1, error: 1 },
  });
});
