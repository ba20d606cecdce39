import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorBody } from '@offizin/contracts/calls/errors';
import type { CreatedApiKey } from '@offizin/contracts/people/directory';
import type { PartnerProductsResponse } from '@offizin/contracts/products/products';
import type { ExternalOrdersResponse } from '@offizin/contracts/requests/external-orders';
import type { PartnerShop } from '@offizin/contracts/requests/partner-shop';
import { testEnvironment } from '@offizin/testkit/environment';
import { codeOf, json } from '@offizin/testkit/http';
import { eventually } from '@offizin/testkit/eventually';
import { type ConnectorCall, orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { usePlatform, uniqueTag } from '@offizin/testkit/platform';

/** A telemedicine platform submits order requests on a shop's domain: access, and accepted content. */
const platform = usePlatform();
let organization: TestOrganization;
let foreign: TestOrganization;

beforeAll(async () => {
  organization = await platform.organization();
  foreign = await platform.organization();
});

describe('the key', () => {
  it.each<[string, (key: string) => ConnectorCall]>([
    ['the header apikey', (key) => ({ key: null, headers: { apikey: key } })],
    ['the header X-API-Key', (key) => ({ key: null, headers: { 'X-API-Key': key } })],
    ['the query parameter apikey', (key) => ({ key: null, tail: `?apikey=${key}` })],
  ])('is taken in %s', async (_, call) => {
    const external_reference = `ref-${uniqueTag()}`;
    const body = orderRequest({}, { external_reference });
    const answer = await organization.connector({ body, ...call(organization.integrationKey.text) });
    expect(answer.status).toBe(200);
    const receipt = json(answer);
    expect(receipt).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/),
      status: 'pending',
      message: expect.any(String),
      external_reference,
    });
  });

  it.each<[string, () => ConnectorCall]>([
    ['missing', () => ({ key: null })],
    ['empty', () => ({ key: '' })],
    ['made up', () => ({ key: 'ofz_int_0000000000000000000000_000000' })],
    ['mistyped in its last digit', () => ({ key: organization.integrationKey.text.replace(/.$/, '!') })],
    ['of another organization', () => ({ key: foreign.integrationKey.text })],
    ['an API key of the organization', () => ({ key: organization.apiKey.text })],
  ])('that is %s is a 401', async (_, call) => {
    expect(codeOf(await organization.connector({ body: orderRequest(), ...call() }))).toBe(
      '401 unauthorized',
    );
  });

  it('may be in several places, when it is the same in all', async () => {
    const { text: key } = organization.integrationKey;
    const headers = { 'X-API-Key': key };
    const answer = await organization.connector({
      key,
      headers,
      tail: `?apikey=${key}`,
      body: orderRequest(),
    });
    expect(answer.status).toBe(200);
  });

  it.each<[string, (key: string) => ConnectorCall]>([
    ['both headers', (key) => ({ headers: { 'X-API-Key': key } })],
    ['header and query', (key) => ({ tail: `?apikey=${key}` })],
    [
      'header X-API-Key and query',
      (key) => ({ key: null, headers: { 'X-API-Key': 'x' }, tail: `?apikey=${key}` }),
    ],
    ['the query twice', (key) => ({ key: null, tail: `?apikey=x&apikey=${key}` })],
  ])('with another beside it in %s is a 401 with the reason', async (_, call) => {
    const { text: other } = await platform.apiKey(organization.orgId, { kind: 'int' });
    await eventually('the other key to be known', async () => {
      return (await organization.connector({ key: other, body: orderRequest() })).status === 200;
    });
    const answer = await organization.connector({ body: orderRequest(), ...call(other) });
    expect(codeOf(answer)).toBe('401 unauthorized');
    expect(json<ErrorBody>(answer).message).toContain('different API keys');
  });

  it('is checked before the body is read', async () => {
    const answer = await organization.connector({ key: null, body: '{"broken' });
    expect(codeOf(answer)).toBe('401 unauthorized');
  });

  it('in a query never appears in a log, and a query keeps all its other parameters', async () => {
    const reference = `what?ever&more=${uniqueTag()}`;
    const id = await organization.submit(orderRequest({}, { external_reference: reference }));
    const key = organization.integrationKey.text;
    const requestId = `find-me-${uniqueTag()}`;
    for (const query of [
      `?external_reference=${encodeURIComponent(reference)}&apikey=${key}`,
      `?apikey=${key}&external_reference=what?ever%26more=${reference.slice(-12)}`,
    ]) {
      const call = { method: 'GET', key: null, tail: query, headers: { 'X-Request-Id': requestId } };
      const answer = await organization.connector(call);
      expect({ status: answer.status, id: json(answer)['id'] }).toEqual({ status: 200, id });
    }
    const refused = { key: null, tail: `/not-there?apikey=${key}`, headers: { 'X-Request-Id': requestId } };
    await organization.connector(refused);
    await eventually('the calls to be logged', () => logs().includes(requestId));
    expect(logs()).not.toContain(key);
  });
});

