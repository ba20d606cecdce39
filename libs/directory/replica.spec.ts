import { openBucket } from '@offizin/bus/key-value';
import { TestBroker } from '@offizin/testkit/broker';
import { eventually } from '@offizin/testkit/eventually';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { hashApiKey, newApiKey } from './api-key';
import { bucketKey, DIRECTORY_BUCKET, type DirectoryRecord, encodeRecord, type KeyRecord } from './records';
import { DirectoryReplica } from './replica';

let broker: TestBroker;
let bucket: Awaited<ReturnType<typeof openBucket>>;
let replica: DirectoryReplica;

beforeAll(async () => {
  broker = await TestBroker.start();
});

beforeEach(async () => {
  bucket = await openBucket(await broker.connect('writer'), DIRECTORY_BUCKET);
  replica = new DirectoryReplica(await broker.connect('reader'));
});

afterEach(async () => {
  replica.stop();
  await bucket.destroy().catch(() => undefined);
});

afterAll(() => broker.stop());

async function put(...records: DirectoryRecord[]): Promise<void> {
  for (const record of records) await bucket.put(bucketKey(record), encodeRecord(record));
}

async function startReplica(): Promise<void> {
  await put({ type: 'complete' });
  replica.start();
  await eventually('the snapshot', () => replica.checkSynchronized().then(() => true));
}

function organization(orgId: string, isActive = true): DirectoryRecord {
  return { type: 'organization', org_id: orgId, name: orgId, is_active: isActive };
}

function shop(
  shopId: string,
  orgId: string,
  change: { domain?: string; is_active?: boolean } = {},
): DirectoryRecord {
  const domain = `${shopId}.example`;
  return { type: 'shop', shop_id: shopId, org_id: orgId, name: shopId, domain, is_active: true, ...change };
}

function key(keyId: string, text: string, orgId: string, change: Partial<KeyRecord> = {}): KeyRecord {
  return {
    type: 'key',
    key_id: keyId,
    org_id: orgId,
    hash: hashApiKey(text),
    kind: 'org',
    shop_id: null,
    scopes: ['orders.read'],
    expires_at: null,
    ...change,
  };
}

it('is empty and not synchronized before the first snapshot is complete', async () => {
  await put(organization('o1'));
  await expect(replica.checkSynchronized()).rejects.toThrow('not synchronized yet');
  expect(replica.organization('o1')).toBeNull();
  await startReplica();
  expect(replica.organization('o1')).toMatchObject({ name: 'o1' });
});

it('is synchronized with an empty directory', async () => {
  await startReplica();
  expect(replica.shopsOf('o1')).toEqual([]);
});

it('ignores a bucket that is still being filled', async () => {
  const [first, last] = [newApiKey('org'), newApiKey('org')];
  await put(organization('o1'), key('k1', first, 'o1'));
  replica.start();
  await put(key('k2', last, 'o1'), { type: 'complete' });
  await eventually('a key', () => replica.keyByText(first) ?? replica.keyByText(last));
  expect([first, last].map((text) => replica.keyByText(text)?.key_id)).toEqual(['k1', 'k2']);
});

it('follows every change', async () => {
  const text = newApiKey('org');
  await put(organization('o1'));
  await startReplica();
  await put(shop('s1', 'o1'), key('k1', text, 'o1'));
  await eventually('the key', () => replica.keyByText(text));
  expect(replica.keyById('k1')).toMatchObject({ key_id: 'k1', scopes: ['orders.read'] });
  expect(replica.shop('o1', 's1')).toMatchObject({ domain: 's1.example' });
  await put(shop('s1', 'o1', { domain: 'moved.example' }));
  await eventually('the new domain', () => replica.shopByHost('moved.example'));
  expect(replica.shopByHost('s1.example')).toBeNull();
  await bucket.delete('key.k1');
  await eventually('the key is gone', () => replica.keyByText(text) === null);
  expect(replica.keyById('k1')).toBeNull();
});

