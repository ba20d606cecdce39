import { berlinMidnight } from './berlin-day';

it.each([
  ['2026-01-15', '2026-01-14T23:00:00.000Z'],
  ['2026-07-15', '2026-07-14T22:00:00.000Z'],
  // On these days the clock changes, after midnight.
  ['2026-03-29', '2026-03-28T23:00:00.000Z'],
  ['2026-10-25', '2026-10-24T22:00:00.000Z'],
  ['2026-10-26', '2026-10-25T23:00:00.000Z'],
])('knows when %s begins in Berlin', (day, begin) => {
  expect(berlinMidnight(day)).toBe(begin);
});
