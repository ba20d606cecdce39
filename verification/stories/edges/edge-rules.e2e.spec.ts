import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { EDGES, headerLines, targetAt } from '@offizin/testkit/edge-target';
import { codeOf, http, type HttpAnswer, type HttpOptions, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';
import { rawHttp } from '@offizin/testkit/raw-http';

/** The rules that both edges apply to every request, whichever operation it asks for. */
const platform = usePlatform();
let organization: TestOrganization;

beforeAll(async () => {
  organization = await platform.organization();
});

/** A call of the organization API, without a look at the published description: some of these are not in it. */
function api(method: string, path: string, options: HttpOptions = {}): Promise<HttpAnswer> {
  const target = targetAt('gateway', organization, path);
  const headers = { ...target.headers, ...options.headers };
  return http(`${target.url}${target.path}`, { ...options, method, headers });
}

function connector(method: string, path: string, options: HttpOptions = {}): Promise<HttpAnswer> {
  const { url, headers } = targetAt('connector-edge', organization);
  return http(`${url}${path}`, { ...options, method, headers: { ...headers, ...options.headers } });
}

const EXTERNAL_ORDER = '/api/v1/external-order';

function messageOf(answer: HttpAnswer): string {
  return json<ErrorBody>(answer).message ?? '';
}

async function createWebhook(): Promise<string> {
  const url = `https://hooks.example.org/${uniqueTag()}`;
  const answer = await organization.api('POST', '/webhooks', { url });
  expect(answer.status).toBe(201);
  return json<{ id: string }>(answer).id;
}

it.each(['http://a.example', 'https://u:p@a.example:8443'])(
  'a target with %s is the same as its path',
  async (authority) => {
    const body = JSON.stringify(orderRequest());
    const { url, path, headers } = targetAt('connector-edge', organization);
    const answer = await rawHttp(url, {
      head: [
        `POST ${authority}${path} HTTP/1.1`,
        ...headerLines({ ...headers, 'content-type': 'application/json' }),
        `content-length: ${Buffer.byteLength(body)}`,
      ],
      body: [Buffer.from(body)],
    });
    expect(answer.status).toBe(200);
  },
);

it.each(EDGES)('an answer of order-core brings no limit of the connection behind the %s', async (edge) => {
  const { url, path, headers } = targetAt(edge, organization, '/order-requests/none/prescription.pdf');
  const asked = edge === 'gateway' ? path : `${path}?external_reference=none`;
  const answer = await rawHttp(url, { head: [`GET ${asked} HTTP/1.0`, ...headerLines(headers)] });
  expect(answer.status).toBe(404);
  expect(answer.head.toLowerCase()).toContain('connection: close');
  expect(answer.head.toLowerCase()).not.toContain('keep-alive');
});

it('no cache stores what the doors answer, refusals and CSV included', async () => {
  const { baseUrl } = organization.urls;
  const answers = [
    await api('GET', '/orders'),
    await api('GET', '/orders', { headers: { accept: 'text/csv' } }),
    await connector('GET', `${EXTERNAL_ORDER}/none`),
    await http(`${baseUrl}/auth/token`, { method: 'POST', body: {} }),
  ];
  expect(answers.map(({ headers }) => headers['cache-control'])).toEqual(answers.map(() => 'no-store'));
});

describe('Accept', () => {
  it.each(['text/html', 'application/xml', 'application/json;q=0', 'text/*', 'nonsense'])(
    '%s excludes JSON: 406 on every operation, and nothing is done',
    async (accept) => {
      const headers = { accept };
      const reference = `ref-${uniqueTag()}`;
      const order = { shop_id: organization.shops[0].shopId, external_id: reference };
      const answers = [
        await api('GET', '/shops', { headers }),
        await api('GET', '/orders/x', { headers }),
        await api('POST', '/orders', { headers, body: order }),
        await api('DELETE', '/webhooks/x', { headers }),
        await api('POST', '/order-requests', { headers, body: orderRequest() }),
        await connector('GET', `${EXTERNAL_ORDER}/x`, { headers }),
        await connector('POST', EXTERNAL_ORDER, {
          headers,
          body: orderRequest({}, { external_reference: reference }),
        }),
        await http(`${organization.urls.baseUrl}/auth/token`, {
          method: 'POST',
          headers,
          body: { api_key: organization.apiKey.text },
        }),
      ];
      expect(answers.map(codeOf)).toEqual(answers.map(() => '406 not_acceptable'));
      for (const answer of answers) expect(messageOf(answer)).toContain('application/json');
      const list = await organization.api('GET', `/orders?external_id=${reference}`);
      expect(json(list)['data']).toEqual([]);
      const found = await connector('GET', `${EXTERNAL_ORDER}?external_reference=${reference}`);
      expect(found.status).toBe(404);
    },
  );

  it.each([
    '*/*',
    'application/*',
    'application/json',
    'text/html, */*;q=0.1',
    'APPLICATION/JSON; q=0.5',
    '',
  ])('%s takes JSON', async (accept) => {
    expect((await api('GET', '/orders', { headers: { accept } })).status).toBe(200);
    const found = await connector('GET', `${EXTERNAL_ORDER}/x`, { headers: { accept } });
    expect(found.status).toBe(404);
  });

  it('counts the other types that an operation offers', async () => {
    const csv = { headers: { accept: 'text/csv' } };
    expect((await api('GET', '/shops', csv)).status).toBe(406);
    expect((await api('GET', '/orders', csv)).status).toBe(200);
    const report = '/reports/stats?from=2026-01-01&to=2026-02-01';
    expect((await api('GET', report, csv)).status).toBe(200);
    for (const accept of ['application/pdf', 'application/json']) {
      const document = await api('GET', '/order-requests/x/prescription.pdf', { headers: { accept } });
      expect(document.status).toBe(404);
    }
    const page = await api('GET', '/order-requests/x/prescription.pdf', { headers: { accept: 'text/html' } });
    expect(codeOf(page)).toBe('406 not_acceptable');
    expect(messageOf(page)).toContain('application/pdf');
  });
});

describe('the RateLimit headers', () => {
  const NAMES = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];

  function limitsOf({ headers }: HttpAnswer): number[] {
    return NAMES.filter((name) => name in headers).map((name) => Number(headers[name]));
  }

  it('are on a 404 and a 405 of a known key, also as the first answer to its token', async () => {
    const expectLimits = (path: string, answer: HttpAnswer, status: number) =>
      expect([path, answer.status, limitsOf(answer).length]).toEqual([path, status, 3]);
    for (const [method, path, status] of [
      ['GET', '/nothing', 404],
      ['DELETE', '/orders', 405],
      ['GET', '/orders/%ff', 400],
    ] as const) {
      const exchanged = await organization.exchange(organization.apiKey.text);
      const { access_token } = json<{ access_token: string }>(exchanged);
      const headers = { authorization: `Bearer ${access_token}` };
      expectLimits(path, await api(method, path, { headers }), status);
    }
    for (const [method, path, status] of [
      ['GET', '/nothing', 404],
      ['DELETE', EXTERNAL_ORDER, 405],
      ['GET', `${EXTERNAL_ORDER}/%ff`, 400],
    ] as const)
      expectLimits(path, await connector(method, path), status);
  });

  it('are not on answers to a stranger, whose 404 stays a 404', async () => {
    for (const authorization of ['', 'Bearer x', `Bearer ${organization.token}x`]) {
      const answer = await api('GET', '/nothing', { headers: { authorization } });
      expect({ status: answer.status, limits: limitsOf(answer) }).toEqual({ status: 404, limits: [] });
    }
    const answer = await connector('GET', '/nothing', { headers: { apikey: 'x' } });
    expect({ status: answer.status, limits: limitsOf(answer) }).toEqual({ status: 404, limits: [] });
  });
});

