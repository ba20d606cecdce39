import { openBucket } from '@offizin/bus/key-value';
import type { Caller } from '@offizin/contracts/calls/caller';
import * as api from '@offizin/contracts/people/directory';
import type { Operation } from '@offizin/contracts/calls/operation';
import { MAX_SHOPS } from '@offizin/contracts/products/products';
import { ALL_SCOPES } from '@offizin/contracts/people/scopes';
import { apiKeyKind, hashApiKey } from '@offizin/directory/api-key';
import { decodeRecord, DIRECTORY_BUCKET } from '@offizin/directory/records';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { eventually } from '@offizin/testkit/eventually';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { brokerSpec } from '../../spec/core-spec';
import { platform } from '../../spec/staff-fixture';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { DirectoryHandlers } from './directory.handlers';
import { DirectoryProjection } from './projection';
import { insertOrganization, insertShop, listOrganizationsAfter } from './organizations.store';

const keyRows = statement<{ hash: string; whole: string }, [string]>(
  'spec_key_rows',
  'SELECT hash, to_json(k)::text AS whole FROM core.api_keys k WHERE org_id = $1',
);
const auditRows = statement<{ action: string; actor: string; object: string }, [string]>(
  'spec_audit',
  'SELECT action, actor, object FROM core.audit_log WHERE org_id = $1 ORDER BY position',
);
const expire = statement<never, [string]>(
  'spec_expire',
  `UPDATE core.api_keys SET expires_at = now() - interval '1 second' WHERE id = $1`,
);

const test = brokerSpec();
let projection: DirectoryProjection;
let core: OrderCoreFixture;

beforeAll(async () => {
  projection = new DirectoryProjection(test.database, await test.broker.connect('order-core'));
  await projection.start();
});
afterAll(() => projection.stop());

beforeEach(async () => {
  const directory = new DirectoryHandlers(test.database, projection);
  core = await OrderCoreFixture.make(test.database, handlersIn(directory));
});

async function operate(op: Operation, body: Record<string, unknown>) {
  return core.call(op, { caller: platform, body });
}

async function createKey(body: Record<string, unknown> = {}) {
  return core.call(api.createApiKey, { body: { name: 'n', kind: 'org', ...body } });
}

async function revoke(keyId: string) {
  return core.call(api.revokeApiKey, { params: { keyId } });
}

async function projected(bucketKey: string) {
  const bucket = await openBucket(await test.broker.connect('reader'), DIRECTORY_BUCKET);
  const entry = await bucket.get(bucketKey);
  return entry?.operation === 'PUT' ? decodeRecord(bucketKey, entry.value) : null;
}