it('shows the shops of one organization only to that one', async () => {
  await put(organization('o1'), organization('o2'), shop('s2', 'o1'), shop('s1', 'o1'), shop('s3', 'o2'));
  await startReplica();
  expect(replica.shop('o2', 's1')).toBeNull();
  expect(replica.shopsOf('o1').map(({ shop_id }) => shop_id)).toEqual(['s1', 's2']);
  expect(replica.shopsOf('unknown')).toEqual([]);
});

it('finds a shop by its host, ignoring port, case and final dot', async () => {
  await put(organization('o1'), shop('s1', 'o1', { domain: 'shop.example' }));
  await startReplica();
  for (const host of [
    'shop.example',
    'SHOP.Example',
    'shop.example:8443',
    'shop.example.',
    'shop.example.:80',
  ]) {
    expect(replica.shopByHost(host)).toMatchObject({ shop_id: 's1' });
  }
  for (const host of [
    '',
    'example',
    'xshop.example',
    'shop.example.evil',
    'shop.example:80:80',
    '__proto__',
  ]) {
    expect(replica.shopByHost(host)).toBeNull();
  }
});

it('refuses a key from the moment it expires', async () => {
  const [past, soon] = [newApiKey('org'), newApiKey('int')];
  const expiresAtMs = Date.now() + 2_000 * SLOWNESS;
  await put(
    organization('o1'),
    key('k1', past, 'o1', { expires_at: new Date(Date.now() - 1).toISOString() }),
    key('k2', soon, 'o1', { expires_at: new Date(expiresAtMs).toISOString() }),
  );
  await startReplica();
  expect(replica.keyByText(past)).toBeNull();
  expect(replica.keyById('k1')).toBeNull();
  expect(replica.keyByText(soon)).toMatchObject({ key_id: 'k2' });
  await eventually('it expires', () => replica.keyByText(soon) === null);
  expect(Date.now()).toBeGreaterThanOrEqual(expiresAtMs);
});

it('refuses keys and hosts of an inactive or unknown organization', async () => {
  const [inactive, orphan] = [newApiKey('org'), newApiKey('org')];
  await put(organization('o1', false), shop('s1', 'o1'), shop('s2', 'nowhere'));
  await put(key('k1', inactive, 'o1'), key('k2', orphan, 'nowhere'));
  await startReplica();
  expect([inactive, orphan].map((text) => replica.keyByText(text))).toEqual([null, null]);
  expect(['k1', 'k2'].map((id) => replica.keyById(id))).toEqual([null, null]);
  expect(['s1.example', 's2.example'].map((host) => replica.shopByHost(host))).toEqual([null, null]);
  await put(organization('o1'));
  await eventually('it is active again', () => replica.keyByText(inactive));
  expect(replica.shopByHost('s1.example')).toMatchObject({ shop_id: 's1' });
});

it('refuses the host of an inactive shop', async () => {
  await put(organization('o1'), shop('s1', 'o1', { is_active: false }));
  await startReplica();
  expect(replica.shopByHost('s1.example')).toBeNull();
  expect(replica.shop('o1', 's1')).toMatchObject({ is_active: false });
});

it.each<[string, (sound: KeyRecord) => string]>([
  ['no JSON', () => '\0'],
  ['null', () => 'null'],
  ['a record without a type', () => '{}'],
  ['a type that is not an own field', () => '{"type":"constructor"}'],
  ['scopes that are not a list', (sound) => JSON.stringify({ ...sound, scopes: 'orders.read' })],
  ['an expiry that is not a time', (sound) => JSON.stringify({ ...sound, expires_at: 'never' })],
  ['a record of another key', (sound) => JSON.stringify({ ...sound, key_id: 'k3' })],
  ['a record of another type', () => JSON.stringify(organization('o1'))],
])('refuses a key whose record is %s, serves the others, and recovers', async (_what, spoil) => {
  const [spoilt, other, later] = [newApiKey('org'), newApiKey('org'), newApiKey('org')];
  const sound = key('k1', spoilt, 'o1');
  await put(organization('o1'), sound, key('k2', other, 'o1'));
  await startReplica();
  expect(replica.keyByText(spoilt)).not.toBeNull();
  await bucket.put('key.k1', spoil(sound));
  await put(key('k4', later, 'o1'));
  await eventually('what came after it', () => replica.keyByText(later));
  expect([replica.keyByText(spoilt), replica.keyById('k1')]).toEqual([null, null]);
  expect(replica.keyByText(other)).toMatchObject({ key_id: 'k2' });
  expect(await replica.notice()).toContain('key.k1');
  // A process that starts now receives the record in its first snapshot.
  const second = new DirectoryReplica(await broker.connect('second'));
  second.start();
  await eventually('the snapshot', () => second.checkSynchronized().then(() => true));
  expect([second.keyByText(spoilt), second.keyByText(later)?.key_id]).toEqual([null, 'k4']);
  second.stop();
  await put(sound);
  await eventually('it is healed', () => replica.keyByText(spoilt));
  expect(await replica.notice()).toBeNull();
});