function logs(): string {
  const folder = join(testEnvironment().dataDir, 'logs');
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}

describe('the own requests', () => {
  let tenant: TestOrganization;
  beforeAll(async () => {
    tenant = await platform.organization();
  });

  const read = (call: ConnectorCall = {}) =>
    tenant.connector({ method: 'GET', path: '/api/v1/external-orders', ...call });
  const listed = async (call?: ConnectorCall): Promise<ExternalOrdersResponse> => {
    const answer = await read(call);
    expect(answer.status).toBe(200);
    return json(answer);
  };
  const submitted = async (key: string): Promise<string> => {
    const external_reference = `own-${uniqueTag()}`;
    const answer = await tenant.connector({ key, body: orderRequest({}, { external_reference }) });
    return json<{ id: string }>(answer).id;
  };
  const newKey = async (): Promise<string> => {
    const { text: key } = await platform.apiKey(tenant.orgId, { kind: 'int' });
    await eventually('the key to be known', async () => (await read({ key })).status === 200);
    return key;
  };

  it('are those of the key at the shop, as each is read back, and none of another integration or tenant', async () => {
    expect(await listed()).toEqual({ data: [], pagination: { limit: 50, next_cursor: null } });
    const [key, other] = [await newKey(), await newKey()];
    const [one, two] = [await submitted(key), await submitted(key)];
    const theirs = await submitted(other);
    const own = await listed({ key });
    const each = await Promise.all(
      [one, two].map(async (id) => json(await tenant.connector({ method: 'GET', key, tail: `/${id}` }))),
    );
    expect(own).toEqual({ data: each, pagination: { limit: 50, next_cursor: null } });
    expect((await listed({ key: other })).data.map(({ id }) => id)).toEqual([theirs]);
    expect((await listed({ key, shop: tenant.shops[1] })).data).toEqual([]);
    expect(codeOf(await read({ key: foreign.integrationKey.text }))).toBe('401 unauthorized');
    expect(await foreign.connector({ method: 'GET', path: '/api/v1/external-orders' })).toMatchObject({
      status: 200,
    });
  });

  it('move to the end with each change of the order, so that a walk since a time finds them', async () => {
    const key = await newKey();
    const [one, two] = [await submitted(key), await submitted(key)];
    const approval = await tenant.api('POST', `/order-requests/${one}/approve`, {});
    const { order_id } = json<{ order_id: string }>(approval);
    await tenant.api('POST', `/order-requests/${two}/reject`, { reason: 'out_of_stock' });
    const ids = async (tail: string) => (await listed({ key, tail })).data.map(({ id }) => id);
    expect(await ids('?limit=50')).toEqual([one, two]);
    const { updated_at: since } = (await listed({ key })).data[1] ?? { updated_at: '' };
    await tenant.api('PATCH', `/orders/${order_id}/status`, { status: 'shipped' });
    const { data, pagination } = await listed({ key, tail: '?limit=1' });
    expect(data.map(({ id }) => id)).toEqual([two]);
    const rest = await listed({ key, tail: `?limit=1&cursor=${pagination.next_cursor}` });
    expect(rest).toMatchObject({
      data: [{ id: one, order_status: 'shipped' }],
      pagination: { next_cursor: null },
    });
    expect((await ids(`?updated_since=${since}`)).at(-1)).toBe(one);
    expect(await ids(`?status=rejected&updated_since=${since}`)).toEqual([two]);
  });

  it.each([
    ['?limit=51', 'limit'],
    ['?status=gone', 'status'],
    ['?updated_since=monday', 'updated_since'],
    ['?cursor=x', 'cursor'],
    ['?shop_id=x', 'shop_id'],
  ])('are refused with %s', async (tail, field) => {
    const answer = await read({ tail });
    expect([codeOf(answer), json<ErrorBody>(answer).details?.map((each) => each.field)]).toEqual([
      '400 invalid_request',
      [field],
    ]);
  });
});

