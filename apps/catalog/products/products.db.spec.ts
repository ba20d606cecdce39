import {
  attachProduct,
  detachProduct,
  getProduct,
  listShops,
  overrideProduct,
  updateProduct,
} from '@offizin/contracts/products/products';
import { race } from '@offizin/testkit/race';
import type { Caller } from '@offizin/contracts/calls/caller';
import type { Operation } from '@offizin/contracts/calls/operation';
import {
  findProducts,
  findReviewProducts,
  productsForReview,
  type ReviewProduct,
} from '@offizin/contracts/requests/review-products';
import { scopesOfRole } from '@offizin/contracts/people/roles';
import { newId } from '@offizin/pg/ids';
import { CatalogFixture, catalogSpec } from '../spec/spec-fixture';

let shop: CatalogFixture;
const test = catalogSpec((made) => (shop = made), { isShared: true });

const update = (p1Id: string, body: unknown) => shop.call(updateProduct, { params: { p1Id }, body });

async function ask(p1_ids: string[], org_id = shop.orgId, shop_id?: string): Promise<ReviewProduct[]> {
  const { status, body } = await shop.call(productsForReview, { body: { org_id, p1_ids, shop_id } });
  expect(status).toBe(200);
  return body.products;
}

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

it('lets an owner, and a key with settings.write, take THC away, and nobody else', async () => {
  const p1 = await shop.stocked(1, { thc: 22 });
  const request = { params: { p1Id: p1 }, body: { thc: 0 } };
  expect((await shop.call(updateProduct, { ...request, caller: shop.staff('clerk') })).status).toBe(403);
  const lower = { ...request, body: { thc: 21.5 }, caller: shop.staff('clerk') };
  expect((await shop.call(updateProduct, lower)).status).toBe(200);
  expect((await shop.call(updateProduct, { ...request, caller: shop.staff('owner') })).status).toBe(200);
});

it('lets only an owner hide a controlled product while two people approve: its category, its name', async () => {
  const plain = { category: null };
  const [flower, tea, balm, oil] = [
    await shop.stocked(1, { ...plain, name: 'Blüte', thc: 22 }),
    await shop.stocked(1, { ...plain, name: 'Tee' }),
    await shop.stocked(1, { ...plain, name: 'Balsam' }),
    await shop.stocked(1, { ...plain, name: 'Öl' }),
  ];
  const { shopId: shop_id } = shop;
  const put = (p1Id: string, body: object) => (caller: Caller) =>
    shop.call(updateProduct, { params: { p1Id }, body, caller });
  const write = (op: Operation, p1_id: string, body: object) => (caller: Caller) =>
    shop.call(op, { body: { shop_id, p1_id, ...body }, caller });
  const named = (name: string) => ({ overrides: { name } });
  const hiding = [
    ...['Flower', ' flower ', 'BLÜTE', 'Flo\u200bwer', 'Ｆlower.'].map((name) => put(oil, { name })),
    put(tea, { category: null }),
    put(tea, { category: 'Tee' }),
    put(flower, { name: 'Anders' }),
    write(overrideProduct, oil, named('Blüte')),
    write(attachProduct, oil, named('Salbe')),
    write(overrideProduct, balm, { overrides: { category: null } }),
    write(attachProduct, balm, { overrides: {}, mode: 'replace' }),
    write(detachProduct, balm, {}),
  ];
  const harmless = [
    put(flower, { description: 'new', category: 'Blüten' }),
    put(tea, { category: ' btm', name: 'Tee II' }),
    put(oil, { name: 'Öl II', category: 'Öle' }),
    write(overrideProduct, oil, { overrides: { name: 'Öl III', category: 'Tee', price: 3 } }),
    write(overrideProduct, balm, { overrides: { price: 2 } }),
  ];
  const owner = shop.staff('owner');
  await put(flower, { name: 'Flower' })(owner);
  await put(tea, { category: 'BTM' })(owner);
  await write(attachProduct, balm, { overrides: { category: 'BTM', name: 'Salbe' } })(owner);
  await write(attachProduct, oil, {})(owner);
  const statuses = async (calls: typeof hiding, caller: Caller) => {
    const answers = [];
    for (const call of calls) answers.push((await call(caller)).status);
    return [...new Set(answers)];
  };
  const key = { ...shop.key(), scopes: scopesOfRole('clerk') };
  for (const four_eyes of ['controlled', 'all'] as const) {
    shop.fourEyes = { four_eyes, four_eyes_categories: ['BTM'] };
    for (const caller of [shop.staff('clerk'), shop.staff('pharmacist'), key])
      expect(await statuses(hiding, caller)).toEqual([403]);
  }
  expect(await statuses(harmless, shop.staff('clerk'))).toEqual([200]);
  const [balmFacts] = (await ask([balm], shop.orgId, shop_id)).map(({ categories }) => categories);
  expect(balmFacts).toEqual(['BTM']);
  expect(await statuses(hiding, owner)).toEqual([200]);
  shop.fourEyes = { four_eyes: 'off', four_eyes_categories: ['BTM'] };
  expect(await statuses([put(oil, { name: 'Flower' })], shop.staff('clerk'))).toEqual([200]);
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

it('answers 404 outside the inventory, and for a product that the shop does not show', async () => {
  expect((await update(await shop.product(), { price: 1 })).status).toBe(404);
  const params = { p1Id: await shop.stocked(1) };
  const query = `shop_id=${shop.shopId}`;
  expect((await shop.call(getProduct, { params, query })).status).toBe(404);
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

describe('products for review', () => {
  let other: CatalogFixture;

  beforeAll(() => {
    [shop, other] = [new CatalogFixture(test.database), new CatalogFixture(test.database)];
  });

  it("answers the organization's values, and what no order holds", async () => {
    const p1 = await shop.stocked(10, { thc: 22, cbd: 0.5 });
    await shop.reserve(newId(), 0, { [p1]: 4 });
    await shop.call(updateProduct, {
      params: { p1Id: p1 },
      body: { name: 'Eigene', price: 12.34, thc: 21.5 },
    });
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
        names: ['Blüte 22/1', 'Eigene'],
        categories: ['Blüten'],
        thcs: ['22', '21.5'],
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
        names: ['Blüte 22/1'],
        categories: ['Blüten'],
        thcs: [],
      },
    ]);
    expect(await ask([p1], newId())).toMatchObject([{ in_inventory: false }]);
  });

  it('takes 1,000 ids, the sent and the approved lines of an order, and refuses more and a malformed organization', async () => {
    const ids = Array.from({ length: 1000 }, (_, place) => `p1-${place}`);
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
});
