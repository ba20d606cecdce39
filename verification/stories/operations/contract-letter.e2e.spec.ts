import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { organizationOperations } from '@offizin/contracts/operations';
import { fieldsOf } from '@offizin/contracts/calls/schema';
import { type Edge, EDGES, headerLines, targetAt } from '@offizin/testkit/edge-target';
import { json } from '@offizin/testkit/http';
import { callOperation } from '@offizin/testkit/operation-call';
import type { Ids } from '@offizin/testkit/organization-things';
import type { TestOrganization } from '@offizin/testkit/organization';
import { thingsOf } from '@offizin/testkit/organization-things';
import { usePlatform } from '@offizin/testkit/platform';
import { type RawAnswer, rawHttp } from '@offizin/testkit/raw-http';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';

const platform = usePlatform();

/** Small rules of the contract, each as a caller meets it. */
describe('the contract to the letter', () => {
  let organization: TestOrganization;
  let receiver: WebhookReceiver;
  let ids: Ids;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    organization = await platform.organization();
    ids = await thingsOf({ platform, organization, receiverUrl: receiver.url });
  }, 30_000);
  afterAll(async () => {
    await receiver.close();
  });

  const paged = organizationOperations.filter(({ query }) => query && fieldsOf(query).has('offset'));

  it.each(paged.map((op) => [op.name, op] as const))('%s takes any offset', async (_, op) => {
    const far = [
      '2000000001',
      '2147483648',
      '4294967296',
      '9007199254740993',
      '9223372036854775808',
      `1${'0'.repeat(30)}`,
    ];
    for (const offset of far) {
      const answer = await callOperation(op, organization, { ids, query: { offset } });
      expect([offset, answer.status]).toEqual([offset, 200]);
      expect(json(answer)).toMatchObject({ data: [], pagination: { offset: Number(offset) } });
    }
  });

  describe('the test of a webhook', () => {
    it('sends the example of the kind that is asked for, to this subscription only', async () => {
      const [first, second] = [await subscribe(), await subscribe()];
      const body = { event_type: 'order_created' };
      const answer = await organization.api('POST', `/webhooks/${first}/test`, body);
      expect(json(answer)).toMatchObject({ webhook_id: first, event_type: 'order_created' });
      const example = (event: { event_type: string; title: string; metadata: object }): boolean =>
        event.event_type === 'order_created' && 'test' in event.metadata && event.title === 'Order created';
      const { headers } = await receiver.waitFor(example);
      expect(headers['x-service-event']).toBe('order_created');
      // Behind the example, so that a second delivery of that would have been made before.
      await organization.api('POST', `/webhooks/${second}/test`);
      await receiver.waitFor(
        ({ metadata }) => metadata['webhook_id'] === second && metadata['test'] === true,
      );
      const { data } = json<{ data: unknown[] }>(
        await organization.api('GET', `/webhooks/${second}/deliveries`),
      );
      expect(data).toHaveLength(1);
      const feed = json<{ data: { event_type: string; metadata: object }[] }>(
        await organization.api('GET', '/events?limit=200&event_type=webhook_test'),
      );
      expect(feed.data.map(({ event_type }) => event_type)).toEqual(['webhook_test']);
    });

    async function subscribe(): Promise<string> {
      const body = { url: receiver.url, event_types: ['webhook_test'] };
      return json<{ id: string }>(await organization.api('POST', '/webhooks', body)).id;
    }
  });
});

/** Every refusal of every layer has the contract's shape and is no 5xx. */
describe('errors', () => {
  let organization: TestOrganization;

  beforeAll(async () => {
    organization = await platform.organization();
  });

  async function send(edge: Edge, line: string, headers: string[] = [], body = ''): Promise<RawAnswer> {
    const { url, headers: own } = targetAt(edge, organization);
    const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
    const target = line.replace('{orgs}', `/api/v2/public/orgs/${organization.orgId}`);
    const head = [`${target} HTTP/1.1`, ...headerLines(own), ...headers, ...length];
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
    ['connector-edge', 'GET /', '404 not_found'],
    ['connector-edge', 'POST /api/v1/external-requests', '404 not_found'],
    ['connector-edge', 'GET {orgs}/orders', '404 not_found'],
    ['connector-edge', 'POST /auth/token', '404 not_found'],
  ])('%s: the unknown path %s', async (edge, line, code) => {
    expect(codeOf(await send(edge, line))).toBe(code);
  });

  it.each<[Edge, string, string[]]>([
    ['gateway', 'DELETE {orgs}/orders', ['GET', 'HEAD', 'POST']],
    ['gateway', 'PATCH {orgs}/orders/x', ['GET', 'HEAD', 'PUT']],
    ['gateway', 'GET {orgs}/orders/x/status', ['PATCH']],
    ['gateway', 'GET /auth/token', ['POST']],
    ['gateway', 'POST /.well-known/jwks.json', ['GET', 'HEAD']],
    ['gateway', 'POST /.well-known/offizin-proof-keys', ['GET', 'HEAD']],
    ['gateway', 'PUT {orgs}/order-requests/x/prescription.pdf', ['GET', 'HEAD']],
    ['gateway', 'OPTIONS {orgs}/orders', ['GET', 'HEAD', 'POST']],
    ['connector-edge', 'DELETE /api/v1/external-order', ['GET', 'HEAD', 'POST']],
    ['connector-edge', 'PUT /api/v1/external-order', ['GET', 'HEAD', 'POST']],
    ['connector-edge', 'POST /api/v1/external-order/x', ['GET', 'HEAD', 'PUT']],
  ])('%s: %s is a method that the path lacks', async (edge, line, allowed) => {
    const answer = await send(edge, line);
    expect(codeOf(answer)).toBe('405 method_not_allowed');
    expect(headerOf(answer, 'allow')?.split(', ').sort()).toEqual(allowed);
  });

  it('a request id of the caller is returned, a malformed one is replaced', async () => {
    for (const edge of EDGES) {
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

  it('a body where none belongs is ignored by a read, and refused before a change when it is not JSON', async () => {
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
});
