import type { ApiKeyListResponse, ApiKeyRow, CreatedApiKey } from '@offizin/contracts/directory';
import type { ErrorBody } from '@offizin/contracts/errors';
import type { Scope } from '@offizin/contracts/scopes';
import { eventually } from '@offizin/testkit/eventually';
import { type HttpAnswer, json } from '@offizin/testkit/http';
import type { ApiKey, TestOrganization } from '@offizin/testkit/organization';
import { orderRequest } from '@offizin/testkit/order-request';
import { TestPlatform } from '@offizin/testkit/platform';

/** An owner looks after the keys of the organization: which are in use, and replacing one without an outage. */
let platform: TestPlatform;
let organization: TestOrganization;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
});
afterAll(() => platform.close());

async function rowOf(keyId: string): Promise<ApiKeyRow> {
  const { data } = json<ApiKeyListResponse>(await organization.api('GET', '/api-keys'));
  const row = data.find(({ id }) => id === keyId);
  if (!row) throw new Error('the key is not listed');
  return row;
}

async function rotate(keyId: string, body: object = {}): Promise<HttpAnswer> {
  return organization.api('POST', `/api-keys/${keyId}/rotate`, body);
}

async function rotated(keyId: string, body: object = {}): Promise<CreatedApiKey> {
  const answer = await rotate(keyId, body);
  expect(answer.status).toBe(201);
  return json<CreatedApiKey>(answer);
}

async function secondsUntil(time: string | null | undefined): Promise<number> {
  return (Date.parse(time ?? '') - Date.now()) / 1000;
}

async function isAccepted(key: string): Promise<boolean> {
  return (await organization.exchange(key)).status === 200;
}

describe('the last use of a key', () => {
  async function lastUseAfter(key: ApiKey, use: () => Promise<HttpAnswer>): Promise<void> {
    expect(await rowOf(key.id)).toMatchObject({ last_used_at: null });
    const startedAt = Date.now();
    await eventually('the key to be known', async () => (await use()).status === 200);
    const lastUsedAt = await eventually('the use to be told', async () => (await rowOf(key.id)).last_used_at);
    expect(Date.parse(lastUsedAt)).toBeGreaterThanOrEqual(startedAt);
    expect(Date.parse(lastUsedAt)).toBeLessThanOrEqual(Date.now());
  }

  it('is shown of an organization key', async () => {
    const key = await platform.apiKey(organization.orgId, { kind: 'org' });
    await lastUseAfter(key, () => organization.exchange(key.text));
  });

  it('is shown of an integration key', async () => {
    const key = await platform.apiKey(organization.orgId, { kind: 'int' });
    await lastUseAfter(key, () => organization.connector({ key: key.text, body: orderRequest() }));
  });
});

describe('rotation of a key', () => {
  it('makes a successor of the same rights, and both are accepted for a day', async () => {
    const old = await platform.apiKey(organization.orgId, { kind: 'org', scopes: ['orders.read'] });
    const successor = await rotated(old.id);
    expect(successor).toMatchObject({ kind: 'org', scopes: ['orders.read'], name: 'test', expires_at: null });
    const row = await rowOf(old.id);
    expect(row.replaced_by).toBe(successor.id);
    expect(await secondsUntil(row.expires_at)).toBeCloseTo(24 * 3600, -2);
    await eventually('the successor to be known', () => isAccepted(successor.api_key));
    expect(await isAccepted(old.text)).toBe(true);
    const answer = await organization.exchange(successor.api_key);
    expect(json(answer)['scope']).toBe('orders.read');
  });

  it('ends the old key after the overlap', async () => {
    const old = await platform.apiKey(organization.orgId, { kind: 'org' });
    await rotated(old.id, { overlap_seconds: 2 });
    expect(await isAccepted(old.text)).toBe(true);
    await eventually('the old key to end', async () => !(await isAccepted(old.text)), 5_000);
  });

  it('without overlap ends the old key and its tokens at once', async () => {
    const old = await platform.apiKey(organization.orgId, { kind: 'org', scopes: ['orders.read'] });
    const token = json<{ access_token: string }>(await organization.exchange(old.text)).access_token;
    const headers = { authorization: `Bearer ${token}` };
    expect((await organization.api('GET', '/orders', undefined, headers)).status).toBe(200);
    await rotated(old.id, { overlap_seconds: 0 });
    await eventually('the token to end', async () => {
      return (await organization.api('GET', '/orders', undefined, headers)).status === 401;
    });
  });

  it('never makes a key live longer than it would have, and gives its successor as long a life', async () => {
    const expires_at = new Date(Date.now() + 600_000).toISOString();
    const old = await platform.apiKey(organization.orgId, { kind: 'org', expires_at });
    const successor = await rotated(old.id);
    expect((await rowOf(old.id)).expires_at).toBe(expires_at);
    expect(await secondsUntil(successor.expires_at)).toBeCloseTo(600, -1);
  });

  it('keeps an integration key bound to its shop', async () => {
    const shop_id = organization.shops[1].shopId;
    const old = await platform.apiKey(organization.orgId, { kind: 'int', shop_id });
    expect(await rotated(old.id)).toMatchObject({ kind: 'int', shop_id, scopes: [] });
  });

  it('is refused a second time, and of a key that is revoked', async () => {
    const old = await platform.apiKey(organization.orgId, { kind: 'org' });
    const { id } = await rotated(old.id);
    const again = await rotate(old.id);
    expect(json<ErrorBody>(again)).toMatchObject({ error: 'conflict', message: expect.stringContaining(id) });
    await organization.api('DELETE', `/api-keys/${id}`);
    expect((await rotate(id)).status).toBe(409);
  });

  it.each([
    { overlap_seconds: -1 },
    { overlap_seconds: 30 * 86_400 + 1 },
    { overlap_seconds: 1.5 },
    { more: 1 },
  ])('refuses %j', async (body) => {
    const key = await platform.apiKey(organization.orgId, { kind: 'org' });
    expect((await rotate(key.id, body)).status).toBe(400);
    expect((await rowOf(key.id)).replaced_by).toBeNull();
  });

  it('answers a foreign key, an unknown one and no id alike', async () => {
    const foreign = await platform.organization();
    for (const id of [foreign.apiKey.id, '01890000-0000-7000-8000-000000000000', 'none']) {
      expect((await rotate(id)).status).toBe(404);
    }
  });
});

