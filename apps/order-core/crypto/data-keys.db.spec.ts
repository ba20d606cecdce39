import { randomBytes, randomUUID } from 'node:crypto';
import { type TestDatabase, testDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from '../db/schema';
import { DataKeys } from './data-keys.store';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase(orderCoreSchema);
}, 60_000);
afterAll(() => test.close());

const [old, next] = [randomBytes(32), randomBytes(32)];

/** What another process, or this one after a restart, reads. */
function keysUnder(...masterKeys: Buffer[]): DataKeys {
  return new DataKeys(test.database, masterKeys);
}

it('keeps every data key while the master key is changed in three roll-outs', async () => {
  const orgId = randomUUID();
  const key = await keysUnder(old).keyOf(orgId);

  // First: all can open what the new one will wrap. Second: the new one wraps, and what is there is wrapped again.
  expect(await keysUnder(old, next).keyOf(orgId)).toEqual(key);
  expect(await keysUnder(next, old).keyOf(orgId)).toEqual(key);
  expect(await keysUnder(next, old).rewrapAll()).toBeGreaterThanOrEqual(1);
  expect(await keysUnder(next, old).rewrapAll()).toBe(0);

  // Third: the old one is gone.
  expect(await keysUnder(next).keyOf(orgId)).toEqual(key);
  await expect(keysUnder(old).keyOf(orgId)).rejects.toThrow(/another master key/);
});

it('wraps nothing again under a key that does not open it', async () => {
  await keysUnder(next).keyOf(randomUUID());
  await expect(keysUnder(randomBytes(32)).rewrapAll()).rejects.toThrow(/another master key/);
});
