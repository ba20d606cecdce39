import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { guarantees, heldBySpecs } from './guarantees';

/** All of G1 to G18 exist; of G19 to G35, only those that can be judged. */
const FIRST_PROMISES = 18;
const PROMISES = 35;

it('names every promise of the design: tested with faults or by specs', () => {
  const ids = [...guarantees, ...heldBySpecs].map(({ id }) => id).filter((id) => id.startsWith('G'));
  const numbers = [...new Set(ids.map((id) => Number(id.slice(1))))].sort((a, b) => a - b);
  const first = Array.from({ length: FIRST_PROMISES }, (_, index) => index + 1);
  expect(numbers.slice(0, FIRST_PROMISES)).toEqual(first);
  expect(numbers.at(-1)).toBeLessThanOrEqual(PROMISES);
});

it.each([
  ['faults', guarantees],
  ['specs', heldBySpecs],
])('names none twice among those with %s', (_kind, list) => {
  expect(new Set(list.map(({ id }) => id)).size).toBe(list.length);
});

it.each(heldBySpecs.flatMap(({ id, specs }) => specs.map((file) => [id, file])))(
  '%s: %s is there',
  (_id, file) => {
    expect(existsSync(join(checkoutRoot, file))).toBe(true);
  },
);
