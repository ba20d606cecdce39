import { writtenDuration } from './duration';

it('writes minutes up to two hours, hours up to two days, then days', () => {
  const written = [0, 59, 2_700, 7_199, 7_200, 12_600, 180_000].map((seconds) =>
    writtenDuration(seconds, 'de'),
  );
  expect(written.map((text) => text.replaceAll(/\s/g, ' '))).toEqual([
    ...['1 Min.', '1 Min.', '45 Min.', '120 Min.', '2 Std.', '3,5 Std.', '2,1 Tg.'],
  ]);
  expect(writtenDuration(12_600, 'en')).toBe('3.5 hrs');
});
