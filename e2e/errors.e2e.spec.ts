import type { ErrorBody } from '@offizin/contracts/errors';
import type { TestOrganization } from '@offizin/testkit/organization';
import { TestPlatform } from '@offizin/testkit/platform';
import { rawHttp, type RawAnswer } from '@offizin/testkit/raw-http';

/** Whatever is sent, and whichever layer refuses it, the answer has the contract's shape and never says 5xx. */
let platform: TestPlatform;
let organization: TestOrganization;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
});
afterAll(() => platform.close());

type Edge = 'gateway' | 'connector';

async function send(edge: Edge, line: string, headers: string[] = [], body = ''): Promise<RawAnswer> {
  const own =
    edge === 'gateway'
      ? ['Host: localhost', `Authorization: Bearer ${organization.token}`]
      : [`Host: ${organization.shops[0].domain}`, `apikey: ${organization.integrationKey.text}`];
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const url = edge === 'gateway' ? organization.urls.baseUrl : organization.urls.connectorUrl;
  const target = line.replace('{orgs}', `/api/v2/public/orgs/${organization.orgId}`);
  const head = [`${target} HTTP/1.1`, ...own, ...headers, ...length];
  return rawHttp(url, { head, body: body === '' ? [] : [Buffer.from(body)] });
}

function headerOf({ head }: RawAnswer, name: string): string | undefined {
  return new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim();
}

