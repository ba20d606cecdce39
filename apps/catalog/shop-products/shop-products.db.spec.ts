import { adjustInventory } from '@offizin/contracts/products/inventory';
import {
  attachProduct,
  detachProduct,
  getProduct,
  listProducts,
  overrideProduct,
  updateProduct,
} from '@offizin/contracts/products/products';
import { statement } from '@offizin/pg/database';
import { CatalogFixture, catalogSpec } from '../spec/spec-fixture';

let shop: CatalogFixture;
const test = catalogSpec((made) => (shop = made), { isShared: true });

const attach = (p1_id: string, rest: Record<string, unknown> = {}) =>
  shop.call(attachProduct, { body: { shop_id: shop.shopId, p1_id, ...rest } });
const override = (p1_id: string, rest: Record<string, unknown>) =>
  shop.call(overrideProduct, { body: { shop_id: shop.shopId, p1_id, ...rest } });
const detach = (p1_id: string) => shop.call(detachProduct, { body: { shop_id: shop.shopId, p1_id } });

describe('attaching', () => {
  it('answers 201 with the product as the shop shows it, and 200 when it is attached already', async () => {
    const p1_id = await shop.stocked(2, { description: 'from the catalog' });
    const first = await attach(p1_id, { overrides: { price: 7, own: { deep: 1 } } });
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      shop_id: shop.shopId,
      p1_id,
      overrides: { price: 7, own: { deep: 1 } },
      product: { p1_id, price: 7, name: 'Blüte 22/1', description: 'from the catalog', stock_quantity: 2 },
    });
    expect(await attach(p1_id)).toEqual({ ...first, status: 200 });
    const merged = await attach(p1_id, { overrides: { own: { more: 2 } } });
    expect(merged).toMatchObject({
      status: 200,
      body: { overrides: { price: 7, own: { deep: 1, more: 2 } } },
    });
    const replaced = await attach(p1_id, { overrides: { name: 'New' }, mode: 'replace' });
    expect(replaced.body.overrides).toEqual({ name: 'New' });
    expect(replaced.body.product).toMatchObject({ name: 'New', price: 9.5 });
  });

  it('needs stock, an inventory product and a shop of the organization', async () => {
    const empty = await shop.stocked(0);
    expect(await attach(empty)).toMatchObject({ status: 409, body: { error: 'out_of_stock' } });
    await shop.call(adjustInventory, { body: { p1_id: empty, delta: 1, reason: 'received' } });
    expect((await attach(empty)).status).toBe(201);
    expect((await attach(await shop.product())).status).toBe(404);
    const p1_id = await shop.stocked(1);
    for (const shop_id of ['0190a000-0000-7000-8000-00000000000f', 'nothing', "' OR 1=1 --"]) {
      expect((await attach(p1_id, { shop_id })).status).toBe(404);
    }
    const caller = shop.key('0190a000-0000-7000-8000-00000000000e');
    const body = { shop_id: shop.shopId, p1_id };
    expect((await shop.call(attachProduct, { body, caller })).status).toBe(404);
  });
});

describe('detaching', () => {
  it('answers 200 once and 404 after that, and forgets the overrides', async () => {
    const p1_id = await shop.stocked(1);
    await attach(p1_id, { overrides: { price: 1 } });
    expect(await detach(p1_id)).toEqual({
      status: 200,
      body: { shop_id: shop.shopId, p1_id, status: 'detached' },
    });
    expect((await detach(p1_id)).status).toBe(404);
    expect((await override(p1_id, { overrides: {} })).status).toBe(404);
    const query = `shop_id=${shop.shopId}`;
    expect((await shop.call(getProduct, { params: { p1Id: p1_id }, query })).status).toBe(404);
    expect((await attach(p1_id)).body.overrides).toEqual({});
  });

  it('keeps numbering the events of product and shop after a detach', async () => {
    const p1_id = await shop.stocked(1);
    await attach(p1_id);
    await override(p1_id, { overrides: { price: 2 } });
    await override(p1_id, { overrides: { price: 2 } });
    await detach(p1_id);
    await attach(p1_id);
    const events = (await shop.eventsOf(p1_id)).filter(({ aggregate_id }) =>
      aggregate_id.includes(shop.shopId),
    );
    expect(events.map(({ event_type, sequence }) => [event_type, sequence])).toEqual([
      ['product_attached', 1],
      ['product_updated', 2],
      ['product_detached', 3],
      ['product_attached', 4],
    ]);
  });
});

describe('overriding', () => {
  it('refuses a merge whose outcome is too large, and keeps the previous overrides', async () => {
    const p1_id = await shop.stocked(1);
    await attach(p1_id, { overrides: { a: 'x'.repeat(10_000) } });
    expect((await override(p1_id, { overrides: { b: 'x'.repeat(10_000) } })).status).toBe(400);
    const { body } = await attach(p1_id);
    expect(Object.keys(body.overrides)).toEqual(['a']);
  });

  it('lays catalog, organization and shop values over each other', async () => {
    const p1Id = await shop.stocked(4, { thc: 22, cbd: 0.5, description: 'catalog' });
    await attach(p1Id, { overrides: { name: 'Shop name', available: false, own: { shelf: 'B2' } } });
    const body = { name: 'Org name', price: 3, description: 'org', thc: 20.5 };
    await shop.call(updateProduct, { params: { p1Id }, body });
    const query = `shop_id=${shop.shopId}`;
    expect((await shop.call(getProduct, { params: { p1Id }, query })).body).toEqual({
      p1_id: p1Id,
      name: 'Shop name',
      slug: expect.stringContaining('bluete-22-1'),
      description: 'org',
      category: 'Blüten',
      price: 3,
      stock_quantity: 4,
      shop_id: shop.shopId,
      thc: 20.5,
      cbd: 0.5,
      available: false,
      pzn: null,
      codes: [],
      overrides: { name: 'Shop name', available: false, own: { shelf: 'B2' } },
    });
    const plain = await shop.call(getProduct, { params: { p1Id } });
    expect(plain.body).toMatchObject({ name: 'Org name', shop_id: null, available: true, overrides: null });
  });
});

