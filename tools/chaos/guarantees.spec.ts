import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { guarantees, heldBySpecs } from './guarantees';

/** G1 to G18, as the design counts them; and of those about neighbours (G19 to G28) what is there. */
const PROMISES = 18;
const NEIGHBOURS = [22];

it('names every promise of the design once: tried with faults, or held by specs', () => {
  const numbers = [...guarantees, ...heldBySpecs].map(({ id }) => Number(id.slice(1))).sort((a, b) => a - b);
  const first = Array.from({ length: PROMISES }, (_, index) => index + 1);
  expect(numbers).toEqual([...first, ...NEIGHBOURS]);
});

it.each(heldBySpecs.flatMap(({ id, specs }) => specs.map((file) => [id, file])))(
  '%s: %s is there',
  (_id, file) => {
    expect(existsSync(join(checkoutRoot, file))).toBe(true);
  },
);
