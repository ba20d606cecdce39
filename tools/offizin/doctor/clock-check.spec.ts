import { clockFinding } from './clock-check';
import { diskFinding } from './disk-check';

const GIB = 1024 ** 3;

it.each([
  ['no difference', 0, 10, 'ok'],
  ['a difference within the uncertainty', 2_500, 600, 'ok'],
  ['a clock that is behind by seconds', -5_000, 10, 'warning'],
  ['a clock outside the leeway of tokens', 45_000, 10, 'problem'],
  ['a clock that is behind by a day', -86_400_000, 10, 'problem'],
])('judges %s', (_name, offsetMs, uncertainMs, outcome) => {
  expect(clockFinding('clock', offsetMs, uncertainMs).outcome).toBe(outcome);
});

it.each([
  ['plenty', 100 * GIB, 0.5, 'ok'],
  ['little of a large disk', 20 * GIB, 0.04, 'warning'],
  ['next to nothing', 0.5 * GIB, 0.5, 'problem'],
])('judges a disk with %s free', (_name, freeBytes, share, outcome) => {
  expect(diskFinding('/data', { freeBytes, share }).outcome).toBe(outcome);
});
