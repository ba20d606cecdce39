import { randomBytes } from 'node:crypto';
import { type AuditContent, CHAIN_START, checkChain, type SealedEntry, sealOf } from './audit-chain';

const key = randomBytes(32);

function entryAt(position: number): AuditContent {
  const at = '2026-01-31T12:00:00.000001';
  const what = { actor: 'key:1', action: 'order.update', object: 'order:1', request_id: 'r' };
  return { position: String(position), org_id: null, at, ...what, record_id: null };
}

function chainOf(positions: number[]): (SealedEntry & { entry: AuditContent })[] {
  let seal = CHAIN_START;
  return positions.map((position) => {
    const entry = entryAt(position);
    seal = sealOf(key, seal, entry);
    return { position: entry.position, entry, seal };
  });
}

it('accepts an intact chain with unused positions', () => {
  const chain = chainOf([1, 2, 5]);
  const check = checkChain(key, CHAIN_START, chain);
  expect(check).toMatchObject({ checked: 3, brokenAt: null });
  expect(check.lastSeal).toEqual(chain[2]?.seal);
});

it.each(['org_id', 'at', 'actor', 'action', 'object', 'request_id', 'record_id'] as const)(
  'finds an entry whose %s was changed',
  (field) => {
    const chain: SealedEntry[] = chainOf([1, 2, 3]).map((link) =>
      link.position === '2' ? { ...link, entry: { ...link.entry, [field]: 'other' } } : link,
    );
    expect(checkChain(key, CHAIN_START, chain)).toMatchObject({ checked: 1, brokenAt: '2' });
  },
);

it('finds an entry that was removed, alone or with its seal, and one that was inserted', () => {
  const chain: SealedEntry[] = chainOf([1, 2, 3]);
  const removed = chain.map((link) => (link.position === '2' ? { ...link, entry: null } : link));
  expect(checkChain(key, CHAIN_START, removed).brokenAt).toBe('2');
  const cut = chain.filter(({ position }) => position !== '2');
  expect(checkChain(key, CHAIN_START, cut).brokenAt).toBe('3');
  const beheaded = chain.slice(1);
  expect(checkChain(key, CHAIN_START, beheaded).brokenAt).toBe('2');
  const forged = { position: '4', entry: entryAt(4), seal: null };
  expect(checkChain(key, CHAIN_START, [...chain, forged]).brokenAt).toBe('4');
});

it('finds an entry of another service that was relabelled as an entry of order-core', () => {
  const entry = { ...entryAt(1), record_id: '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c11' };
  const seal = sealOf(key, CHAIN_START, entry);
  expect(checkChain(key, CHAIN_START, [{ position: '1', entry, seal }]).brokenAt).toBeNull();
  const disguised = { ...entry, record_id: null };
  expect(checkChain(key, CHAIN_START, [{ position: '1', entry: disguised, seal }]).brokenAt).toBe('1');
});

it('keeps the seal of an order-core entry stable', () => {
  const zero = Buffer.alloc(32);
  expect(sealOf(zero, CHAIN_START, entryAt(1)).toString('hex')).toBe(
    'c3fbe110ca8d5430dc1aaaa51c801f08b87d159002b84c62530c8f9abfb9c857',
  );
});

it('cannot be recomputed without the key', () => {
  const entry = entryAt(1);
  const seal = sealOf(randomBytes(32), CHAIN_START, entry);
  expect(checkChain(key, CHAIN_START, [{ position: '1', entry, seal }]).brokenAt).toBe('1');
});

it('separates the fields of an entry', () => {
  const [one, other] = [
    { ...entryAt(1), actor: 'a', action: 'b"' },
    { ...entryAt(1), actor: 'a"', action: 'b' },
  ];
  expect(sealOf(key, CHAIN_START, one)).not.toEqual(sealOf(key, CHAIN_START, other));
});
