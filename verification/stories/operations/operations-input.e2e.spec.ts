import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import type { ErrorBody } from '@offizin/contracts/calls/errors';
import type { Operation } from '@offizin/contracts/calls/operation';
import { connectorOperations, organizationOperations } from '@offizin/contracts/operations';
import { MAX_PAGE_SIZE } from '@offizin/contracts/calls/paging';
import { fillPath } from '@offizin/contracts/calls/path-template';
import { fieldsOf } from '@offizin/contracts/calls/schema';
import { openApiYaml } from '@offizin/openapi/document';
import { exampleOf } from '@offizin/openapi/examples';
import { CREATED_AT, LINE, LOT, ORDER_ID, REFERENCE, SHOP_ID } from '@offizin/openapi/examples/example';
import type { Description } from '@offizin/openapi/samples/described-call';
import { headerLines, targetAt } from '@offizin/testkit/edge-target';
import { testEnvironment } from '@offizin/testkit/environment';
import { eventually } from '@offizin/testkit/eventually';
import { http, type HttpAnswer, json } from '@offizin/testkit/http';
import { callOperation, named, rowOf } from '@offizin/testkit/operation-call';
import { OPERATION_ROWS } from '@offizin/testkit/operation-rows';
import type { Ids } from '@offizin/testkit/organization-things';
import type { TestOrganization } from '@offizin/testkit/organization';
import { type OwnThings, thingsOf } from '@offizin/testkit/organization-things';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';
import { rawHttp } from '@offizin/testkit/raw-http';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/** Input: every operation × a valid call, a bad body, unknown fields and parameters, values over each limit. */
describe('input of operations', () => {
  const all = [...organizationOperations, ...connectorOperations];
  const platform = usePlatform();
  const description: Pick<Description, 'paths'> = parse(openApiYaml());
  let receiver: WebhookReceiver;
  let made: OwnThings;
  let own: TestOrganization;
  let ids: Ids;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    own = await platform.organization();
    made = { platform, organization: own, receiverUrl: receiver.url };
    ids = await thingsOf(made);
  }, 30_000);
  afterAll(() => receiver.close());

  const LOST_DIGITS = ['9007199254740992', '-9007199254740992', '1e400'];

  /** Status, code and the first parts of the fields that the answer names. */
  function refusal(answer: HttpAnswer): { code: string; fields: string[] } {
    const { error, details = [] } = json<ErrorBody>(answer);
    const fields = details.map(({ field }) => field.split(/[.[]/)[0] ?? '');
    return { code: `${answer.status} ${error}`, fields: [...new Set(fields)].sort() };
  }

  it.each(named(all))('%s, well made, succeeds', async (_, op) => {
    const row = rowOf(op);
    const prepared = { ...ids, ...(await row.prepare?.(made)) };
    const answer = await callOperation(op, own, { ids: prepared });
    expect({ status: answer.status, body: answer.body.toString().slice(0, 500) }).toMatchObject({
      status: row.fine,
    });
    expect(op.statuses).toContain(row.fine);
    expect(answer.headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  });

  it('no row is without its operation', () => {
    const names = all.map(({ name }) => name);
    expect(Object.keys(OPERATION_ROWS).filter((name) => !names.includes(name))).toEqual([]);
  });

  const TEST_DOMAIN = 'test.dom.example.com';
  /** The example with the things of this organization in place of the ones that it names. */
  function withOwnThings(example: object, prepared: Ids): string {
    const { shopId = '', p1Id = '', orderId = '', lot = LOT.lot, sent = uniqueTag(), fresh = '' } = prepared;
    const own = {
      [SHOP_ID]: shopId,
      [LINE.p1_id]: p1Id,
      [ORDER_ID]: orderId,
      [LOT.lot]: lot,
      [TEST_DOMAIN]: fresh,
    };
    const things = { ...own, [CREATED_AT]: new Date().toISOString(), [REFERENCE]: sent };
    return Object.entries(things).reduce(
      (text, [shown, real]) => text.replaceAll(shown, real),
      JSON.stringify(example),
    );
  }

  describe.each(named(all.filter(({ body }) => body !== null)))('%s', (_, op) => {
    it('takes the body that the description shows', async () => {
      const { example } = op.body ? exampleOf(op.body) : {};
      if (!example) return;
      const prepared = { ...ids, ...(await rowOf(op).prepare?.(made)) };
      const body = withOwnThings(example, prepared);
      const headers = { 'content-type': 'application/json' };
      const answer = await callOperation(op, own, { ids: prepared, body, headers });
      expect(op.statuses).toContain(answer.status);
      expect(answer.body.toString()).not.toContain('"status":"error"');
    });

    const bodyOf = (): object => rowOf(op).body?.({ ...ids, fresh: 'fresh' }) ?? {};

    it('with wrong fields is a 400 that names all of them', async () => {
      const { wrong = {} } = rowOf(op);
      const answer = await callOperation(op, own, { ids, body: { ...bodyOf(), ...wrong } });
      expect(refusal(answer)).toEqual({ code: '400 invalid_request', fields: Object.keys(wrong).sort() });
    });

    it('with an unknown field is a 400 that names it, unless it keeps them', async () => {
      const answer = await callOperation(op, own, { ids, body: { ...bodyOf(), surprise: 1 } });
      if (op.keepsUnknownKeys) expect(answer.status).toBe(200);
      else expect(refusal(answer)).toEqual({ code: '400 invalid_request', fields: ['surprise'] });
    });

    it('with a number that loses its digits is a 400 that quotes it and says what to send', async () => {
      const headers = { 'content-type': 'application/json' };
      for (const number of LOST_DIGITS) {
        const body = JSON.stringify({ ...bodyOf(), surprise: [0] }).replace('[0]', `[${number}]`);
        const answer = await callOperation(op, own, { ids, body, headers });
        expect(refusal(answer)).toEqual({ code: '400 invalid_request', fields: ['body'] });
        expect(json<ErrorBody>(answer).message).toMatch(
          new RegExp(
            `^The body holds ${number}, a .*: send one from -9007199254740991 to 9007199254740991\\b`,
          ),
        );
      }
    });

    it.each(['{"a":', '"text"', '[]', 'null'])('with the body %s is a 400', async (body) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await callOperation(op, own, { ids, body, headers });
      expect(refusal(answer).code).toBe('400 invalid_request');
    });

    it('with a body over its limit is a 413, before the body is read', async () => {
      const answer = await sendAnnounced(op, op.maxBodyBytes + 1);
      expect([answer.status, JSON.parse(answer.body)]).toMatchObject([413, { error: 'payload_too_large' }]);
    });
  });

  /** Sends the head only: `Content-Length` announces the body. */
  async function sendAnnounced(op: Operation, bytes: number): ReturnType<typeof rawHttp> {
    const { url, headers } = targetAt(op.access === 'connector' ? 'connector-edge' : 'gateway', own);
    const path = fillPath(op.path, (name) => (name === 'orgId' ? own.orgId : ids[name]) ?? '');
    const about = { 'content-type': 'application/json', 'content-length': String(bytes) };
    const head = [`${op.method} ${path} HTTP/1.1`, ...headerLines({ ...headers, ...about })];
    return rawHttp(url, { head });
  }

  it.each(named(all.filter(({ query }) => query !== null)))(
    '%s takes each parameter as the description shows it',
    async (_, op) => {
      const { parameters = [] } = description.paths[op.path]?.[op.method.toLowerCase()] ?? {};
      const things: Ids = { [SHOP_ID]: ids['shopId'] ?? '', [REFERENCE]: ids['reference'] ?? '' };
      const shown = parameters.flatMap((parameter): [string, string][] => {
        // A cursor is of one list.
        if (!('in' in parameter) || parameter.in !== 'query' || /^(?:cursor|after)$/.test(parameter.name))
          return [];
        const value = String(parameter.example);
        return [[parameter.name, things[value] ?? value]];
      });
      for (const [name, value] of shown) {
        // A period ends today unless its end is given, too.
        const query = Object.fromEntries([
          [name, value],
          ...(name === 'from' ? shown.filter(([to]) => to === 'to') : []),
        ]);
        const answer = await callOperation(op, own, { ids, query });
        expect([name, answer.status]).toEqual([name, rowOf(op).fine]);
      }
    },
  );

  it.each(named(all.filter(({ method, body }) => method === 'POST' && body === null)))(
    '%s takes {} in place of no body',
    async (_, op) => {
      const prepared = { ...ids, ...(await rowOf(op).prepare?.(made)) };
      expect((await callOperation(op, own, { ids: prepared, body: {} })).status).toBe(rowOf(op).fine);
    },
  );

  it.each(named(all))('%s with an unknown query parameter is a 400 that names it', async (_, op) => {
    const answer = await callOperation(op, own, { ids, query: { foo: '1' } });
    expect(refusal(answer)).toEqual({ code: '400 invalid_request', fields: ['foo'] });
    const known = op.query
      ? `send any of ${[...fieldsOf(op.query).keys()].join(', ')}`
      : 'this operation takes none';
    expect(json<ErrorBody>(answer).message).toBe(`foo: is not a known query parameter: ${known}`);
  });

  const LIMITS: Record<string, string[]> = {
    limit: ['0', '-1', '1.5', 'ten', '', ...LOST_DIGITS],
    page: ['0', '-1', 'first', ...LOST_DIGITS],
    // Any number of rows may be skipped.
    offset: ['-1', '1e9', 'none', '-9007199254740992', '1e400'],
    version: LOST_DIGITS,
    cursor: ['x', 'x'.repeat(1001)],
  };
  const limited = all.flatMap((op) =>
    [...(op.query ? fieldsOf(op.query).keys() : [])]
      .filter((name) => name in LIMITS)
      .map((name) => [`${op.name} (${op.method} ${op.path})`, name, op] as const),
  );

  it.each(limited)('%s never clamps %s', async (_, name, op) => {
    const most = (op.query && fieldsOf(op.query).get(name)?.schema['maximum']) as number;
    const tooMany = name === 'limit' ? [String(most + 1)] : [];
    for (const value of [...(LIMITS[name] ?? []), ...tooMany]) {
      // The connector's products have a small rate.
      const answer = await eventually('room in the rate', async () => {
        const found = await callOperation(op, own, { ids, query: { [name]: value } });
        return found.status !== 429 && found;
      });
      expect({ value, ...refusal(answer) }).toEqual({ value, code: '400 invalid_request', fields: [name] });
      if (LOST_DIGITS.includes(value))
        expect(json<ErrorBody>(answer).message).toMatch(
          new RegExp(`^${name}: must be (?:an integer|at least \\d+|at most \\d+)$`),
        );
    }
    if (name !== 'limit') return;
    const full = await callOperation(op, own, { ids, query: { limit: String(most) } });
    expect([most <= MAX_PAGE_SIZE, full.status]).toEqual([true, rowOf(op).fine]);
  });
});

