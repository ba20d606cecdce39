import { updateProduct } from '@offizin/contracts/products';
import { productsForReview, type ReviewProduct } from '@offizin/contracts/review-products';
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
      ...{ p1_id: p1, in_inventory: true, name: 'Eigene', category: 'Blüten', thc: '21.5', cbd: '0.5' },
      ...{ available: 6, price: 12.34 },
    },
  ]);
});

it('answers the values of the catalog for a product of another inventory, and nothing for an unknown one', async () => {
  const p1 = await other.stocked(10);
  await other.call(updateProduct, { params: { p1Id: p1 }, body: { name: 'Geheim', price: 1 } });
  expect(await ask([p1, 'p1-unknown'])).toEqual([
    {
      ...{ p1_id: p1, in_inventory: false, name: 'Blüte 22/1', category: 'Blüten', thc: null, cbd: null },
      ...{ available: null, price: 9.5 },
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
