import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Unreachable } from '@offizin/contracts/calls/errors';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { eventually } from '@offizin/testkit/eventually';
import { ObjectStore } from '@offizin/testkit/object-store';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { DataKeys } from '../../crypto/data-keys.store';
import { encrypt } from '../../crypto/encryption';
import { databaseSpec } from '../../spec/core-spec';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { DocumentMover, type MoverOptions } from './document-mover';
import { DocumentReads } from './document-reads';
import { DocumentStore } from './document-store';
import { insertPdf, OF_PAYLOAD, storedPdf } from './documents.store';
import { giveToStore, leaseNewObject, leaseObject } from './loose-objects.store';

const KEY = Buffer.alloc(32, 1);
const MIB = 1024 * 1024;
const MOVE: MoverOptions = { mode: 'move', afterDays: 0 };

const insertRequest = statement<never, [string, string, string, string]>(
  'spec_request',
  `INSERT INTO core.order_requests (id, org_id, shop_id, status, source, total_amount, payload_ciphertext, payload_digest)
   VALUES ($1, $2, $3, $4, 's', 0, '', '')`,
);
const erase = statement<never, [string]>(
  'spec_erase',
  `DELETE FROM core.documents WHERE order_request_id = $1`,
);
const makeDue = statement<never, []>('spec_due', `UPDATE core.loose_objects SET due_at = now()`);
const rowOf = statement<{ ciphertext: Buffer | null; object_name: string | null; id: string }, [string]>(
  'spec_document',
  `SELECT id, ciphertext, object_name FROM core.documents WHERE order_request_id = $1`,
);
const loose = statement<{ name: string }, []>('spec_loose', `SELECT name FROM core.loose_objects`);

const test = databaseSpec();
let core: OrderCoreFixture;
let dataKeys: DataKeys;
let bucket: ObjectStore;
let store: DocumentStore;

beforeAll(async () => {
  dataKeys = new DataKeys(test.database, [KEY]);
  bucket = await ObjectStore.start();
});
beforeEach(async () => {
  core = await OrderCoreFixture.make(test.database);
  store = storeWith({});
});
afterEach(async () => {
  await test.database.dataSource.query('TRUNCATE core.documents, core.loose_objects, core.order_requests');
  await store.close();
  await bucket.restart();
});
afterAll(() => bucket.stop());

function storeWith(changed: { secretAccessKey?: string; url?: string }): DocumentStore {
  const key = bucket.environment['DOCUMENT_STORE_ACCESS_KEY_ID'] ?? '';
  return new DocumentStore({
    url: bucket.url,
    region: 'eu-central-1',
    accessKeyId: key,
    secretAccessKey: key,
    ...changed,
  });
}

function mover(options: Partial<MoverOptions> = {}, documents = store): DocumentMover {
  return new DocumentMover(test.database, dataKeys, documents, { ...MOVE, ...options });
}

/** Resolves with the id of the request. */
async function request(plain: Buffer, status = 'approved'): Promise<string> {
  const { orgId, shopId } = core;
  const [id, requestId] = [newId(), newId()];
  await test.database.rows(insertRequest, requestId, orgId, shopId, status);
  const ciphertext = encrypt(await dataKeys.keyOf(orgId), plain, id);
  const sha256 = Buffer.alloc(32);
  const pdf = { sha256, sizeBytes: plain.length, ciphertext, signature: 'none', pages: null } as const;
  await insertPdf(test.database, orgId, { id, orderRequestId: requestId, version: 1, ...OF_PAYLOAD, ...pdf });
  return requestId;
}

async function read(requestId: string, documents: DocumentStore | null = store): Promise<Buffer | null> {
  const place = await storedPdf(test.database, core.orgId, requestId, {});
  if (!place) return null;
  const reads = new DocumentReads(test.database, dataKeys, documents);
  return reads.read(core.orgId, place, () => Promise.resolve());
}

async function document(requestId: string) {
  const [row] = await test.database.rows(rowOf, requestId);
  if (!row) throw new Error('the request has no document');
  return row;
}

async function looseNames(): Promise<string[]> {
  return (await test.database.rows(loose)).map(({ name }) => name);
}

/** As by a process that then died. */
async function uploaded(bytes: Buffer) {
  const leased = await leaseNewObject(test.database, randomUUID(), 0);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await store.put(leased?.name ?? '', { bytes, sha256 }, 5_000);
  return leased;
}

it('moves documents of decided requests as they are encrypted, and reads them from there', async () => {
  const plain = randomBytes(3 * MIB);
  const decided = await request(plain);
  const open = await request(Buffer.from('open'), 'pending');
  const { ciphertext, id } = await document(decided);
  await mover().round();
  const { ciphertext: left, object_name: name } = await document(decided);
  expect({ left, names: bucket.names() }).toEqual({ left: null, names: [name] });
  expect(name).not.toBe(id);
  expect(ciphertext && bucket.bytes(name ?? '').equals(ciphertext)).toBe(true);
  expect((await read(decided))?.equals(plain)).toBe(true);
  expect((await document(open)).object_name).toBeNull();
  expect((await read(open))?.toString()).toBe('open');
  expect(await looseNames()).toEqual([]);
  const elsewhere = await OrderCoreFixture.make(test.database);
  expect(await storedPdf(test.database, elsewhere.orgId, decided, {})).toBeNull();
});

