import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { guarantees, heldBySpecs } from './guarantees';

/** G1 to G18 are all there; of G19 to G28, about neighbours, those that can be judged. */
const FIRST_PROMISES = 18;
const PROMISES = 28;

it('names every promise of the design once: tried with faults, or held by specs', () => {
  const numbers = [...guarantees, ...heldBySpecs].map(({ id }) => Number(id.slice(1))).sort((a, b) => a - b);
  const first = Array.from({ length: FIRST_PROMISES }, (_, index) => index + 1);
  expect(numbers.slice(0, FIRST_PROMISES)).toEqual(first);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers.at(-1)).toBeLessThanOrEqual(PROMISES);
});

it.each(heldBySpecs.flatMap(({ id, specs }) => specs.map((file) => [id, file])))(
  '%s: %s is there',
  (_id, file) => {
    expect(existsSync(join(checkoutRoot, file))).toBe(true);
  },
);
