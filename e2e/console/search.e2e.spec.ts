import type { SearchResponse } from '@offizin/contracts/search';
import { codeOf } from '@offizin/testkit/error-code';
import { json } from '@offizin/testkit/http';
import type { TestPerson } from '@offizin/testkit/person';
import { TestPlatform } from '@offizin/testkit/platform';
import { newPharmacy, type Pharmacy, submitRight } from './review-screen';

let platform: TestPlatform;
let pharmacy: Pharmacy;
let clerk: TestPerson;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  pharmacy = await newPharmacy(platform);
  clerk = await platform.person(pharmacy.organization.orgId, 'clerk');
});
afterAll(() => platform.close());

async function found(person: TestPerson, q: string): Promise<SearchResponse> {
  return json(await person.org('GET', `/search?q=${encodeURIComponent(q)}`));
}

it('finds requests, orders and products of the own organization, each as far as the role reads it', async () => {
  const { organization, pharmacist } = pharmacy;
  const p1Id = (await platform.catalogProducts(1))[0] ?? '';
  await organization.stock(p1Id, 3);
  const request = await submitRight(organization, 'Anna Anders');
  const order = await organization.createOrder({ customer_name: 'Bert Anders', order_number: 'B-7' });
  const shown = await found(pharmacist, 'anders');
  expect(shown.requests).toMatchObject([{ id: request, customer_name: 'Anna Anders', status: 'pending' }]);
  expect(shown.orders).toMatchObject([{ id: order.id, order_number: 'B-7', status: 'pending' }]);
  expect([shown.products, shown.products_searched]).toEqual([[], true]);
  expect(await found(clerk, 'anders')).toEqual({ ...shown, requests: [] });
  expect((await found(clerk, p1Id.slice(0, -1))).products.map(({ p1_id }) => p1_id)).toEqual([p1Id]);

  const stranger = await platform.person((await platform.organization()).orgId, 'owner');
  const nothing = { requests: [], orders: [], products: [], products_searched: true };
  for (const q of ['anders', 'B-7', p1Id]) expect(await found(stranger, q)).toEqual(nothing);
  const foreign = await stranger.call('GET', `/api/v2/public/orgs/${organization.orgId}/search?q=anders`);
  expect(codeOf(foreign)).toBe('403 forbidden');
});

it('takes white space for nothing, and needs two characters', async () => {
  expect(await found(clerk, '   ')).toMatchObject({ orders: [], products: [] });
  for (const query of ['', '?q=', '?q=a', `?q=${'a'.repeat(101)}`, '?q=%00a'])
    expect(codeOf(await clerk.org('GET', `/search${query}`))).toBe('400 invalid_request');
});
