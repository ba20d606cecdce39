import fc from 'fast-check';
import { expectDescribed } from '@offizin/testkit/described-answers';
import { generatedRequests } from '@offizin/testkit/generated-request';
import { http, json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { TestPlatform } from '@offizin/testkit/platform';

/**
 * Requests made from the OpenAPI description, hostile values among them: none may end in a 5xx, and every answer must be
 * as described. OFFIZIN_GENERATED_REQUESTS sets how many; a failure prints the seed that makes the same ones again.
 */
const COUNT = Number(process.env['OFFIZIN_GENERATED_REQUESTS'] ?? 1500);
const IN_FLIGHT = 16;

let platform: TestPlatform;
let organization: TestOrganization;
let ids: string[];

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
  const products = await platform.catalogProducts(3);
  for (const p1_id of products)
    await organization.api('POST', '/products/add-to-inventory', { p1_id, initial_stock: 50 });
  const [shop, other] = organization.shops;
  const items = [{ p1_id: products[0], qty: 1, price: 2.5 }];
  const order = await organization.api('POST', '/orders', {
    shop_id: shop.shopId,
    external_id: 'seed',
    items,
  });
  const request = await organization.submit({
    payload: { customer_name: 'A', items: [{ name: 'x', quantity: 1, price: 1 }] },
  });
  ids = [shop.shopId, other.shopId, json<{ id: string }>(order).id, request, ...products];
});
afterAll(() => platform.close());

it(
  `answers ${COUNT} generated requests as described, none with a 5xx`,
  async () => {
    const seed = Number(process.env['OFFIZIN_SEED'] ?? Date.now() % 2 ** 31);
    const requests = fc.sample(generatedRequests(organization.orgId, ids), { seed, numRuns: COUNT });
    const headers = { authorization: `Bearer ${organization.token}`, 'content-type': 'application/json' };
    const failures: string[] = [];
    const statuses = new Map<number, number>();
    const queue = requests.values();
    const walk = async (): Promise<void> => {
      for (const { method, path, body } of queue) {
        const url = `${organization.urls.baseUrl}${path}`;
        const answer = await http(url, { method, body, headers });
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        const request = `${method} ${path} ${body ?? ''}`.slice(0, 600);
        if (answer.status >= 500) failures.push(`${answer.status}: ${request}`);
        try {
          expectDescribed(method, url, answer);
        } catch (error) {
          failures.push(`${error instanceof Error ? error.message : String(error)}: ${request}`);
        }
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, walk));
    expect({ seed, failures: failures.slice(0, 10) }).toEqual({ seed, failures: [] });
    // The walk is worth something only when it gets past the first check.
    expect(statuses.get(200) ?? 0).toBeGreaterThan(COUNT / 20);
  },
  30_000 + COUNT * 60,
);
