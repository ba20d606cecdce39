import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorBody } from '@offizin/contracts/calls/errors';
import type { CreatedApiKey } from '@offizin/contracts/people/directory';
import type { PartnerProductsResponse } from '@offizin/contracts/products/products';
import { testEnvironment } from '@offizin/testkit/environment';
import { codeOf, json } from '@offizin/testkit/http';
import { eventually } from '@offizin/testkit/eventually';
import { type ConnectorCall, orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { TestPlatform, uniqueTag } from '@offizin/testkit/platform';

/** A telemedicine platform submits order requests on a shop's domain: access, and accepted content. */
let platform: TestPlatform;
let organization: TestOrganization;
let foreign: TestOrganization;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
  foreign = await platform.organization();
});
afterAll(() => platform.close());

/** Hands in a request that must be refused as a 400, and resolves with what it names. */
async function refusal(payload: object | undefined, envelope: object = {}): Promise<ErrorBody> {
  const answer = await organization.connector({ body: { ...envelope, payload } });
  expect(codeOf(answer)).toBe('400 invalid_request');
  return json<ErrorBody>(answer);
}

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

  it('may stand in several places, when it is the same in all', async () => {
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
  ])('with another beside it in %s is a 401 that says so', async (_, call) => {
    const { text: other } = await platform.apiKey(organization.orgId, { kind: 'int' });
    await eventually('the other key to be known', async () => {
      return (await organization.connector({ key: other, body: orderRequest() })).status === 200;
    });
    const answer = await organization.connector({ body: orderRequest(), ...call(other) });
    expect(codeOf(answer)).toBe('401 unauthorized');
    expect(json<ErrorBody>(answer).message).toContain('different API keys');
  });

  it('that is bound to another shop is a 401 there, and taken at its own', async () => {
    const [own, other] = organization.shops;
    const { text: key } = await platform.apiKey(organization.orgId, { kind: 'int', shop_id: own.shopId });
    await eventually('the key to be known', async () => {
      return (await organization.connector({ key, shop: own, body: orderRequest() })).status === 200;
    });
    const elsewhere = await organization.connector({ key, shop: other, body: orderRequest() });
    expect(codeOf(elsewhere)).toBe('401 unauthorized');
  });

  it('that was revoked or has expired is a 401', async () => {
    const revoked = await platform.apiKey(organization.orgId, { kind: 'int' });
    const expires_at = new Date(Date.now() + 1_500).toISOString();
    const expiring = await platform.apiKey(organization.orgId, { kind: 'int', expires_at });
    for (const { text: key } of [revoked, expiring]) {
      await eventually('the key to be known', async () => {
        return (await organization.connector({ key, body: orderRequest() })).status === 200;
      });
    }
    expect((await organization.api('DELETE', `/api-keys/${revoked.id}`)).status).toBe(204);
    for (const { text: key } of [revoked, expiring]) {
      const refused = await eventually(
        'a refusal',
        async () => {
          const answer = await organization.connector({ key, body: orderRequest() });
          return answer.status === 200 ? null : answer;
        },
        4_000,
      );
      expect(codeOf(refused)).toBe('401 unauthorized');
    }
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

describe('the shop domain', () => {
  it('that is unknown is a 404', async () => {
    const call = { body: orderRequest(), headers: { host: 'nobody.localhost' } };
    expect(codeOf(await organization.connector(call))).toBe('404 not_found');
  });

  it('is found whatever its capitals and its port', async () => {
    const { domain } = organization.shops[0];
    for (const host of [`${domain}:8443`, domain.toUpperCase(), `${domain.toUpperCase()}:443`]) {
      const answer = await organization.connector({ body: orderRequest(), headers: { host } });
      expect(answer.status).toBe(200);
    }
  });

  it('decides shop and organization: other ids in the payload are a 400, its own are accepted', async () => {
    const [own, other] = organization.shops;
    const own_ids = { shop_id: own.shopId, org_id: organization.orgId };
    const accepted = await organization.connector({ body: orderRequest(own_ids) });
    expect(accepted.status).toBe(200);
    for (const wrong of [
      { shop_id: other.shopId },
      { org_id: foreign.orgId },
      { shop_id: foreign.shops[0].shopId },
    ]) {
      const { details } = await refusal(orderRequest(wrong).payload);
      expect(details?.map(({ field }) => field)).toEqual([`payload.${Object.keys(wrong)[0] ?? ''}`]);
    }
  });
});

describe('the payload', () => {
  const items = [{ name: 'Salbe', quantity: 1, price: 1 }];

  it('needs a name or an e-mail address of the customer', async () => {
    expect((await refusal({ items })).message).toMatch(/customer_name.*customer_email/);
    await refusal({ items, customer_name: '  ' });
    await refusal({ items, customer_email: 'no address' });
    for (const customer of [{ customer_name: 'Erika' }, { customer_email: 'erika@example.org' }]) {
      expect((await organization.connector({ body: { payload: { items, ...customer } } })).status).toBe(200);
    }
  });

  it('needs lines, unless it is a prescription only', async () => {
    const customer_name = 'Erika';
    await refusal({ customer_name });
    await refusal({ customer_name, items: [] });
    await refusal(undefined);
    const prescription_pdf_base64 = makePdf().toString('base64');
    for (const prescription of [
      { prescription_pdf_base64 },
      {
        prescription_pdf_base64: `DATA:;name=a.pdf;Base64,${prescription_pdf_base64.replace(/.{76}/g, '$&\r\n')}`,
      },
      { prescription_pdf_url: 'https://rezepte.example.org/1.pdf' },
      // As the banner of `npm start` says.
      { prescription_pdf_url: 'http://127.0.0.1:9/1.pdf' },
    ]) {
      const answer = await organization.connector({ body: { payload: { customer_name, ...prescription } } });
      expect(answer.status).toBe(200);
    }
  });

  it.each<[string, object]>([
    ['a line without name, p1_id and product_id', { quantity: 1, price: 1 }],
    ['a quantity of 0', { name: 'a', quantity: 0, price: 1 }],
    ['half a piece', { name: 'a', quantity: 0.5, price: 1 }],
    ['more than a million pieces', { name: 'a', quantity: 1_000_001, price: 1 }],
    ['a quantity in a string', { name: 'a', quantity: '1', price: 1 }],
    ['no quantity', { name: 'a', price: 1 }],
    ['no price', { name: 'a', quantity: 1 }],
    ['a negative price', { name: 'a', quantity: 1, price: -1 }],
    ['a price of three decimals', { name: 'a', quantity: 1, price: 1.001 }],
    ['a price in a string', { name: 'a', quantity: 1, price: '1.00' }],
  ])('with %s is refused, and the line is named', async (_, line) => {
    const { details } = await refusal({
      customer_name: 'Erika',
      items: [{ name: 'ok', quantity: 1, price: 1 }, line],
    });
    expect(details?.[0]?.field).toMatch(/^payload\.items\[1\]/);
  });

  it('with qty gets a message that names quantity', async () => {
    const { message, details } = await refusal({
      customer_name: 'E',
      items: [{ name: 'a', qty: 1, price: 1 }],
    });
    expect(`${message ?? ''} ${JSON.stringify(details)}`).toMatch(/qty.*use quantity/);
  });

  it('names every problem at once, and unknown fields of the envelope', async () => {
    const { details } = await refusal(
      { customer_email: 'x', cash_on_pickup: 'yes', total_amount: -1 },
      { colour: 1 },
    );
    const fields = details?.map(({ field }) => field) ?? [];
    expect(fields).toEqual(expect.arrayContaining(['colour']));
    const inPayload = await refusal({ customer_email: 'x', cash_on_pickup: 'yes', total_amount: -1 });
    expect(inPayload.details?.map(({ field }) => field).sort()).toEqual(
      ['payload.cash_on_pickup', 'payload.customer_email', 'payload.total_amount'].sort(),
    );
  });

  it.each<[string, object]>([
    ['bad base64', { prescription_pdf_base64: 'JVBE%%%' }],
    ['a document that is no PDF', { prescription_pdf_base64: Buffer.from('<html>').toString('base64') }],
    [
      'a data URL of another kind',
      { prescription_pdf_base64: `data:image/png;base64,${makePdf().toString('base64')}` },
    ],
    ['an http URL', { prescription_pdf_url: 'http://rezepte.example.org/1.pdf' }],
    ['a URL with credentials', { prescription_pdf_url: 'https://me:secret@rezepte.example.org/1.pdf' }],
    ['an unknown shipping option', { shipping_option: 'Brieftaube' }],
    ['a payment status that only an order has', { payment_status: 'refunded' }],
  ])('with %s is refused, and the field is named', async (_, part) => {
    const { details } = await refusal(orderRequest({ ...part }).payload);
    expect(details?.[0]?.field).toBe(`payload.${Object.keys(part)[0] ?? ''}`);
  });

  it('is stored whole, further keys included', async () => {
    const nested = { '': 'kept', list: [1, null, {}], 'with space': true };
    const further = { 'Questionnaire Indication': 'x', nested, __typename: 1, $ref: null };
    const line = { name: 'Salbe', quantity: 1, price: 1, batch: { number: 7 } };
    const id = await organization.submit(orderRequest({ ...further, items: [line] }));
    const detail = json<{ payload: object }>(await organization.api('GET', `/order-requests/${id}`));
    expect(detail.payload).toEqual({ customer_name: 'Erika Mustermann', ...further, items: [line] });
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

  it('is read page by page; what it does not know is a 400', async () => {
    await attached();
    // A fresh key: ten requests at once is all that one may send.
    const key = await knownKey((await platform.apiKey(organization.orgId, { kind: 'int' })).text);
    const whole = await idsIn({ key });
    const first = json<PartnerProductsResponse>(await list({ key, tail: '?limit=1' }));
    const cursor = first.pagination.next_cursor ?? '';
    const rest = await idsIn({ key, tail: `?limit=200&cursor=${cursor}` });
    expect([...first.data.map(({ p1_id }) => p1_id), ...rest]).toEqual(whole);
    for (const tail of [
      `?cursor=${cursor}&updated_since=2026-01-01T00:00:00Z`,
      '?limit=201',
      '?updated_since=soon',
      '?sort=updated_at',
    ])
      expect([tail, codeOf(await list({ key, tail }))]).toEqual([tail, '400 invalid_request']);
    const elsewhere = await list({ key, shop: organization.shops[1], tail: `?cursor=${cursor}` });
    expect(codeOf(elsewhere)).toBe('400 invalid_request');
  });
});