describe('HEAD', () => {
  /** Headers that differ between two answers by themselves. */
  const CHANGING = ['date', 'x-request-id', 'ratelimit-remaining', 'ratelimit-reset'];

  function comparable({ status, headers }: HttpAnswer): object {
    const kept = Object.entries(headers).filter(([name]) => !CHANGING.includes(name));
    return { status, headers: Object.fromEntries(kept) };
  }

  it('answers as GET does, without the body', async () => {
    const { id } = await organization.createOrder();
    const requestId = await organization.submit(orderRequest());
    const calls = [
      (method: string) => api(method, '/orders'),
      (method: string) => api(method, `/orders/${id}`),
      (method: string) => api(method, '/orders/none'),
      (method: string) => api(method, '/orders?limit=0'),
      (method: string) => api(method, '/orders', { headers: { authorization: '' } }),
      (method: string) => api(method, `/order-requests/${requestId}`),
      (method: string) => api(method, `/order-requests/${requestId}/prescription.pdf`),
      (method: string) => connector(method, `${EXTERNAL_ORDER}/${requestId}`),
      (method: string) => connector(method, `${EXTERNAL_ORDER}/none`),
      (method: string) => http(`${organization.urls.baseUrl}/.well-known/jwks.json`, { method }),
    ];
    for (const call of calls) {
      const [head, get] = [await call('HEAD'), await call('GET')];
      expect(comparable(head)).toEqual(comparable(get));
      expect(head.body).toHaveLength(0);
      expect(Number(get.headers['content-length'])).toBe(get.body.length);
    }
  });

  it('is a 405 where GET is one', async () => {
    const { status, headers } = await api('HEAD', '/orders/x/status');
    expect([status, headers['allow']]).toEqual([405, 'PATCH']);
  });
});

