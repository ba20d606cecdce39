import { getProduct, listShops, updateProduct } from '@offizin/contracts/products';
import { testDatabase } from '@offizin/testkit/database';
import { race } from '@offizin/testkit/race';
import { catalogSchema } from '../db/catalog-schema';
import { CatalogFixture } from '../spec-fixture';

let shop: CatalogFixture;
let close: () => Promise<void>;

beforeAll(async () => {
  const opened = await testDatabase(catalogSchema);
  close = opened.close;
  shop = new CatalogFixture(opened.database);
});
afterAll(() => close());

const update = (p1Id: string, body: unknown) => shop.call(updateProduct, { params: { p1Id }, body });

it('changes the given fields; null restores the value of the catalog', async () => {
  const p1 = await shop.stocked(1, { thc: 18.25, description: 'catalog', slug: 'catalog-slug' });
  const given = {
    name: 'Own',
    slug: 'own-slug',
    description: '',
    category: 'Own category',
    price: 1.99,
    thc: 0.1,
    cbd: 100,
    available: false,
  };
  expect((await update(p1, given)).body).toMatchObject(given);
  expect((await shop.call(getProduct, { params: { p1Id: p1 } })).body).toMatchObject(given);
  const cleared = await update(p1, Object.fromEntries(Object.keys(given).map((key) => [key, null])));
  expect(cleared.body).toMatchObject({
    name: 'Blüte 22/1',
    slug: 'catalog-slug',
    description: 'catalog',
    category: 'Blüten',
    price: 9.5,
    thc: 18.25,
    cbd: null,
    available: true,
  });
});

it('publishes the changes, and nothing if nothing changed', async () => {
  const p1 = await shop.stocked(0);
  await update(p1, {});
  await update(p1, { name: null, low_stock_threshold: 0 });
  await update(p1, { name: 'A', price: 5 });
  await update(p1, { name: 'A', price: 5.000000000000001 });
  const events = await shop.eventsOf(p1);
  expect(events.map(({ event_type, sequence }) => [event_type, sequence])).toEqual([['product_updated', 1]]);
});

it('keeps slugs unique in an organization, not between organizations', async () => {
  const [one, two] = [await shop.stocked(1), await shop.stocked(1)];
  expect((await update(one, { slug: 'wanted' })).status).toBe(200);
  expect(await update(two, { slug: 'wanted' })).toMatchObject({ status: 409, body: { error: 'conflict' } });
  const other = new CatalogFixture(shop.database);
  const theirs = await other.stocked(1);
  const answer = await other.call(updateProduct, { params: { p1Id: theirs }, body: { slug: 'wanted' } });
  expect(answer.status).toBe(200);
});

it('lets one of a hundred racing products have the slug', async () => {
  const p1Ids = await shop.stockedMany(100, 1);
  const answers = await race(p1Ids.length, (index) => update(p1Ids[index] ?? '', { slug: 'contended' }));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(99);
});

it('keeps the fields of racing updates that touch different ones', async () => {
  const p1 = await shop.stocked(1);
  await Promise.all([
    ...Array.from({ length: 10 }, (_, n) => update(p1, { name: `Name ${n}` })),
    update(p1, { price: 2.5 }),
    update(p1, { category: 'Kept' }),
  ]);
  const { body } = await shop.call(getProduct, { params: { p1Id: p1 } });
  expect(body).toMatchObject({ price: 2.5, category: 'Kept', name: expect.stringMatching(/^Name \d$/) });
});

it('answers 404 outside the inventory, also to another organization', async () => {
  const inCatalog = await shop.product();
  expect((await update(inCatalog, { price: 1 })).status).toBe(404);
  const p1Id = await shop.stocked(1);
  const caller = shop.key('0190a000-0000-7000-8000-00000000000f');
  expect((await shop.call(updateProduct, { params: { p1Id }, body: { price: 1 }, caller })).status).toBe(404);
  expect((await shop.call(getProduct, { params: { p1Id }, caller })).status).toBe(404);
  const query = `shop_id=${shop.shopId}`;
  expect((await shop.call(getProduct, { params: { p1Id }, query })).status).toBe(404);
});

it.each([
  [{ price: -1 }, 'price'],
  [{ price: '1' }, 'price'],
  [{ thc: 100.1 }, 'thc'],
  [{ cbd: '5' }, 'cbd'],
  [{ name: '' }, 'name'],
  [{ slug: 'x'.repeat(256) }, 'slug'],
  [{ description: 'x'.repeat(10_001) }, 'description'],
  [{ available: 'yes' }, 'available'],
  [{ stock_quantity: 5 }, 'stock_quantity'],
  [{ p1_id: 'other' }, 'p1_id'],
])('refuses %j', async (body, field) => {
  const answer = await update(await shop.stocked(1), body);
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ details: [expect.objectContaining({ field })] });
});

it("lists only the organization's shops", async () => {
  const { body } = await shop.call(listShops);
  expect(body.data.map(({ shop_id }) => shop_id)).toEqual([shop.shopId, shop.otherShopId]);
  const caller = shop.key('0190a000-0000-7000-8000-00000000000f');
  expect((await shop.call(listShops, { caller })).body.data).toEqual([]);
  const first = (await shop.call(listShops, { query: 'limit=1' })).body;
  expect(first.data).toEqual(body.data.slice(0, 1));
  const query = `limit=1&cursor=${first.pagination.next_cursor ?? ''}`;
  const second = (await shop.call(listShops, { query })).body;
  expect(second).toEqual({ data: body.data.slice(1), pagination: { limit: 1, next_cursor: null } });
});