describe('a key that may change settings', () => {
  /** Calls with the token of a new key of these scopes. */
  async function keyOf(scopes: Scope[]): Promise<{ id: string; call: TestOrganization['api'] }> {
    const { id, text } = await platform.apiKey(organization.orgId, { kind: 'org', scopes });
    const exchanged = await eventually('the key to be known', async () => {
      const answer = await organization.exchange(text);
      return answer.status === 200 && answer;
    });
    const headers = { authorization: `Bearer ${json<{ access_token: string }>(exchanged).access_token}` };
    return { id, call: (method, path, body) => organization.api(method, path, body, headers) };
  }

  it('hands on what it has, and no scope more', async () => {
    const { call } = await keyOf(['settings.write', 'orders.read']);
    const create = (scopes: Scope[]) => call('POST', '/api-keys', { name: 'more', kind: 'org', scopes });
    expect((await create(['orders.read'])).status).toBe(201);
    const refused = await create(['orders.read', 'orders.write', 'prescriptions.read']);
    expect(refused.status).toBe(403);
    expect(json<ErrorBody>(refused)).toMatchObject({
      error: 'insufficient_scope',
      message: expect.stringContaining('orders.write, prescriptions.read'),
    });
    expect((await call('POST', '/api-keys', { name: 'connector', kind: 'int' })).status).toBe(201);
  });

  it('rotates no key that has more, and the refused rotation leaves the old key as it was', async () => {
    const { id, call } = await keyOf(['settings.write']);
    const rich = await platform.apiKey(organization.orgId, { kind: 'org', scopes: ['reports.read'] });
    const refused = await call('POST', `/api-keys/${rich.id}/rotate`, {});
    expect([refused.status, json<ErrorBody>(refused).error]).toEqual([403, 'insufficient_scope']);
    expect(await rowOf(rich.id)).toMatchObject({ replaced_by: null, expires_at: null });
    expect((await call('POST', `/api-keys/${id}/rotate`, {})).status).toBe(201);
  });
});

it('a key that would be dead at birth is refused, and a scope named twice is one', async () => {
  const key = { name: 'x', kind: 'org', scopes: ['orders.read', 'orders.read'] };
  const past = await organization.api('POST', '/api-keys', { ...key, expires_at: '2020-01-01T00:00:00Z' });
  expect(past.status).toBe(400);
  const made = await organization.api('POST', '/api-keys', key);
  expect(json(made)).toMatchObject({ scopes: ['orders.read'] });
});

it('a token of a key that ends soon says that it ends with it', async () => {
  const expires_at = new Date(Date.now() + 60_000).toISOString();
  const body = { name: 'x', kind: 'org', scopes: ['orders.read'], expires_at };
  const { api_key } = json<{ api_key: string }>(await organization.api('POST', '/api-keys', body));
  const { expires_in } = await eventually('the gateway to know the key', async () => {
    const answer = await organization.exchange(api_key);
    return answer.status === 200 && json<{ expires_in: number }>(answer);
  });
  expect(expires_in).toBeGreaterThan(0);
  expect(expires_in).toBeLessThanOrEqual(60);
});