describe('API keys', () => {
  it('are shown once, stored as a hash only, and projected immediately', async () => {
    const { status, body } = await createKey({ scopes: ['orders.read'], expires_at: '2099-01-01T00:00:00Z' });
    expect(status).toBe(201);
    expect(apiKeyKind(body.api_key)).toBe('org');
    const rows = await test.database.rows(keyRows, core.orgId);
    expect(rows.map(({ hash }) => hash)).toContain(hashApiKey(body.api_key));
    expect(rows.map(({ whole }) => whole).join()).not.toContain(body.api_key);
    const listed = (await core.call(api.listApiKeys)).body.data;
    const { api_key, ...shown } = body;
    expect(listed).toContainEqual(shown);
    expect(JSON.stringify(listed)).not.toContain(api_key);
    expect(await projected(`key.${body.id}`)).toMatchObject({
      hash: hashApiKey(api_key),
      scopes: ['orders.read'],
    });
  });

  it('never exceed the limit when 60 are created concurrently', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => createKey()));
    // The fixture already has one key.
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(api.MAX_LIVE_KEYS - 1);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.error}`))).toEqual(
      new Set(['409 conflict']),
    );
    expect(await test.database.rows(keyRows, core.orgId)).toHaveLength(api.MAX_LIVE_KEYS);
    // Refused calls leave no audit entry.
    const entries = await test.database.rows(auditRows, core.orgId);
    expect(entries.filter(({ action }) => action === 'api-key.create')).toHaveLength(api.MAX_LIVE_KEYS - 1);
  });

  it('can be created again after one is revoked or expires', async () => {
    const keys = await Promise.all(Array.from({ length: api.MAX_LIVE_KEYS - 1 }, () => createKey()));
    expect((await createKey()).status).toBe(409);
    expect((await revoke(keys[0]?.body.id ?? '')).status).toBe(204);
    expect((await createKey()).status).toBe(201);
    expect((await createKey()).status).toBe(409);
    await test.database.rows(expire, keys[1]?.body.id ?? '');
    expect((await createKey()).status).toBe(201);
  });

  it('have no scopes (kind int) or no shop (kind org), and the shop must belong to the organization', async () => {
    const other = await OrderCoreFixture.make(test.database);
    expect((await createKey({ kind: 'int', scopes: ['orders.read'] })).status).toBe(400);
    expect((await createKey({ shop_id: core.shopId })).status).toBe(400);
    expect((await createKey({ kind: 'int', shop_id: other.shopId })).status).toBe(404);
    expect((await createKey({ kind: 'int', shop_id: core.shopId })).body.shop_id).toBe(core.shopId);
  });

  it('are deleted from the bucket when revoked, and each change adds an entry to the audit log', async () => {
    const { body } = await createKey();
    expect((await revoke(body.id)).status).toBe(204);
    expect(await projected(`key.${body.id}`)).toBeNull();
    const actor = `key:${core.keyId}`;
    expect(await test.database.rows(auditRows, core.orgId)).toEqual([
      { action: 'api-key.create', actor, object: `api-key:${body.id}` },
      { action: 'api-key.revoke', actor, object: `api-key:${body.id}` },
    ]);
  });

  it('cannot create keys once they are revoked', async () => {
    expect((await revoke(core.keyId)).status).toBe(204);
    expect((await createKey()).status).toBe(401);
  });
});

describe('shops', () => {
  const shopOf = (domain: string, orgId = core.orgId) =>
    operate(api.createShop, { org_id: orgId, name: 's', domain });

  it('have a domain that is unique on the platform, also in other case and when 20 calls race', async () => {
    const other = await OrderCoreFixture.make(test.database);
    const domain = `d${newId()}.example`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        shopOf(index % 2 ? domain : domain.toUpperCase(), index % 3 ? core.orgId : other.orgId),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      201,
      ...Array.from({ length: 19 }, () => 409),
    ]);
    expect(answers.find(({ status }) => status === 409)?.body.error).toBe('conflict');
  });

  it.each(['', 'a b.example', '-a.example', 'a_b.example', 'a..example', 'https://a.example', 'a.example/x'])(
    'cannot have the domain %p',
    async (domain) => {
      expect((await shopOf(domain)).status).toBe(400);
    },
  );

  it('of a test system have the domain localhost, by the operator', async () => {
    expect((await shopOf('LocalHost')).body).toMatchObject({ domain: 'localhost' });
  });

  it('need an existing organization', async () => {
    expect((await shopOf(`d${newId()}.example`, newId())).status).toBe(404);
    expect((await shopOf(`d${newId()}.example`, 'x')).status).toBe(404);
  });

  it('are created by the operator only', async () => {
    const body = { org_id: core.orgId, name: 's', domain: `d${newId()}.example` };
    const key: Caller = { ...core.key(), scopes: ALL_SCOPES };
    expect((await core.call(api.createShop, { caller: key, body })).status).toBe(403);
  });
});

it('refills a bucket that was deleted', async () => {
  const { body } = await createKey();
  const bucket = await openBucket(await test.broker.connect('vandal'), DIRECTORY_BUCKET);
  await bucket.destroy();
  await eventually('the key is there again', () => projected(`key.${body.id}`), 20_000);
  const shop = await eventually('the shop, too', () => projected(`shop.${core.shopId}`));
  expect(shop).toMatchObject({ org_id: core.orgId });
}, 40_000);

describe('records of the bucket that order-core did not write', () => {
  it('do not stop the projection, and invalid ones are replaced', async () => {
    const { body: first } = await createKey();
    const connection = await test.broker.connect('stranger');
    const jetstream = connection.jetstream();
    const strange = ['key.ä', 'key.a$b', 'key.%00', 'other'];
    for (const key of strange) await jetstream.publish(`$KV.${DIRECTORY_BUCKET}.${key}`, Buffer.from('\0'));
    await jetstream.publish(`$KV.${DIRECTORY_BUCKET}.key.${first.id}`, Buffer.from('\0'));
    await eventually('the projection sees it', async () => {
      await projection.compare();
      return (await projection.notice()) !== null;
    });
    const { body: second } = await createKey();
    expect(await projected(`key.${second.id}`)).toMatchObject({ hash: hashApiKey(second.api_key) });
    await eventually('the spoilt record is written again', async () => {
      await projection.compare();
      const record = await projected(`key.${first.id}`);
      return record !== null && 'type' in record;
    });
    expect(await projection.notice()).toMatch(/^3 keys cannot be deleted/);
  });
});

describe('1,400 revoked keys', () => {
  const addRevoked = statement<never, [string, string[], string]>(
    'spec_revoked_keys',
    `INSERT INTO core.api_keys (id, org_id, name, kind, hash, scopes, created_at, revoked_at)
     SELECT id, $1, repeat(chr(1), 255), 'org', id::text, '{orders.read}', now() - interval '1 year',
            now() - $3::interval
     FROM unnest($2::uuid[]) AS id`,
  );
  const ids = (): string[] => Array.from({ length: 700 }, () => newId());

  async function listed(query = ''): Promise<string[]> {
    const found: string[] = [];
    for (let cursor = ''; ;) {
      const { status, body } = await core.call(api.listApiKeys, { query: `limit=200${query}${cursor}` });
      expect(status).toBe(200);
      found.push(...body.data.map(({ id }) => id));
      if (body.pagination.next_cursor === null) return found;
      cursor = `&cursor=${body.pagination.next_cursor}`;
    }
  }

  it('disappear from the default list after 90 days, and are complete when requested', async () => {
    const [recent, old] = [ids(), ids()];
    await test.database.rows(addRevoked, core.orgId, recent, '89 days');
    await test.database.rows(addRevoked, core.orgId, old, '91 days');
    const live = (await createKey()).body.id;
    expect(await listed()).toEqual([core.keyId, ...recent, live]);
    expect(await listed('&include_revoked=true')).toEqual([core.keyId, ...recent, ...old, live]);
    expect((await core.call(api.listApiKeys)).body.data).toHaveLength(50);
    const { next_cursor: own } = (await core.call(api.listApiKeys, { query: 'limit=1' })).body.pagination;
    for (const query of ['cursor=x', `include_revoked=true&cursor=${own}`]) {
      const refused = await core.call(api.listApiKeys, { query });
      expect([refused.status, refused.body.details?.[0]?.field]).toEqual([400, 'cursor']);
    }
  });
});

it('accepts as many shops as one answer can hold', async () => {
  const addShops = statement<never, [string, number]>(
    'spec_shops',
    `INSERT INTO core.shops (id, org_id, name, domain)
     SELECT gen_random_uuid(), $1::uuid, 'Shop', n || '.' || $1::uuid || '.example' FROM generate_series(1, $2) n`,
  );
  // The fixture has two.
  await test.database.rows(addShops, core.orgId, MAX_SHOPS - 3);
  const body = { org_id: core.orgId, name: 'Last' };
  const last = await operate(api.createShop, { ...body, domain: `last.${core.orgId}.example` });
  expect(last.status).toBe(201);
  const refused = await operate(api.createShop, { ...body, domain: `more.${core.orgId}.example` });
  expect([refused.status, refused.body.error]).toEqual([409, 'conflict']);
});

describe('the list of organizations', () => {
  it('lists organizations page by page, oldest first, with their shops', async () => {
    const ids = [newId(), newId(), newId()];
    for (const id of ids) await insertOrganization(test.database, id, `Apotheke ${id}`);
    await insertShop(test.database, ids[1] ?? '', { id: newId(), name: 'Mitte', domain: 'mitte.localhost' });
    const all = (await listOrganizationsAfter(test.database, {})).data.map(({ org_id }) => org_id);
    expect(all.slice(-4)).toEqual([core.orgId, ...ids]);
    const first = await listOrganizationsAfter(test.database, { after: core.orgId }, 2);
    expect(first).toMatchObject({
      data: [
        { org_id: ids[0], shops: 0 },
        { org_id: ids[1], shops: 1 },
      ],
      next: ids[1],
    });
    const rest = await listOrganizationsAfter(test.database, { after: ids[1] }, 2);
    expect(rest).toMatchObject({ data: [{ org_id: ids[2], live_keys: 0, is_active: true }], next: null });
    expect((await listOrganizationsAfter(test.database, { org_id: ids[1] })).data).toHaveLength(1);
    expect((await listOrganizationsAfter(test.database, { org_id: newId() })).data).toEqual([]);
  });
});