describe('the shop', () => {
  const read = (call: ConnectorCall = {}) =>
    organization.connector({ method: 'GET', path: '/api/v1/shop', ...call });
  const ofKey = async (key: string): Promise<PartnerShop> => {
    await eventually('the key to be known', async () => (await read({ key })).status === 200);
    return json<PartnerShop>(await read({ key }));
  };

  it('is named with its kind, the limits, and no end of a key that has none', async () => {
    const { data } = json<{ data: { shop_id: string; name: string }[] }>(
      await organization.api('GET', '/shops'),
    );
    for (const shop of organization.shops) {
      const answer = await read({ shop });
      expect(answer.status).toBe(200);
      const { limits, ...shown } = json<PartnerShop>(answer);
      const name = data.find(({ shop_id }) => shop_id === shop.shopId)?.name;
      expect(shown).toEqual({ name, is_test: false, key_expires_at: null });
      expect(limits).toMatchObject({
        body_bytes: 15_728_640,
        pdf_bytes: 10_485_760,
        documents: 5,
        items: 500,
      });
      expect(String(limits.requests_burst)).toBe(answer.headers['ratelimit-limit']);
    }
    expect((await read({ method: 'HEAD' })).status).toBe(200);
  });

  it('comes with the end of the key, by its expiry or a rotation', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const brief = await platform.apiKey(organization.orgId, { kind: 'int', expires_at });
    expect((await ofKey(brief.text)).key_expires_at).toBe(expires_at);
    const old = await platform.apiKey(organization.orgId, { kind: 'int' });
    const rotation = await organization.api('POST', `/api-keys/${old.id}/rotate`, { overlap_seconds: 600 });
    expect((await ofKey(json<CreatedApiKey>(rotation).api_key)).key_expires_at).toBeNull();
    await eventually('the end of the old key', async () => {
      const { key_expires_at: end } = await ofKey(old.text);
      return end !== null && Math.abs(Date.parse(end) - Date.now() - 600_000) < 60_000;
    });
  });

  it('is marked where it is a test shop', async () => {
    const domain = `test-${uniqueTag()}.${organization.shops[0].domain}`;
    const made = await organization.api('POST', '/shops', { name: 'Probe', domain, is_test: true });
    const shop = { shopId: json<{ shop_id: string }>(made).shop_id, domain };
    await eventually('the shop to be known', async () => (await read({ shop })).status === 200);
    expect(json(await read({ shop }))).toMatchObject({ name: 'Probe', is_test: true });
  });

  it('is refused to other tenants, keys of the organization API, and a key bound to another shop', async () => {
    const [one, two] = organization.shops;
    const bound = await platform.apiKey(organization.orgId, { kind: 'int', shop_id: one.shopId });
    await ofKey(bound.text);
    const refused = [
      await read({ key: null }),
      await read({ key: foreign.integrationKey.text }),
      await read({ key: organization.apiKey.text }),
      await read({ key: bound.text, shop: two }),
    ];
    expect(refused.map(codeOf)).toEqual(refused.map(() => '401 unauthorized'));
    expect(codeOf(await read({ shop: { shopId: '', domain: 'unknown.example' } }))).toBe('404 not_found');
  });

  it('takes the key in the query, but no other parameter, precondition, method or format', async () => {
    const key = organization.integrationKey.text;
    expect((await read({ key: null, tail: `?apikey=${key}` })).status).toBe(200);
    expect(codeOf(await read({ tail: '?shop_id=1' }))).toBe('400 invalid_request');
    expect(codeOf(await read({ headers: { 'if-none-match': '"1"' } }))).toBe('400 invalid_request');
    expect(codeOf(await read({ method: 'POST' }))).toBe('405 method_not_allowed');
    expect(codeOf(await read({ headers: { accept: 'text/csv' } }))).toBe('406 not_acceptable');
  });
});