it('replaces everything by a new snapshot, and serves the old state until it is complete', async () => {
  const [revoked, kept] = [newApiKey('org'), newApiKey('org')];
  await put(organization('o1'), shop('s1', 'o1'), key('k1', revoked, 'o1'), key('k2', kept, 'o1'));
  await startReplica();
  await broker.wipe();
  expect(replica.keyByText(kept)).toMatchObject({ key_id: 'k2' });
  bucket = await eventually('a new bucket', async () =>
    openBucket(await broker.connect('again'), DIRECTORY_BUCKET),
  );
  await put(key('k2', kept, 'o1'), shop('s2', 'o1'), organization('o1'), { type: 'complete' });
  await eventually('the new snapshot', () => replica.keyByText(revoked) === null, 20_000);
  await eventually('all of it', () => replica.keyByText(kept) !== null && replica.shop('o1', 's2') !== null);
  expect(replica.shop('o1', 's1')).toBeNull();
  expect(replica.shopByHost('s1.example')).toBeNull();
}, 60_000);

it.each(['', '{"stream":"EVENTS","seq":1}', '{"type":"io.nats.jetstream.api.v1.stream_info_response"}'])(
  'serves a key whose record the broker overwrote with an answer, and refuses it once revoked: %p',
  async (answer) => {
    const record = key('k1', 'text', 'o1');
    await put(organization('o1'), record);
    await startReplica();
    await bucket.put(bucketKey(record), answer);
    await put(key('k2', 'other', 'o1'));
    await eventually('the change behind it', () => replica.keyByText('other'));
    expect(replica.keyByText('text')).toMatchObject({ key_id: 'k1' });
    await bucket.delete(bucketKey(record));
    await eventually('the revocation', () => replica.keyByText('text') === null);
    await bucket.put(bucketKey(record), answer);
    await bucket.delete(bucketKey(key('k2', 'other', 'o1')));
    await eventually('the change behind it', () => replica.keyByText('other') === null);
    expect(replica.keyByText('text')).toBeNull();
  },
);

describe('a bucket of 20,000 records', () => {
  const RECORDS = 20_000;
  const BURST = 4_000;
  const AT_ONCE = 250;

  /** Keys of one organization; their texts are their ids. */
  async function putKeys(from: number, to: number): Promise<void> {
    for (let first = from; first < to; first += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, to - first) }, (_, index) =>
        put(key(`k${first + index}`, `k${first + index}`, 'o1')),
      );
      await Promise.all(some);
    }
  }

  it('is followed through a burst at less than 1 ms per change, and a revocation behind it takes 2 s at most', async () => {
    await put(organization('o1'));
    await putKeys(0, RECORDS);
    await startReplica();
    expect(replica.keyByText(`k${RECORDS - 1}`)).not.toBeNull();
    const before = process.cpuUsage();
    await putKeys(RECORDS, RECORDS + BURST);
    await bucket.delete('key.k0');
    await eventually('the revocation', () => replica.keyByText('k0') === null, 2_000);
    const { user, system } = process.cpuUsage(before);
    expect(replica.keyByText(`k${RECORDS + BURST - 1}`)).not.toBeNull();
    // Microseconds of this process, which also writes the burst.
    expect((user + system) / BURST).toBeLessThan(1_000);
  }, 60_000);
});
