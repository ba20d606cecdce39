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
