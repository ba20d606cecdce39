import { SENDERS } from '@offizin/contracts/calls/call-rights';
import { readCallKeys } from '@offizin/runtime/call-keys';
import { callKeysOf, newCallKeys, pairsOf, rotated } from './call-keys';

const pairs = newCallKeys();

it('gives each process the keys of its own pairs and no others', () => {
  for (const process of SENDERS) {
    const text = callKeysOf(process, pairs);
    for (const [pair, keys] of Object.entries(pairs))
      expect({ process, pair, held: text.includes(keys[0] ?? '') }).toEqual({
        process,
        pair,
        held: pair.split('>').includes(process),
      });
  }
});

it('gives a process that receives no calls no key to accept', () => {
  expect(Object.keys(readCallKeys(callKeysOf('gateway', pairs)).in)).toEqual([]);
  expect(Object.keys(readCallKeys(callKeysOf('catalog', pairs)).in)).toEqual([
    'gateway',
    'order-core',
    'operator',
  ]);
});

it('reads the pairs back from the settings of all processes', () => {
  expect(pairsOf((process) => callKeysOf(process, pairs))).toEqual(pairs);
});

it('rotates in three steps, in which the signing key is always accepted by those of the step before', () => {
  const added = rotated(pairs, 'add');
  const switched = rotated(added, 'switch');
  const dropped = rotated(switched, 'drop');
  for (const [before, after] of [
    [pairs, added],
    [added, switched],
    [switched, dropped],
  ] as const)
    for (const pair of Object.keys(pairs)) {
      expect(before[pair]).toContain(after[pair]?.[0]);
      expect(after[pair]).toContain(before[pair]?.[0]);
    }
  for (const pair of Object.keys(pairs)) expect(dropped[pair]).not.toContain(pairs[pair]?.[0]);
});

it('refuses a step out of order', () => {
  const added = rotated(pairs, 'add');
  expect(() => rotated(added, 'add')).toThrow('add is not the next step: gateway>order-core has 2 keys');
  expect(() => rotated(pairs, 'switch')).toThrow('has 1 keys');
  expect(() => rotated(pairs, 'drop')).toThrow('drop is not the next step');
});
