import { randomBytes, randomUUID } from 'node:crypto';
import { DataKeys } from './data-keys.store';
import { databaseSpec } from '../spec/core-spec';

const test = databaseSpec();

const [old, next] = [randomBytes(32), randomBytes(32)];

/** A fresh cache, as in another process or after a restart. */
function keysUnder(...masterKeys: Buffer[]): DataKeys {
  return new DataKeys(test.database, masterKeys);
}

it('keeps every data key usable while the master key is rotated in three roll-outs', async () => {
  const orgId = randomUUID();
  const key = await keysUnder(old).keyOf(orgId);

  // First roll-out: all processes can unwrap with the new key. Second: the new key wraps, and stored keys are
  // rewrapped.
  expect(await keysUnder(old, next).keyOf(orgId)).toEqual(key);
  expect(await keysUnder(next, old).keyOf(orgId)).toEqual(key);
  expect(await keysUnder(next, old).rewrapAll()).toBeGreaterThanOrEqual(1);
  expect(await keysUnder(next, old).rewrapAll()).toBe(0);

  // Third: the old key is removed.
  expect(await keysUnder(next).keyOf(orgId)).toEqual(key);
  await expect(keysUnder(old).keyOf(orgId)).rejects.toThrow(/another master key/);
});

it('rewraps nothing that its keys cannot unwrap', async () => {
  await keysUnder(next).keyOf(randomUUID());
  await expect(keysUnder(randomBytes(32)).rewrapAll()).rejects.toThrow(/another master key/);
});
