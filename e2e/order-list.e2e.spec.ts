import type { ErrorBody } from '@offizin/contracts/errors';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { TestPlatform } from '@offizin/testkit/platform';

/** The list of orders: newest first, paged, filtered, with an exact total, of one organization. */
interface Page {
  data: { id: string; external_id: string; status: string }[];
  pagination: { limit: number; offset: number; total: number };
}

const COUNT = 7;
let platform: TestPlatform;
let organization: TestOrganization;
/** Newest first. */
const ids: string[] = [];

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
  const [one, two] = organization.shops;
  for (let n = 0; n < COUNT; n++) {
    const fields = {
      shop_id: n < 2 ? two.shopId : one.shopId,
      external_id: `list-${n}`,
      customer_name: `Kunde ${n}`,
    };
    const { id } = await organization.createOrder(fields);
    ids.unshift(id);
  }
  for (const id of ids.slice(0, 3))
    await organization.api('PATCH', `/orders/${id}/status`, { status: 'shipped' });
  // Another organization's orders never count.
  await (await platform.organization()).createOrder();
});
afterAll(() => platform.close());

async function page(query: string): Promise<Page> {
  const answer = await organization.api('GET', `/orders${query}`);
  expect(answer.status).toBe(200);
  return json<Page>(answer);
}

it('shows summaries, newest first, 50 at most unless told otherwise', async () => {
  const { data, pagination } = await page('');
  expect(data.map(({ id }) => id)).toEqual(ids);
  expect(pagination).toMatchObject({ limit: 50, offset: 0, total: COUNT });
  expect(data.at(-1)).toEqual({
    id: ids.at(-1),
    external_id: 'list-0',
    status: 'pending',
    shop_id: organization.shops[1].shopId,
    customer_name: 'Kunde 0',
    total_amount: 0,
    payment_status: 'pending',
    created_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
  });
});

it('is paged without gap or overlap', async () => {
  const seen: string[] = [];
  for (let offset = 0; offset < COUNT; offset += 3) {
    const { data, pagination } = await page(`?limit=3&offset=${offset}`);
    expect(pagination).toMatchObject({ limit: 3, offset, total: COUNT });
    seen.push(...data.map(({ id }) => id));
  }
  expect(seen).toEqual(ids);
  expect(await page(`?offset=${COUNT}`)).toMatchObject({ data: [], pagination: { total: COUNT } });
  expect((await page('?limit=200')).data).toHaveLength(COUNT);
});

it('is filtered by status and shop, and the total follows', async () => {
  const [one, two] = organization.shops;
  const totals: [string, number][] = [
    ['?status=shipped', 3],
    ['?status=pending', 4],
    ['?status=completed', 0],
    [`?shop_id=${one.shopId}`, 5],
    [`?shop_id=${two.shopId}`, 2],
    [`?shop_id=${one.shopId}&status=pending&limit=1`, 2],
  ];
  for (const [query, total] of totals) {
    expect({ query, total: (await page(query)).pagination.total }).toEqual({ query, total });
  }
});

it.each([
  '?limit=0',
  '?limit=201',
  '?limit=abc',
  '?limit=1.5',
  '?limit=',
  '?limit=1&limit=2',
  '?offset=-1',
  '?offset=x',
  '?status=lost',
  '?status=',
  '?colour=red',
  '?__proto__=1',
  '?constructor=1',
])('refuses %s and names the parameter', async (query) => {
  const answer = await organization.api('GET', `/orders${query}`);
  const body = json<ErrorBody>(answer);
  expect({ status: answer.status, error: body.error }).toEqual({ status: 400, error: 'invalid_request' });
  expect(`${body.message ?? ''} ${JSON.stringify(body.details)}`).toContain(/\w+/.exec(query)?.[0]);
});

it("of a shop that is not the organization's is a 404", async () => {
  for (const shop of [organization.orgId, 'no-id', "' OR 1=1 --"]) {
    const answer = await organization.api('GET', `/orders?shop_id=${encodeURIComponent(shop)}`);
    expect(answer.status).toBe(404);
  }
});
