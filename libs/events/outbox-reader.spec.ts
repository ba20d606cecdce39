import { OutboxPositions } from './outbox-reader';

it('remembers skipped positions until they are seen', () => {
  const gaps = new OutboxPositions(10);
  expect(gaps.see([12, 15])).toBe(true);
  expect({ newest: gaps.newest, open: gaps.positions() }).toEqual({ newest: 15, open: [11, 13, 14] });
  gaps.see([13, 16]);
  expect({ newest: gaps.newest, open: gaps.positions() }).toEqual({ newest: 16, open: [11, 14] });
});

it('closes the gaps of ended writers only after one more read', () => {
  const gaps = new OutboxPositions(0);
  gaps.see([3]);
  gaps.watch(['7/1']);
  expect(gaps.watchedWriters).toEqual(['7/1']);
  gaps.see([5]);
  expect(gaps.positions()).toEqual([1, 2, 4]);
  gaps.closeAfterNextRead();
  expect(gaps.positions()).toEqual([1, 2, 4]);
  // 4 is newer than the watch.
  gaps.see([1]);
  expect({ open: gaps.positions(), isWatched: gaps.isWatched }).toEqual({ open: [4], isWatched: false });
});

it('reports when there are too many gaps to follow', () => {
  expect(new OutboxPositions(0).see([1_000_000])).toBe(false);
  const many = new OutboxPositions(0);
  expect([1_500, 3_000, 4_500].map((position) => many.see([position]))).toEqual([true, false, false]);
});
