import { stepsOf } from './course-steps';

const NOW = Date.parse('2026-11-24T12:00:00Z');
const FROM = Date.parse('2026-08-26T12:00:00Z');
const point = (at: string, stock_quantity: number) => ({ at, stock_quantity });

it('begins 90 days ago with the stock of then, and ends now', () => {
  const course = [point('2026-01-01T00:00:00Z', 40), point('2026-11-20T12:00:00Z', 25)];
  expect(stepsOf({ course, stock_quantity: 25 }, NOW)).toEqual([
    { atMs: FROM, value: 40 },
    { atMs: Date.parse('2026-11-20T12:00:00Z'), value: 25 },
    { atMs: NOW, value: 25 },
  ]);
});

it('is at nothing until the first entry of a product', () => {
  const course = [point('2026-11-20T12:00:00Z', 25)];
  expect(stepsOf({ course, stock_quantity: 25 }, NOW).map(({ value }) => value)).toEqual([0, 25, 25]);
  expect(stepsOf({ course: [], stock_quantity: 0 }, NOW).map(({ value }) => value)).toEqual([0, 0]);
});