describe('the assortment', () => {
  const path = '/api/v1/products';
  const list = (call: ConnectorCall = {}) => organization.connector({ method: 'GET', path, ...call });
  const idsIn = async (call?: ConnectorCall): Promise<string[]> =>
    json<PartnerProductsResponse>(await list(call)).data.map(({ p1_id }) => p1_id);

  async function attached(shop = organization.shops[0], to = organization): Promise<string> {
    const p1Id = await platform.stockedProduct(to, 4);
    const body = { shop_id: shop.shopId, p1_id: p1Id };
    expect((await to.api('POST', '/shops/attach-product', body)).status).toBe(201);
    return p1Id;
  }

  async function knownKey(text: string): Promise<string> {
    await eventually('the key to be known', async () => (await list({ key: text })).status !== 401);
    return text;
  }

  it('is that of the shop of the address, whatever other shops and tenants offer', async () => {
    const [one, two] = organization.shops;
    const [here, there] = [await attached(one), await attached(two)];
    const elsewhere = await attached(foreign.shops[0], foreign);
    const bound = await platform.apiKey(organization.orgId, { kind: 'int', shop_id: one.shopId });
    const boundKey = await knownKey(bound.text);
    for (const key of [boundKey, organization.integrationKey.text])
      expect(await idsIn({ key, shop: one })).toEqual([here]);
    expect(await idsIn({ shop: two })).toEqual([there]);
    expect(codeOf(await list({ key: boundKey, shop: two }))).toBe('401 unauthorized');
    expect(codeOf(await list({ key: foreign.integrationKey.text }))).toBe('401 unauthorized');
    const answer = await foreign.connector({ method: 'GET', path });
    expect(json<PartnerProductsResponse>(answer).data).toMatchObject([{ p1_id: elsewhere }]);
  });

  it('needs a live key with the right, which a rotation passes on', async () => {
    const made = await organization.api('POST', '/api-keys', {
      name: 'partner',
      kind: 'int',
      reads_assortment: false,
    });
    const { id, api_key, reads_assortment } = json<CreatedApiKey>(made);
    expect([made.status, reads_assortment]).toEqual([201, false]);
    const next = json<CreatedApiKey>(await organization.api('POST', `/api-keys/${id}/rotate`, {}));
    expect(next.reads_assortment).toBe(false);
    for (const text of [api_key, next.api_key]) {
      const refused = await list({ key: await knownKey(text) });
      expect(codeOf(refused)).toBe('403 insufficient_scope');
      expect(json<ErrorBody>(refused).message).toContain('reads_assortment');
    }
    const withdrawn = await platform.apiKey(organization.orgId, { kind: 'int' });
    expect(await idsIn({ key: await knownKey(withdrawn.text) })).toEqual(await idsIn());
    await organization.api('DELETE', `/api-keys/${withdrawn.id}`);
    const isRefused = async () => codeOf(await list({ key: withdrawn.text })) === '401 unauthorized';
    await eventually('a refusal', isRefused, 4_000);
    const ofProgram = { name: 'ERP', kind: 'org', reads_assortment: true };
    const wrong = json<ErrorBody>(await organization.api('POST', '/api-keys', ofProgram));
    expect(wrong.details?.map(({ field }) => field)).toEqual(['reads_assortment']);
  });

  it('is unchanged (304) until something in it changes that a partner may see', async () => {
    const p1Id = await attached();
    const { headers, body } = await list();
    const etag = String(headers['etag']);
    expect(body.toString()).not.toMatch(/quantity|threshold|reserved/);
    const again = (tag = etag) => list({ headers: { 'If-None-Match': tag } });
    const adjust = (delta: number) =>
      organization.api('POST', '/inventory/adjust', { p1_id: p1Id, delta, reason: 'correction' });
    expect((await adjust(-1)).status).toBe(200);
    const same = await again();
    expect([same.status, same.body.length, same.headers['etag']]).toEqual([304, 0, etag]);
    await adjust(-3);
    const other = await again();
    expect([other.status, other.headers['etag'] === etag]).toEqual([200, false]);
    const row = json<PartnerProductsResponse>(other).data.find(({ p1_id }) => p1_id === p1Id);
    expect(row).toMatchObject({ stock: 'none', available: true });
    expect((await again(`W/"x", ${String(other.headers['etag'])}`)).status).toBe(304);
    expect(codeOf(await again('unquoted'))).toBe('400 invalid_request');
  });
});
