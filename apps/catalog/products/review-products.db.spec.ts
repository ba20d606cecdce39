import type { Caller } from '@offizin/contracts/caller';
import { updateProduct } from '@offizin/contracts/products';
import {
  findProducts,
  findReviewProducts,
  productsForReview,
  type ReviewProduct,
} from '@offizin/contracts/review-products';
import { scopesOfRole } from '@offizin/contracts/roles';
import { newId } from '@offizin/pg/ids';
import { testDatabase } from '@offizin/testkit/database';
import { catalogSchema } from '../db/catalog-schema';
import { CatalogFixture } from '../spec-fixture';

let shop: CatalogFixture;
let other: CatalogFixture;
let close: () => Promise<void>;

beforeAll(async () => {
  const opened = await testDatabase(catalogSchema);
  close = opened.close;
  shop = new CatalogFixture(opened.database);
  other = new CatalogFixture(opened.database);
});
afterAll(() => close());

async function ask(p1Ids: string[], orgId = shop.orgId): Promise<ReviewProduct[]> {
  const { status, body } = await shop.call(productsForReview, { body: { org_id: orgId, p1_ids: p1Ids } });
  expect(status).toBe(200);
  return body.products;
}

it("answers the organization's values, and what no order holds", async () => {
  const p1 = await shop.stocked(10, { thc: 22, cbd: 0.5 });
  await shop.reserve(newId(), 0, { [p1]: 4 });
  await shop.call(updateProduct, { params: { p1Id: p1 }, body: { name: 'Eigene', price: 12.34, thc: 21.5 } });
  expect(await ask([p1])).toEqual([
    {
      p1_id: p1,
      in_inventory: true,
      name: 'Eigene',
      category: 'Blüten',
      thc: '21.5',
      cbd: '0.5',
      available: 6,
      price: 12.34,
    },
  ]);
});

it('answers the values of the catalog for a product of another inventory, and nothing for an unknown one', async () => {
  const p1 = await other.stocked(10);
  await other.call(updateProduct, { params: { p1Id: p1 }, body: { name: 'Geheim', price: 1 } });
  expect(await ask([p1, 'p1-unknown'])).toEqual([
    {
      p1_id: p1,
      in_inventory: false,
      name: 'Blüte 22/1',
      category: 'Blüten',
      thc: null,
      cbd: null,
      available: null,
      price: 9.5,
    },
  ]);
  expect(await ask([p1], newId())).toMatchObject([{ in_inventory: false }]);
});

it('takes 500 ids, and refuses more and a malformed organization', async () => {
  const ids = Array.from({ length: 500 }, (_, place) => `p1-${place}`);
  expect(await ask(ids)).toEqual([]);
  for (const body of [
    { org_id: shop.orgId, p1_ids: [...ids, 'one-more'] },
    { org_id: 'none', p1_ids: [] },
    { p1_ids: [] },
  ]) {
    expect((await shop.call(productsForReview, { body })).status).toBe(400);
  }
});

describe('finds products for a line', () => {
  const find = async (query: string, { orgId } = shop): Promise<ReviewProduct[]> => {
    const caller: Caller = { ...shop.key(orgId), kind: 'staff', scopes: scopesOfRole('pharmacist') };
    const { status, body } = await shop.call(findReviewProducts, { query, caller });
    expect(status).toBe(200);
    return body.data;
  };

  it('by a part of the name or the id, of the own inventory only, with what no order holds', async () => {
    const p1 = await shop.stocked(7);
    await shop.call(updateProduct, { params: { p1Id: p1 }, body: { name: 'Öl 100 % Ärztlich', price: 3 } });
    await shop.reserve(newId(), 0, { [p1]: 2 });
    const found = [expect.objectContaining({ p1_id: p1, in_inventory: true, available: 5, price: 3 })];
    for (const q of ['öl 100 %', 'ÄRZTLICH', p1.toUpperCase()])
      expect(await find(`q=${encodeURIComponent(q)}`)).toEqual(found);
    for (const q of ['öl 100 _', 'Öl\\', 'unknown'])
      expect(await find(`q=${encodeURIComponent(q)}`)).toEqual([]);
    expect(await find('q=%C3%84rztlich', other)).toEqual([]);
  });

  it('at most 20, by name', async () => {
    for (let at = 0; at < 21; at += 1) await shop.stocked(1);
    const names = (await find('')).map(({ name }) => name);
    expect(names).toHaveLength(20);
    expect(names).toEqual([...names].sort());
  });
});

it('finds the first five of one inventory for a search over all', async () => {
  const searcher = new CatalogFixture(shop.database);
  const words = newId();
  const ids: string[] = [];
  for (let place = 0; place < 6; place++) {
    const p1Id = await searcher.stocked(1);
    ids.push(p1Id);
    await searcher.call(updateProduct, { params: { p1Id }, body: { name: `${words} ${place}` } });
  }
  const find = (orgId: string, q: string) =>
    searcher.call(findProducts, { body: { org_id: orgId, q } }).then(({ body }) => body.products);
  expect((await find(searcher.orgId, words.toUpperCase())).map(({ p1_id }) => p1_id)).toEqual(
    ids.slice(0, 5),
  );
  expect([await find(other.orgId, words), await find(searcher.orgId, '%')]).toEqual([[], []]);
});
