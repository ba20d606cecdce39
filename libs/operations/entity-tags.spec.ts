import { SLOWNESS } from '@offizin/testkit/test-run';
import { matchesStrongly, matchesWeakly, readEntityTags } from './entity-tags';

it.each([
  ['"3"', ['"3"']],
  ['W/"3"', ['W/"3"']],
  ['"1", "2"', ['"1"', '"2"']],
  [' "1"\t,W/"2"  ', ['"1"', 'W/"2"']],
  ['"1",,"2",', ['"1"', '"2"']],
  [', "1"', ['"1"']],
  ['"a,b", "c"', ['"a,b"', '"c"']],
  ['""', ['""']],
  ['"\u00fc"', ['"\u00fc"']],
  ['*', '*'],
  [' * ', '*'],
])('%j names %j', (value, tags) => {
  expect(readEntityTags(value)).toEqual(tags);
});

it.each([
  '',
  ' ',
  ',',
  ' , ,',
  '3',
  '"3',
  '3"',
  '"1" "2"',
  'w/"1"',
  'W/ "1"',
  '"a b"',
  '*, "1"',
  '"1", *',
  '**',
  '"\t"',
  '"\u0100"',
  "'3'",
])('%j is malformed', (value) => {
  expect(readEntityTags(value)).toBeNull();
});

it('reads the longest header in linear time', () => {
  const startedAtMs = performance.now();
  for (const text of [' '.repeat(16_000), ' ,'.repeat(8_000), `"${'a'.repeat(16_000)}`])
    expect(readEntityTags(`${text}x`)).toBeNull();
  expect(performance.now() - startedAtMs).toBeLessThan(1_000 * SLOWNESS);
});

it.each([
  ['"3"', '"3"', true, true],
  ['"1", "3"', '"3"', true, true],
  ['W/"3"', '"3"', true, true],
  ['"3-gzip"', '"3"', true, true],
  ['W/"3-br"', '"3"', true, true],
  ['"3--gzip"', '"3"', true, true],
  ['"1", "3-zstd"', '"3"', true, true],
  ['"31-gzip"', '"3"', false, false],
  ['"3-4"', '"3"', false, false],
  ['"3-gzip-gzip"', '"3"', false, false],
  ['W/"a1f3"', '"a1f3"', false, true],
  ['"a1f3-gzip"', '"a1f3"', false, false],
  ['"3"', '"3-gzip"', false, false],
  ['"3"', 'W/"3"', false, true],
  ['"03"', '"3"', false, false],
  ['"1", "2"', '"3"', false, false],
  ['*', '"3"', true, true],
])('%s against %s: strong %s, weak %s', (sent, current, strong, weak) => {
  const tags = readEntityTags(sent) ?? [];
  expect([matchesStrongly(tags, current), matchesWeakly(tags, current)]).toEqual([strong, weak]);
});