it('an unknown path with a trailing slash is a 404 that names the path without it', async () => {
  const path = `/api/v2/public/orgs/${organization.orgId}/orders`;
  const answer = await api('GET', '/orders/?limit=1');
  expect(codeOf(answer)).toBe('404 not_found');
  expect(messageOf(answer)).toContain(path);
  expect(messageOf(answer)).not.toContain(`${path}/`);
  const atConnector = await connector('POST', `${EXTERNAL_ORDER}/`, { body: orderRequest() });
  expect(codeOf(atConnector)).toBe('404 not_found');
  expect(messageOf(atConnector)).toContain(EXTERNAL_ORDER);
  expect(messageOf(await api('GET', '/nothing/'))).not.toContain('/nothing');
});

describe('a token request with two values for one credential', () => {
  const FORM = 'application/x-www-form-urlencoded';

  async function exchange(headers: string[], body: string, type = FORM): Promise<string> {
    const head = ['POST /auth/token HTTP/1.1', 'Host: localhost', ...headers];
    const length = [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`];
    const sent = body === '' ? ['Content-Length: 0'] : length;
    const answer = await rawHttp(organization.urls.baseUrl, {
      head: [...head, ...sent],
      body: body === '' ? [] : [Buffer.from(body)],
    });
    return `${answer.status} ${(JSON.parse(answer.body) as Partial<ErrorBody>).error ?? 'token'}`;
  }

  /** Each with the same right key in both places: which of two is meant is not for the service to guess. */
  const cases: [string, (key: string, id: string) => [string[], string, string?]][] = [
    ['the secret twice', (key) => [[], `${GRANT}&client_secret=${key}&client_secret=${key}`]],
    [
      'the client id twice',
      (key, id) => [[], `${GRANT}&client_id=${id}&client_id=${id}&client_secret=${key}`],
    ],
    ['the scope twice', (key) => [[], `${GRANT}&client_secret=${key}&scope=orders.read&scope=orders.read`]],
    ['the grant type twice', (key) => [[], `${GRANT}&${GRANT}&client_secret=${key}`]],
    ['Basic and form', (key, id) => [[basic(id, key)], `${GRANT}&client_secret=${key}`]],
    ['Basic twice', (key, id) => [[basic(id, key), basic(id, key)], GRANT]],
    ['another client id in Basic', (key, id) => [[basic(id, key)], `${GRANT}&client_id=other`]],
    ['header and form', (key) => [[`X-API-Key: ${key}`], `${GRANT}&client_secret=${key}`]],
    [
      'header and JSON',
      (key) => [[`X-API-Key: ${key}`], JSON.stringify({ api_key: key }), 'application/json'],
    ],
    ['Basic and JSON', (key, id) => [[basic(id, key)], JSON.stringify({ api_key: key }), 'application/json']],
    ['both headers', (key) => [[`X-API-Key: ${key}`, `apikey: ${key}`], '']],
    ['a header twice', (key) => [[`X-API-Key: ${key}`, `X-API-Key: ${key}`], '']],
    ['Basic and header', (key, id) => [[basic(id, key), `apikey: ${key}`], '']],
  ];
  const GRANT = 'grant_type=client_credentials';

  function basic(id: string, key: string): string {
    return `Authorization: Basic ${Buffer.from(`${id}:${key}`).toString('base64')}`;
  }

  it.each(cases)('(%s) is a 400', async (_, made) => {
    const { text, id } = organization.apiKey;
    expect(await exchange(...made(text, id))).toBe('400 invalid_request');
  });

  it('is told from one with one value in the place of its choice', async () => {
    const { text, id } = organization.apiKey;
    expect(await exchange([basic(id, text)], `${GRANT}&client_id=${id}`)).toBe('200 token');
    expect(await exchange([], `${GRANT}&client_id=${id}&client_secret=${text}`)).toBe('200 token');
    expect(await exchange([`apikey: ${text}`], '')).toBe('200 token');
    expect(await exchange([`apikey: ${text}`], '{"scope": "orders.read"}', 'application/json')).toBe(
      '200 token',
    );
  });
});

it('a raw API key as bearer token is a 401 that states where to exchange it', async () => {
  for (const { text } of [organization.apiKey, organization.integrationKey]) {
    const answer = await api('GET', '/orders', { headers: { authorization: `Bearer ${text}` } });
    expect(codeOf(answer)).toBe('401 unauthorized');
    expect(answer.headers['www-authenticate']).toMatch(
      /^Bearer error="invalid_token", error_description="[^"]+"$/,
    );
    expect(messageOf(answer)).toContain('/auth/token');
    expect(messageOf(answer)).toMatch(/^This is an API key/);
  }
  const other = await api('GET', '/orders', { headers: { authorization: 'Bearer x' } });
  expect(messageOf(other)).toMatch(/^The access token is wrong/);
});

describe('percent-encoding that is not UTF-8', () => {
  it.each(['%ff', 'M%FCller', '%c0%ae', '%ed%a0%80', 'a%f0%9f%92'])(
    'is a 400 in a query: %s',
    async (value) => {
      for (const answer of [
        await api('GET', `/orders?q=${value}`),
        await api('GET', `/orders?limit=1&status=${value}`),
        await api('GET', `/orders?${value}=1`),
        await api('GET', `/products?shop_id=${value}`),
        await api('GET', `/order-requests?q=${value}`),
        await connector('GET', `${EXTERNAL_ORDER}?external_reference=${value}`),
        await connector(
          'GET',
          `${EXTERNAL_ORDER}?external_reference=${value}&apikey=${organization.integrationKey.text}`,
        ),
      ]) {
        expect(codeOf(answer)).toBe('400 invalid_request');
        expect(messageOf(answer)).toContain('UTF-8');
      }
    },
  );

  it('is a 400 in a path, also in an unknown one', async () => {
    for (const answer of [
      await api('GET', '/orders/%ff'),
      await api('GET', '/orders/%'),
      await api('GET', '/orders/%zz'),
      await api('GET', '/%ff'),
      await api('GET', '/orders/x/%c0%ae/y'),
      await connector('GET', `${EXTERNAL_ORDER}/%ff`),
      await connector('GET', `${EXTERNAL_ORDER}/%`),
      await connector('GET', '/%ff'),
    ])
      expect(codeOf(answer)).toBe('400 invalid_request');
  });

  it('is told from a replacement character that was meant, and from umlauts', async () => {
    for (const value of ['%EF%BF%BD', 'M%C3%BCller', '%F0%9F%92%8A', 'a+b', '100%25'])
      expect((await api('GET', `/orders?q=${value}`)).status).toBe(200);
  });
});

describe('a POST without fields', () => {
  const NOT_TAKEN: [string, string][] = [
    ['malformed JSON', '{"a": '],
    ['an unknown field', '{"colour": 1}'],
    ['a list', '[]'],
    ['null', 'null'],
  ];

  it.each(NOT_TAKEN)('refuses %s before anything is done', async (_, body) => {
    const id = await createWebhook();
    const headers = { 'content-type': 'application/json' };
    const signedBefore = json(await organization.api('GET', `/webhooks/${id}`));
    for (const path of [`/webhooks/${id}/rotate-secret`, `/webhooks/${id}/test`]) {
      expect(codeOf(await api('POST', path, { body, headers }))).toBe('400 invalid_request');
    }
    expect(codeOf(await api('DELETE', `/webhooks/${id}`, { body, headers }))).toBe('400 invalid_request');
    expect(json(await organization.api('GET', `/webhooks/${id}`))).toEqual(signedBefore);
    const retried = await api('POST', '/order-requests/x/retry-fetch', { body, headers });
    expect(codeOf(retried)).toBe('400 invalid_request');
  });
});