/** The published description, without a token. */
describe('the description', () => {
  const { baseUrl } = testEnvironment();

  it.each([
    ['/openapi/external-api.yaml', 'application/yaml; charset=utf-8'],
    ['/openapi/external-api.json', 'application/json; charset=utf-8'],
    ['/docs/openapi/external-api.yaml', 'application/yaml; charset=utf-8'],
    ['/docs/openapi/external-api.json', 'application/json; charset=utf-8'],
    ['/openapi/postman-collection.json', 'application/json; charset=utf-8'],
  ])('serves the description at %s without a token, once per copy', async (path, mediaType) => {
    const url = `${baseUrl}${path}`;
    const answer = await http(url);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, mediaType]);
    expect(answer.headers['cache-control']).toBe('public, max-age=300');
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    const etag = String(answer.headers['etag']);
    const again = await http(url, { headers: { 'if-none-match': `"other", W/${etag}` } });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    const changed = await http(url, { headers: { 'if-none-match': '"other"' } });
    expect(changed.status).toBe(200);
  });

  const PUBLISHED = ['/openapi/external-api.yaml', '/openapi/external-api.json', '/docs/guides.json'];

  it.each(PUBLISHED)('%s is sent in the coding that the caller accepts', async (path) => {
    const read = (headers: Record<string, string>) => http(`${baseUrl}${path}`, { headers });
    const plain = await read({});
    for (const [coding, accepted, decompress] of [
      ['br', 'gzip, deflate, br', brotliDecompressSync],
      ['br', '*', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['gzip', 'BR;q=0, GZIP;q=0.5', gunzipSync],
    ] as const) {
      const answer = await read({ 'accept-encoding': accepted });
      expect([accepted, answer.status, answer.headers['content-encoding']]).toEqual([accepted, 200, coding]);
      expect(answer.headers).toMatchObject({
        'content-type': plain.headers['content-type'],
        vary: 'accept-encoding',
      });
      expect(answer.body.length).toBeLessThan(plain.body.length / 2);
      expect(decompress(answer.body).equals(plain.body)).toBe(true);
      const etag = String(answer.headers['etag']);
      expect(etag).not.toBe(plain.headers['etag']);
      const again = await read({ 'accept-encoding': accepted, 'if-none-match': etag });
      expect([again.status, again.headers['etag'], again.headers['vary']]).toEqual([
        304,
        etag,
        'accept-encoding',
      ]);
    }
    for (const accepted of ['', 'identity', 'gzip;q=0', 'gzip;q=0, br;q=0.0, *;q=0', 'zstd']) {
      const { status, headers } = await read({ 'accept-encoding': accepted });
      expect([accepted, status, headers['content-encoding'], headers['vary']]).toEqual([
        accepted,
        200,
        undefined,
        'accept-encoding',
      ]);
    }
  });

  it('serves the public keys once per copy, too', async () => {
    const url = `${baseUrl}/.well-known/jwks.json`;
    const { status, headers, body } = await http(url);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'application/json; charset=utf-8',
      'public, max-age=300',
    ]);
    expect(JSON.parse(body.toString())).toEqual({ keys: expect.any(Array) });
    const again = await http(url, { headers: { 'if-none-match': String(headers['etag']) } });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  });
});