/** Status and code, after a check of the shape of errors. */
function codeOf(answer: RawAnswer): string {
  expect(headerOf(answer, 'content-type')).toMatch(/^application\/json/);
  expect(headerOf(answer, 'x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  const body = JSON.parse(answer.body) as ErrorBody;
  expect(body).toMatchObject({
    error: expect.stringMatching(/^[a-z_]+$/),
    message: expect.stringMatching(/\w.*\.$|\w/),
  });
  for (const key of Object.keys(body)) expect(['error', 'message', 'details']).toContain(key);
  expect(answer.body).not.toMatch(
    /\bat .*\.[jt]s:\d+|SELECT |INSERT |127\.0\.0\.1|Cannot (GET|POST)|node_modules/,
  );
  return `${answer.status} ${body.error}`;
}

it.each<[Edge, string, string]>([
  ['gateway', 'GET /nothing', '404 not_found'],
  ['gateway', 'GET /api/v2/public/orgs', '404 not_found'],
  ['gateway', 'GET {orgs}/nothing', '404 not_found'],
  ['gateway', 'GET {orgs}/orders/a/b/c', '404 not_found'],
  ['gateway', 'GET /api/v1/external-order', '404 not_found'],
  ['gateway', 'POST /../../etc/passwd', '404 not_found'],
  ['gateway', 'GET {orgs}/orders/', '404 not_found'],
  ['connector', 'GET /', '404 not_found'],
  ['connector', 'POST /api/v1/external-orders', '404 not_found'],
  ['connector', 'GET {orgs}/orders', '404 not_found'],
  ['connector', 'POST /auth/token', '404 not_found'],
])('%s: the unknown path %s', async (edge, line, code) => {
  expect(codeOf(await send(edge, line))).toBe(code);
});

it.each<[Edge, string, string[]]>([
  ['gateway', 'DELETE {orgs}/orders', ['GET', 'HEAD', 'POST']],
  ['gateway', 'PATCH {orgs}/orders/x', ['GET', 'HEAD', 'PUT']],
  ['gateway', 'GET {orgs}/orders/x/status', ['PATCH']],
  ['gateway', 'GET /auth/token', ['POST']],
  ['gateway', 'POST /.well-known/jwks.json', ['GET', 'HEAD']],
  ['gateway', 'PUT {orgs}/order-requests/x/prescription.pdf', ['GET', 'HEAD']],
  ['gateway', 'OPTIONS {orgs}/orders', ['GET', 'HEAD', 'POST']],
  ['connector', 'DELETE /api/v1/external-order', ['GET', 'HEAD', 'POST']],
  ['connector', 'PUT /api/v1/external-order', ['GET', 'HEAD', 'POST']],
  ['connector', 'POST /api/v1/external-order/x', ['GET', 'HEAD']],
])('%s: %s is a method that the path lacks', async (edge, line, allowed) => {
  const answer = await send(edge, line);
  expect(codeOf(answer)).toBe('405 method_not_allowed');
  expect(headerOf(answer, 'allow')?.split(', ').sort()).toEqual(allowed);
});

it.each<[Edge, string]>([
  ['gateway', 'GET {orgs}/orders/%'],
  ['gateway', 'GET {orgs}/orders/%zz'],
  ['gateway', 'GET {orgs}/orders/%ff%fe'],
  ['gateway', 'GET /%c0%ae%c0%ae/x'],
  ['connector', 'GET /api/v1/external-order/%'],
  ['connector', 'GET /api/v1/external-order/%ff'],
])('%s: %s is malformed', async (edge, line) => {
  expect(codeOf(await send(edge, line))).toMatch(/^(400 invalid_request|404 not_found)$/);
});

it.each([
  'x',
  '%00',
  "'%20OR%201=1--",
  '*',
  '%3E',
  'rpc.order-core.orders.list',
  '..%2f..%2forders',
  '%F0%9F%92%8A',
  'x'.repeat(255),
  'x'.repeat(256),
  'x'.repeat(4000),
  '00000000-0000-0000-0000-000000000000',
  '{}',
  '%0d%0aX-Injected:%201',
])('the id %s is one that nobody has', async (id) => {
  const lines: [Edge, string][] = [
    ['gateway', `GET {orgs}/orders/${id}`],
    ['gateway', `GET {orgs}/order-requests/${id}`],
    ['gateway', `GET {orgs}/order-requests/${id}/prescription.pdf`],
    ['gateway', `GET {orgs}/products/${id}`],
    ['gateway', `GET {orgs}/webhooks/${id}`],
    ['gateway', `GET {orgs}/webhook-deliveries/${id}`],
    ['gateway', `DELETE {orgs}/api-keys/${id}`],
    ['gateway', `GET {orgs}/inventory/${id}/log`],
    ['connector', `GET /api/v1/external-order/${id}`],
  ];
  for (const [edge, line] of lines) {
    const answer = await send(edge, line);
    expect(`${line}: ${codeOf(answer)}`).toMatch(/: (404 not_found|400 invalid_request)$/);
    expect(answer.head).not.toMatch(/^X-Injected/im);
  }
});

it.each([
  '?status=%00',
  '?shop_id=%00',
  '?limit=1e3',
  '?limit=0x10',
  '?offset=9e9',
  '?limit[]=1',
  '?status=%ff',
])('the query %s is refused', async (query) => {
  for (const list of ['orders', 'order-requests']) {
    expect(codeOf(await send('gateway', `GET {orgs}/${list}${query}`))).toMatch(
      /^(400 invalid_request|404 not_found)$/,
    );
  }
});

it('a request id of the caller is returned, a malformed one is replaced', async () => {
  for (const edge of ['gateway', 'connector'] as const) {
    for (const line of [
      'GET /nothing',
      'GET {orgs}/orders',
      'GET /api/v1/external-order/x',
      'POST /auth/token',
      'GET /%',
    ]) {
      const kept = await send(edge, line, ['X-Request-Id: Caller.1_a-b']);
      expect(`${line}: ${headerOf(kept, 'x-request-id') ?? ''}`).toBe(`${line}: Caller.1_a-b`);
      for (const malformed of ['a b', 'ä', 'x'.repeat(129), '<script>', '']) {
        const made = headerOf(await send(edge, line, [`X-Request-Id: ${malformed}`]), 'x-request-id');
        expect(made).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
        expect(made).not.toBe(malformed);
      }
    }
  }
});

it('an answer of the organization API names its request, also a success', async () => {
  const answer = await send('gateway', 'GET {orgs}/orders', ['X-Request-Id: mine']);
  expect(answer.status).toBe(200);
  expect(headerOf(answer, 'x-request-id')).toBe('mine');
});

it('headers that are too large, and requests that are no HTTP, are refused without a 5xx', async () => {
  for (const edge of ['gateway', 'connector'] as const) {
    const large = await send(edge, 'GET /nothing', [`X-Filler: ${'x'.repeat(64 * 1024)}`]);
    expect(codeOf(large)).toBe('413 payload_too_large');
    const nonsense = await send(edge, 'NONSENSE /');
    expect(codeOf(nonsense)).toBe('400 invalid_request');
  }
});

it('a body where none belongs is ignored by a read, and refused before a change when it is no JSON', async () => {
  const withBody = await send(
    'gateway',
    'GET {orgs}/orders',
    ['Content-Type: application/json'],
    '{"limit": 1}',
  );
  expect(withBody.status).toBe(200);
  const wrongKind = await send('gateway', 'DELETE {orgs}/webhooks/x', ['Content-Type: text/plain'], 'x');
  expect(codeOf(wrongKind)).toBe('415 unsupported_media_type');
});

it('an empty body is read as an object without fields: the answer names what is missing', async () => {
  const answer = await send('gateway', 'POST {orgs}/orders', [
    'Content-Type: application/json',
    'Content-Length: 0',
  ]);
  expect(codeOf(answer)).toBe('400 invalid_request');
  const fields = (JSON.parse(answer.body) as ErrorBody).details?.map(({ field }) => field);
  expect(fields).toEqual(expect.arrayContaining(['shop_id', 'external_id']));
});
