import { nextBatchSize } from './batch-size';

const largest = 10_000;

it('shrinks at each failure until a batch fits, and never to nothing', () => {
  let size = largest;
  for (let n = 0; n < 20; n++) size = nextBatchSize(size, { largest, failed: true });
  expect(size).toBe(1);
});

it('grows again after successes, up to the largest', () => {
  const sizes = [2_500];
  for (let n = 0; n < 3; n++) sizes.push(nextBatchSize(sizes[n] ?? 0, { largest, failed: false }));
  expect(sizes).toEqual([2_500, 5_000, 10_000, 10_000]);
});