it('leaves a document for the days of the setting', async () => {
  const requestId = await request(Buffer.from('new'));
  await mover({ afterDays: 1 }).round();
  expect((await document(requestId)).object_name).toBeNull();
});

it('goes on after a death between the upload and its commit, with the same object', async () => {
  const requestId = await request(Buffer.from('twice'));
  const { ciphertext, id } = await document(requestId);
  const left = await uploaded(ciphertext ?? Buffer.alloc(0));
  // No other process takes it while the lease lasts.
  await mover().round();
  expect((await document(requestId)).object_name).toBeNull();
  await test.database.rows(makeDue);
  await mover().round();
  expect((await document(requestId)).object_name).toBe(left?.name);
  expect(bucket.names()).toEqual([left?.name]);
  expect((await read(requestId))?.toString()).toBe('twice');
  // The dead one awakes.
  expect(left && (await giveToStore(test.database, id, left))).toBe(false);
});

it('names no object under a lease that another process has taken', async () => {
  const requestId = await request(Buffer.from('late'));
  const first = await leaseNewObject(test.database, randomUUID(), 0);
  await test.database.rows(makeDue);
  const second = await leaseObject(test.database);
  const { id } = await document(requestId);
  expect(first && (await giveToStore(test.database, id, first))).toBe(false);
  expect((await document(requestId)).ciphertext).not.toBeNull();
  expect(second && (await giveToStore(test.database, id, second))).toBe(true);
});

it('deletes an uploaded object whose document was erased meanwhile', async () => {
  const requestId = await request(Buffer.from('gone'));
  await uploaded(Buffer.from('gone'));
  await test.database.rows(erase, requestId);
  await test.database.rows(makeDue);
  await mover().round();
  expect([await looseNames(), bucket.names()]).toEqual([[], []]);
});

it('writes nothing when its lease is old, as after a pause of the process', async () => {
  const requestId = await request(Buffer.from('paused'));
  const { dataSource } = test.database;
  await dataSource.query(`CREATE FUNCTION core.age() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN NEW.due_at := NEW.due_at - interval '16 minutes'; RETURN NEW; END $$`);
  await dataSource.query(`CREATE TRIGGER age BEFORE INSERT ON core.loose_objects FOR EACH ROW
    EXECUTE FUNCTION core.age()`);
  await expect(mover().round()).rejects.toThrow(/403 \(RequestTimeTooSkewed\)/);
  await dataSource.query('DROP TRIGGER age ON core.loose_objects');
  expect([bucket.names(), (await document(requestId)).object_name]).toEqual([[], null]);
});

it('moves each document once with two replicas', async () => {
  const requests = await Promise.all(Array.from({ length: 12 }, (_, n) => request(Buffer.from(`pdf ${n}`))));
  await Promise.all([mover().round(), mover().round()]);
  await mover().round();
  const names = await Promise.all(requests.map(async (id) => (await document(id)).object_name));
  expect(new Set(names).size).toBe(12);
  expect(bucket.names().sort()).toEqual(names.sort());
  for (const [n, id] of requests.entries()) expect((await read(id))?.toString()).toBe(`pdf ${n}`);
  expect(await looseNames()).toEqual([]);
});

it('deletes the object of an erased document, however long the store is unreachable', async () => {
  const requestId = await request(Buffer.from('private'));
  await mover().round();
  const [name] = bucket.names();
  await bucket.kill();
  await test.database.rows(erase, requestId);
  await expect(mover().round()).rejects.toThrow(/connection/i);
  expect([await read(requestId), await looseNames()]).toEqual([null, [name]]);
  await bucket.start();
  await test.database.rows(makeDue);
  await mover().round();
  expect([await looseNames(), bucket.names()]).toEqual([[], []]);
});

it('refuses an object that was altered, exchanged or cut', async () => {
  const [first, second] = [await request(Buffer.from('first')), await request(Buffer.from('other'))];
  await mover().round();
  const [one, two] = [(await document(first)).object_name ?? '', (await document(second)).object_name ?? ''];
  const [bytes, others] = [bucket.bytes(one), bucket.bytes(two)];
  const altered = Buffer.from(bytes);
  altered.writeUInt8(altered.readUInt8(30) ^ 1, 30);
  for (const wrong of [altered, others, bytes.subarray(1), Buffer.concat([bytes, bytes])]) {
    bucket.overwrite(one, wrong);
    await expect(read(first)).rejects.toThrow(/unable to authenticate|length|longer/);
    await expect(mover({ mode: 'return' }).round()).rejects.toThrow(/unable to authenticate|length|longer/);
    expect((await document(first)).ciphertext).toBeNull();
  }
  bucket.overwrite(one, bytes);
  expect((await read(first))?.toString()).toBe('first');
});

