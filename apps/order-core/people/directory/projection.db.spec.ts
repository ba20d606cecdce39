import { type BusConnection, openBucket } from '@offizin/bus/key-value';
import { COMPLETE_KEY, decodeRecord, DIRECTORY_BUCKET, encodeRecord } from '@offizin/directory/records';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { TestBroker } from '@offizin/testkit/broker';
import { eventually } from '@offizin/testkit/eventually';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { brokerSpec } from '../../spec/core-spec';
import { insertKey, revokeKey } from './keys.store';
import { insertOrganization, insertShop } from './organizations.store';
import { DirectoryProjection } from './projection';

const KEYS = 5_000;
const seedKeys = statement<{ id: string }, [string]>(
  'spec_seed_keys',
  `INSERT INTO core.api_keys (id, org_id, name, kind, hash, scopes, expires_at)
   SELECT gen_random_uuid(), $1, 'n', 'org', encode(sha256(n::text::bytea), 'hex'), '{orders.read,orders.write}',
          CASE WHEN n % 2 = 0 THEN now() + make_interval(days => n) END
   FROM generate_series(1, ${KEYS}) n RETURNING id`,
);
const rename = statement<never, [string, string]>(
  'spec_rename',
  'UPDATE core.shops SET name = $2 WHERE id = $1',
);
const addPerson = statement<never, [string, string]>(
  'spec_person',
  `INSERT INTO core.staff (id, org_id, email, name, role) VALUES ($1::uuid, $2, $1::text || '@example.org', 'Anna', 'owner')`,
);
const addSession = statement<never, [string, string, string]>(
  'spec_session',
  `INSERT INTO core.staff_sessions (id, staff_id, org_id, hash, ends_at, idle_seconds)
   VALUES ($1::uuid, $2, $3, $1::text, now() + interval '1 hour', 600)`,
);
const endSessions = statement<never, [string]>(
  'spec_end_sessions',
  'UPDATE core.staff_sessions SET ended_at = now() WHERE staff_id = $1',
);

const test = brokerSpec();
const [orgId, shopId] = [newId(), newId()];
/** order-core may write the bucket and watch it, but not read single records. */
let reader: BusConnection;
let projection: DirectoryProjection;
let keyIds: string[];

beforeAll(async () => {
  await insertOrganization(test.database, orgId, 'Apotheke "am Markt" \\ \u2028 \u{1f48a} \u007f\t');
  await insertShop(test.database, orgId, { id: shopId, name: 'Mitte', domain: 'mitte.example' });
  keyIds = (await test.database.rows(seedKeys, orgId)).map(({ id }) => id);
  reader = await test.broker.connect('reader');
  projection = new DirectoryProjection(test.database, await test.broker.connectAs('order-core'));
  await projection.start();
  await eventually('a complete bucket', () => textOf(COMPLETE_KEY));
  await settled();
}, 60_000);

afterAll(() => projection.stop());

async function bucketOf(of = reader) {
  return openBucket(of, DIRECTORY_BUCKET);
}

async function textOf(key: string): Promise<string | null> {
  const entry = await (await bucketOf()).get(key);
  return entry?.operation === 'PUT' ? entry.string() : null;
}

/** Of all writes to the bucket so far. */
async function writes(): Promise<number> {
  const { streamInfo } = await (await bucketOf()).status();
  return streamInfo.state.last_seq;
}

/** The projection has received all writes, so that a comparison writes nothing. */
async function settled(): Promise<number> {
  let before = -1;
  await eventually('a comparison that writes nothing', async () => {
    before = await writes();
    await projection.compare();
    return (await writes()) === before;
  });
  return before;
}

async function addKey(): Promise<string> {
  const id = newId();
  const rest = { name: 'n', kind: 'org', hash: id, scopes: [], shopId: null, expiresAt: null } as const;
  await insertKey(test.database, newId(), { id, ...rest, scopes: [] });
  return id;
}

it('fills an empty bucket with one write per record', async () => {
  // The organization, the shop, the mark of completeness.
  expect(await writes()).toBe(KEYS + 3);
});

it('writes the text that an older version would write', async () => {
  const keys = [`organization.${orgId}`, `shop.${shopId}`, ...keyIds.slice(0, 4).map((id) => `key.${id}`)];
  for (const key of keys) {
    const text = (await textOf(key)) ?? '';
    const record = decodeRecord(key, Buffer.from(text));
    expect('type' in record && Buffer.from(encodeRecord(record)).toString()).toBe(text);
  }
});

