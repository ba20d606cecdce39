import { readSigningKeys } from '../../apps/gateway/tokens/access-token';
import { ProofSigner } from '../../apps/order-core/audit/proof-signer';
import { ROTATION_STEPS } from '@offizin/local-stack/secrets';
import { newSecrets } from './installation-secrets';
import { type Rotatable, rotations } from './secret-rotation';

const secrets = newSecrets();
const names = Object.keys(rotations) as Rotatable[];

/** What is in force after each step of a rotation of `name`, beginning with what was there before. */
function states(name: Rotatable, before = secrets): Record<string, string>[] {
  const all = [before];
  for (const step of ROTATION_STEPS) {
    const present = all.at(-1) ?? before;
    all.push({ ...present, ...rotations[name].changed(present, step) });
  }
  return all;
}

it.each(names)('%s: touches its own files only, and leaves each one new', (name) => {
  const [before = {}, , , after = {}] = states(name);
  const changed = Object.keys(after).filter((file) => after[file] !== before[file]);
  const others = newSecrets();
  expect(changed.sort()).toEqual(Object.keys(rotations[name].changed(others, 'add')).sort());
  expect(Object.keys(after)).toEqual(Object.keys(before));
});

it.each(names)('%s: a step out of order is refused', (name) => {
  const [before = {}, added = {}, switched = {}] = states(name);
  const { changed } = rotations[name];
  expect(() => changed(before, 'switch')).toThrow('switch is not the next step: ');
  expect(() => changed(before, 'drop')).toThrow('drop is not the next step: ');
  expect(() => changed(added, 'add')).toThrow('add is not the next step: ');
  expect(() => changed(switched, 'add')).toThrow('add is not the next step: ');
});

it.each(names)('%s: a file that is missing or empty is named', (name) => {
  const [file = ''] = Object.keys(rotations[name].changed(secrets, 'add'));
  expect(() => rotations[name].changed({ ...secrets, [file]: '' }, 'add')).toThrow(
    `The secret ${file} is missing.`,
  );
});

it('the key that signs tokens is verified by the set of the step before and of the step after', () => {
  const sets = states('TOKEN_SIGNING_KEYS').map(({ TOKEN_SIGNING_KEYS = '' }) =>
    readSigningKeys(TOKEN_SIGNING_KEYS),
  );
  for (const [place, { current }] of sets.entries())
    for (const neighbour of sets.slice(Math.max(0, place - 1), place + 2))
      expect([...neighbour.publicPemByKid.keys()]).toContain(current.kid);
  expect(sets[3]?.publicPemByKid.size).toBe(1);
  expect(sets[3]?.current.kid).not.toBe(sets[0]?.current.kid);
});

it('a key that signed proofs stays published without its private part, as long as there is room', () => {
  const published = ({ PROOF_SIGNING_KEYS = '' }): string[] =>
    ProofSigner.of(PROOF_SIGNING_KEYS).publicKeys.map(({ kid }) => kid);
  const [first = '', second = ''] = [secrets, states('PROOF_SIGNING_KEYS')[3] ?? {}].map(
    (state) => published(state)[0],
  );
  let present = secrets;
  const rounds: string[][] = [];
  expect(() => {
    for (;;) {
      const [, , , after = {}] = states('PROOF_SIGNING_KEYS', present);
      const { keys } = JSON.parse(after['PROOF_SIGNING_KEYS'] ?? '') as { keys: { d?: string }[] };
      expect(keys.filter(({ d }) => d !== undefined)).toHaveLength(1);
      rounds.push(published(after));
      expect(published(after)).toEqual(expect.arrayContaining(published(present)));
      present = after;
    }
  }).toThrow(/^PROOF_SIGNING_KEYS holds \d+ keys: remove the oldest one first\.$/);
  expect(rounds.length).toBeGreaterThan(2);
  expect(first).not.toBe(second);
});