describe("a shop's list", () => {
  let org: CatalogFixture;
  beforeAll(async () => {
    org = new CatalogFixture(shop.database);
    for (let n = 0; n < 5; n++) {
      const p1_id = await org.stocked(1, { name: `Sorte ${n}`, category: n < 2 ? 'Öle' : 'Blüten' });
      const overrides = { available: n !== 4, ...(n === 3 && { name: 'Überraschung', category: 'Öle' }) };
      await org.call(attachProduct, { body: { shop_id: org.shopId, p1_id, overrides } });
    }
    await org.stocked(1);
  });
  const list = (query: string) => org.call(listProducts, { query: `shop_id=${org.shopId}&${query}` });

  it('is filtered by what the shop shows', async () => {
    const names = async (query: string) => (await list(query)).body.data.map(({ name }) => name);
    expect(await names('category=%C3%96le')).toEqual(['Sorte 0', 'Sorte 1', 'Überraschung']);
    expect(await names('available=false')).toEqual(['Sorte 4']);
    expect(await names('q=%C3%BCBERR')).toEqual(['Überraschung']);
    expect(await names('q=%25')).toEqual([]);
    expect(await names('q=sorte&available=true&limit=1&page=2')).toEqual(['Sorte 1']);
  });
});

/** Racing overrides of a product share transactions: each caller still has its own answer, and no merge is lost. */
describe('racing overrides', () => {
  beforeAll(() => {
    shop = new CatalogFixture(test.database);
  });
  const CALLERS = 200;

  async function attached(at = shop.shopId): Promise<string> {
    const p1_id = await shop.stocked(1);
    const { status } = await shop.call(attachProduct, { body: { shop_id: at, p1_id } });
    expect(status).toBe(201);
    return p1_id;
  }

  const override = (p1_id: string, overrides: Record<string, unknown>, rest: Record<string, unknown> = {}) =>
    shop.call(overrideProduct, { body: { shop_id: shop.shopId, p1_id, overrides, mode: 'merge', ...rest } });

  const reported = statement<{ transactions: number; events: number; records: number }, [string, string]>(
    'spec_told_of_overrides',
    `SELECT count(DISTINCT xmin::text)::int AS transactions,
     count(*) FILTER (WHERE topic = 'plain')::int AS events,
     count(*) FILTER (WHERE topic = 'audit')::int AS records
   FROM catalog.outbox WHERE aggregate_id IN ($1, 'audit:' || $1) AND org_id = $2 AND event_type <> 'product_attached'`,
  );

  it('applies 200 racing merges once each, in a few transactions, with numbered events', async () => {
    const p1 = await attached();
    const answers = await Promise.all(
      Array.from({ length: CALLERS }, (_, n) => override(p1, { price: n + 1, own: { [`key${n}`]: n } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const shownPrices = answers.map(({ body }) => [body.overrides['price'], body.product.price]);
    expect(shownPrices).toEqual(answers.map((_, n) => [n + 1, n + 1]));
    expect(Object.keys(answers[CALLERS - 1]?.body.overrides['own'] ?? {})).toHaveLength(CALLERS);
    const [row] = await test.database.rows(reported, `shop-product:${shop.shopId}:${p1}`, shop.orgId);
    // The record of the attachment is one more.
    expect(row).toMatchObject({ events: CALLERS, records: CALLERS + 1 });
    expect(row?.transactions).toBeLessThan(20);
    const events = (await shop.eventsOf(p1)).filter(({ aggregate_id }) => aggregate_id.includes(shop.shopId));
    expect(events.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: CALLERS + 1 }, (_, n) => n + 1),
    );
  });

  it('gives each its own answer or refusal, in order of arrival', async () => {
    const [one, other] = [await attached(), await attached()];
    const elsewhere = await attached(shop.otherShopId);
    const large = 'x'.repeat(10_000);
    const answers = await Promise.all([
      override(one, { note: large }),
      override(elsewhere, { price: 1 }),
      override(one, { further: large }),
      override(other, { price: 2 }),
      override(other, { price: 'two' }),
      override(one, { price: 3 }, { mode: 'replace' }),
      override(one, { price: 3 }),
      override('nothing', { price: 3 }),
      override(one, { further: 'fits' }),
    ]);
    const outcomes = answers.map(({ status, body }) => (status === 200 ? body.overrides : body));
    expect(outcomes).toMatchObject([
      { note: large },
      { error: 'not_found' },
      { error: 'invalid_request' },
      { price: 2 },
      { error: 'invalid_request' },
      { price: 3 },
      { price: 3 },
      { error: 'not_found' },
      { price: 3, further: 'fits' },
    ]);
    expect(answers[5]?.body.overrides).toEqual({ price: 3 });
    const { body } = await override(one, {});
    expect(body.overrides).toEqual({ price: 3, further: 'fits' });
    const events = (await shop.eventsOf(one)).filter(({ event_type }) => event_type === 'product_updated');
    expect(events.map(({ sequence }) => sequence)).toEqual([2, 3, 4]);
  });
});