it('brings everything back, and then deletes the objects', async () => {
  const requests = [await request(randomBytes(MIB)), await request(Buffer.from('small'))];
  const before = await Promise.all(requests.map(document));
  await mover().round();
  expect(bucket.names()).toHaveLength(2);
  await Promise.all([mover({ mode: 'return' }).round(), mover({ mode: 'return' }).round()]);
  await mover({ mode: 'return' }).round();
  for (const [n, id] of requests.entries()) {
    const { ciphertext, object_name: name } = await document(id);
    expect([name, ciphertext?.equals(before[n]?.ciphertext ?? Buffer.alloc(0))]).toEqual([null, true]);
  }
  expect([await looseNames(), bucket.names()]).toEqual([[], []]);
});

it('reads what moved after a rotation of the master key', async () => {
  const requestId = await request(Buffer.from('encrypted'));
  await mover().round();
  const next = Buffer.alloc(32, 2);
  await new DataKeys(test.database, [next, KEY]).rewrapAll();
  const rotated = new DataKeys(test.database, [next]);
  const place = await storedPdf(test.database, core.orgId, requestId, {});
  const reads = new DocumentReads(test.database, rotated, store);
  const pdf = place && (await reads.read(core.orgId, place, () => Promise.resolve()));
  expect(pdf?.toString()).toBe('encrypted');
  await new DataKeys(test.database, [KEY, next]).rewrapAll();
});

describe('a store that cannot be used', () => {
  let moved: string;
  let here: string;
  beforeEach(async () => {
    moved = await request(Buffer.from('moved'));
    await mover().round();
    here = await request(Buffer.from('here'));
  });

  /** Reads of moved documents are 503, others go on, and a move loses nothing. */
  async function isBorne(documents: DocumentStore): Promise<void> {
    await expect(read(moved, documents)).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('store of older documents'),
    });
    expect((await read(here, documents))?.toString()).toBe('here');
  }

  it('is unreachable', async () => {
    await bucket.kill();
    await isBorne(store);
    await expect(mover().round()).rejects.toThrow(/connection/i);
    expect((await document(here)).ciphertext).not.toBeNull();
  });

  it('answers 500', async () => {
    bucket.damage();
    await isBorne(store);
    await expect(mover().round()).rejects.toThrow(/500 \(InternalError\)/);
    expect((await document(here)).ciphertext).not.toBeNull();
    bucket.repair();
  });

  it('refuses the key', async () => {
    const wrong = storeWith({ secretAccessKey: 'wrong' });
    await isBorne(wrong);
    await expect(mover({}, wrong).round()).rejects.toThrow(/403 \(SignatureDoesNotMatch\)/);
    await wrong.close();
  });

  it('has lost the object, or is another bucket', async () => {
    const other = storeWith({ url: `${bucket.url}/elsewhere` });
    await isBorne(other);
    const none = storeWith({ url: bucket.url.replace('documents', 'nowhere') });
    await isBorne(none);
    // Its 404 must not count as a deletion.
    const { object_name: name } = await document(moved);
    await test.database.rows(erase, moved);
    await expect(mover({}, none).round()).rejects.toThrow(/404 \(NoSuchBucket\)/);
    expect(await looseNames()).toEqual([name]);
    await Promise.all([other.close(), none.close()]);
  });

  it('hangs: reads end in time, and those of the database do not wait', async () => {
    bucket.pause();
    const reads = new DocumentReads(test.database, dataKeys, store);
    const place = await storedPdf(test.database, core.orgId, moved, {});
    if (!place) throw new Error('no document');
    const startedAtMs = performance.now();
    const hanging = Array.from({ length: 10 }, () =>
      reads.read(core.orgId, place, () => Promise.resolve()).catch((error: unknown) => error),
    );
    const near = await storedPdf(test.database, core.orgId, here, {});
    const pdf = near && (await reads.read(core.orgId, near, () => Promise.resolve()));
    expect(pdf?.toString()).toBe('here');
    expect(performance.now() - startedAtMs).toBeLessThan(2_500 * SLOWNESS);
    for (const outcome of await Promise.all(hanging)) expect(outcome).toBeInstanceOf(Unreachable);
    // The edges give up after 4.7 s.
    expect(performance.now() - startedAtMs).toBeLessThan(4_500 * SLOWNESS);
    bucket.resume();
    expect((await read(moved))?.toString()).toBe('moved');
  });

  it('hangs: the process ends all the same, and nothing is lost', async () => {
    bucket.pause();
    const moving = mover();
    moving.start();
    await eventually('the upload to begin', async () => (await looseNames()).length === 1);
    const startedAtMs = performance.now();
    await moving.stop();
    // Well below DRAIN_SECONDS.
    expect(performance.now() - startedAtMs).toBeLessThan(10_000 * SLOWNESS);
    expect((await document(here)).ciphertext).not.toBeNull();
    bucket.resume();
  }, 30_000);

  it('is not set', async () => {
    await expect(read(moved, null)).rejects.toBeInstanceOf(Unreachable);
    expect((await read(here, null))?.toString()).toBe('here');
  });
});