it('writes a changed record once and no other', async () => {
  const before = await settled();
  const keyId = await addKey();
  await projection.project(`key.${keyId}`);
  expect(await writes()).toBe(before + 1);
  await test.database.rows(rename, shopId, 'Süd');
  await projection.project(`shop.${shopId}`);
  expect([await writes(), await textOf(`shop.${shopId}`)]).toEqual([
    before + 2,
    expect.stringContaining('Süd'),
  ]);
  await revokeKey(test.database, orgId, keyIds[0] ?? '');
  // As the path may name it.
  await projection.project(`key.${(keyIds[0] ?? '').toUpperCase()}`);
  expect([await writes(), await textOf(`key.${keyIds[0] ?? ''}`)]).toEqual([before + 3, null]);
  expect(await settled()).toBe(before + 3);
});

it('writes of a person the sessions that changed', async () => {
  const staffId = newId();
  await test.database.rows(addPerson, staffId, orgId);
  const signIn = async (): Promise<string> => {
    const id = newId();
    await test.database.rows(addSession, id, staffId, orgId);
    await projection.project(`staff.${staffId}`);
    return id;
  };
  const before = await settled();
  const first = await signIn();
  await settled();
  await signIn();
  expect(await writes()).toBe(before + 2);
  await test.database.rows(endSessions, staffId);
  await projection.project(`staff.${staffId}`);
  expect([await writes(), await textOf(`session.${first}`)]).toEqual([before + 4, null]);
});

it('repairs a bucket that lost, gained and changed records, and writes nothing else', async () => {
  const [lost, alsoLost, spoilt] = keyIds.slice(1, 4).map((id) => `key.${id}`);
  const before = await settled();
  const bucket = await bucketOf();
  for (const key of [lost, alsoLost]) await bucket.delete(key ?? '');
  await bucket.put(spoilt ?? '', 'x');
  await bucket.put(`key.${newId()}`, 'x');
  await eventually('the repair', async () => {
    await projection.compare();
    const texts = [await textOf(lost ?? ''), await textOf(alsoLost ?? ''), await textOf(spoilt ?? '')];
    return texts.every((text) => text?.startsWith('{'));
  });
  expect(await settled()).toBe(before + 8);
});

it('writes nothing when another replica starts beside it', async () => {
  const before = await settled();
  const second = new DirectoryProjection(test.database, await test.broker.connectAs('order-core'));
  await second.start();
  const keyId = await addKey();
  await second.project(`key.${keyId}`);
  await second.compare();
  // Its watch has read the bucket by then, or the comparison does nothing.
  await second.compare();
  expect(await writes()).toBe(before + 1);
  await second.stop();
});

it('deletes a revoked key that its watch has not received yet', async () => {
  const late = new DirectoryProjection(test.database, await test.broker.connectAs('order-core'));
  const key = `key.${keyIds[5] ?? ''}` as const;
  expect(await textOf(key)).not.toBeNull();
  await revokeKey(test.database, orgId, keyIds[5] ?? '');
  await late.project(key);
  expect(await textOf(key)).toBeNull();
});

it('revokes within 2 s while an empty bucket is filled', async () => {
  const broker = await TestBroker.start();
  const own = await broker.connect('order-core');
  const filling = new DirectoryProjection(test.database, own);
  try {
    await filling.start();
    const bucket = await bucketOf(own);
    await eventually('the first records', async () => (await bucket.status()).values > 0);
    const keyId = keyIds[4] ?? '';
    await revokeKey(test.database, orgId, keyId);
    const startedAtMs = performance.now();
    await filling.project(`key.${keyId}`);
    expect(performance.now() - startedAtMs).toBeLessThan(2_000 * SLOWNESS);
    await eventually('a complete bucket', () => bucket.get(COMPLETE_KEY), 30_000);
    expect((await bucket.get(`key.${keyId}`))?.operation).not.toBe('PUT');
    expect((await bucket.get(`key.${keyIds[6] ?? ''}`))?.operation).toBe('PUT');
  } finally {
    await filling.stop();
    await broker.stop();
  }
}, 60_000);
