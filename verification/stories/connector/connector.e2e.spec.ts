import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorBody } from '@offizin/contracts/calls/errors';
import type { CreatedApiKey } from '@offizin/contracts/people/directory';
import type { PartnerProductsResponse } from '@offizin/contracts/products/products';
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
