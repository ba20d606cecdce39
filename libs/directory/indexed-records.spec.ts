import { createHistogram } from 'node:perf_hooks';
import { IndexedRecords } from './indexed-records';
import { bucketKey, type DirectoryRecord, type KeyRecord, type ShopRecord } from './records';

const RECORDS = 100_000;
const CHANGES = 2_000;

function shop(shopId: string, domain: string, orgId = 'o1'): ShopRecord {
  return { type: 'shop', shop_id: shopId, org_id: orgId, name: shopId, domain, is_active: true };
}

function key(keyId: string, hash: string): KeyRecord {
  const rest = { kind: 'org', shop_id: null, scopes: [], expires_at: null } as const;
  return { type: 'key', key_id: keyId, org_id: 'o1', hash, ...rest, scopes: [] };
}

let records: IndexedRecords;

beforeEach(() => {
  records = new IndexedRecords();
});

function put(...some: DirectoryRecord[]): void {
  for (const record of some) records.set(bucketKey(record), record);
}

it('forgets what a record was found by when it changes or goes', () => {
  put(shop('s1', 'a.example'), key('k1', 'old'));
  put(shop('s1', 'b.example', 'o2'), key('k1', 'new'));
  expect([records.shopByDomain('a.example'), records.keyByHash('old')]).toEqual([undefined, undefined]);
  expect([records.shopsOf('o1'), records.shopsOf('o2')]).toEqual([[], [shop('s1', 'b.example', 'o2')]]);
  expect(records.keyByHash('new')).toMatchObject({ key_id: 'k1' });
  for (const name of ['shop.s1', 'key.k1', 'key.unknown']) records.delete(name);
  expect([records.shopByDomain('b.example'), records.keyByHash('new')]).toEqual([undefined, undefined]);
  expect([records.shopsOf('o2'), records.size]).toEqual([[], 0]);
});

it('keeps the shop of a domain that another shop had for a moment', () => {
  put(shop('s1', 'a.example'), shop('s2', 'a.example'), shop('s2', 'b.example'));
  expect(records.shopByDomain('a.example')).toMatchObject({ shop_id: 's1' });
});

it(`blocks the event loop for less than a millisecond per change at ${RECORDS} records`, () => {
  const nameOf = (index: number): string => `n${index}`;
  for (let index = 0; index < RECORDS; index += 2)
    put(key(nameOf(index), `h${index}`), shop(nameOf(index), `${index}.example`, `o${index}`));
  const times = createHistogram();
  for (let change = 0; change < CHANGES; change++) {
    const startedAtMs = performance.now();
    put(key(nameOf(2 * change), `h${change}-new`), shop(nameOf(2 * change), `${change}-new.example`));
    records.delete(`key.${nameOf(RECORDS - 2 - 2 * change)}`);
    times.record(Math.max(1, Math.round((performance.now() - startedAtMs) * 1_000)));
  }
  // Three changes, in microseconds; the rare longer ones are collections of garbage.
  expect(times.percentile(95)).toBeLessThanOrEqual(1_000);
  expect(records.size).toBe(RECORDS - CHANGES);
});
