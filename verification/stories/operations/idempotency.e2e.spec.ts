import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';

/** An integrator repeats what it is not sure of: the same Idempotency-Key takes effect once. */
const platform = usePlatform();
let organization: TestOrganization;
let product: string;

beforeAll(async () => {
  organization = await platform.organization();
  [product = ''] = await platform.catalogProducts(1);
  await organization.stock(product, 100);
});

async function post(path: string, body: object, key: string): Promise<HttpAnswer> {
  return organization.api('POST', path, body, { 'Idempotency-Key': key });
}

function newOrder(): object {
  return { shop_id: organization.shops[0].shopId, external_id: `order-${uniqueTag()}` };
}

function newWebhook(): object {
  return { url: `https://example.org/${uniqueTag()}` };
}

function newKey(): object {
  return { name: 'ERP', kind: 'org', scopes: ['orders.read'] };
}

async function countOf(path: string): Promise<number> {
  return json<{ data: unknown[] }>(await organization.api('GET', path)).data.length;
}

describe('a repeat gets the first answer again', () => {
  it.each<[string, string, () => object, number]>([
    ['order-core, over the bus', '/orders', newOrder, 201],
    [
      'order-core, over the proxy',
      '/order-requests',
      () => orderRequest({ shop_id: organization.shops[0].shopId }),
      200,
    ],
    ['the catalog', '/inventory/adjust', () => ({ p1_id: product, delta: 1, reason: 'received' }), 200],
    ['the webhook worker', '/webhooks', newWebhook, 201],
  ])('from %s', async (_, path, makeBody, status) => {
    const key = uniqueTag();
    const body = makeBody();
    const first = await post(path, body, key);
    expect({ status: first.status, replayed: first.headers['idempotent-replayed'] }).toEqual({ status });
    const again = await post(path, body, key);
    expect(again).toMatchObject({
      status,
      headers: { 'idempotent-replayed': 'true', 'content-type': first.headers['content-type'] },
    });
    expect(json(again)).toEqual({ ...json(first), ...('secret' in json(first) && { secret: null }) });
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
  });

  it('without the secrets that are shown once, and nothing is made twice', async () => {
    const before = await countOf('/api-keys');
    const { id: keyId } = json<{ id: string }>(await organization.api('POST', '/api-keys', newKey()));
    const { id: webhookId } = json<{ id: string }>(await organization.api('POST', '/webhooks', newWebhook()));
    for (const [path, body, field] of [
      ['/api-keys', newKey(), 'api_key'],
      [`/api-keys/${keyId}/rotate`, {}, 'api_key'],
      ['/webhooks', newWebhook(), 'secret'],
      [`/webhooks/${webhookId}/rotate-secret`, {}, 'secret'],
    ] as const) {
      const key = uniqueTag();
      const [first, again] = [await post(path, body, key), await post(path, body, key)];
      expect([path, json(first)]).toEqual([path, expect.objectContaining({ [field]: expect.any(String) })]);
      expect(json(again)).toEqual({ ...json(first), [field]: null });
      expect(again.headers['idempotent-replayed']).toBe('true');
    }
    expect(await countOf('/api-keys')).toBe(before + 3);
  });
});

describe('a key that cannot be stored is a 400', () => {
  it.each([
    ['empty', ''],
    ['longer than 255 characters', 'k'.repeat(256)],
    ['with other than printable characters', 'schlüssel'],
  ])('%s', async (_, key) => {
    for (const [path, body] of [
      ['/orders', newOrder()],
      ['/order-requests', orderRequest()],
    ] as const) {
      const answer = await post(path, body, key);
      expect(codeOf(answer)).toBe('400 invalid_request');
      expect(json<ErrorBody>(answer).details).toEqual([
        { field: 'Idempotency-Key', message: expect.any(String) },
      ]);
    }
  });

  it('while one of 255 printable characters is taken', async () => {
    const key = `~ !"${uniqueTag()}`.padEnd(255, 'k');
    const body = newOrder();
    await post('/orders', body, key);
    expect((await post('/orders', body, key)).headers['idempotent-replayed']).toBe('true');
  });
});
