import {
  type AssortmentResponse,
  findAddable,
  getAssortmentProduct,
  listAssortment,
} from '@offizin/contracts/products/assortment';
import {
  attachProduct,
  detachProduct,
  overrideProduct,
  updateProduct,
} from '@offizin/contracts/products/products';
import { newId } from '@offizin/pg/ids';
import { CatalogFixture, catalogSpec } from '../spec/spec-fixture';

let shop: CatalogFixture;
const test = catalogSpec((made) => (shop = made));

async function list(query = '', shopId = shop.shopId): Promise<AssortmentResponse> {
  const requested = { query: `shop_id=${shopId}&${query}`, caller: shop.staff('pharmacist') };
  const { status, body } = await shop.call(listAssortment, requested);
  expect(status).toBe(200);
  return body;
}

async function attached(values: Record<string, unknown>, overrides?: object): Promise<string> {
  const p1_id = await shop.stocked(5, values);
  const body = { shop_id: shop.shopId, p1_id, ...(overrides && { overrides }) };
  expect((await shop.call(attachProduct, { body })).status).toBe(201);
  return p1_id;
}

describe('the products of a shop', () => {
  it('show the price of each layer, and the values that the shop shows', async () => {
    const p1 = await attached({ name: 'Bediol', price: 9.5 }, { price: 8.25, name: 'Bediol im Shop' });
    await shop.call(updateProduct, { params: { p1Id: p1 }, body: { price: 10, category: 'Eigene' } });
    expect((await list()).data).toEqual([
      {
        p1_id: p1,
        name: 'Bediol im Shop',
        category: 'Eigene',
        attached: true,
        available: true,
        stock_quantity: 5,
        price: { catalog: 9.5, organization: 10, shop: 8.25 },
        pzn: null,
        codes: [],
      },
    ]);
    const [elsewhere] = (await list('', shop.otherShopId)).data;
    expect(elsewhere).toMatchObject({
      name: 'Bediol',
      attached: false,
      price: { organization: 10, shop: null },
    });
  });

  it('have no layer of a shop after they were detached', async () => {
    const p1 = await attached({}, { price: 8.25 });
    await shop.call(detachProduct, { body: { shop_id: shop.shopId, p1_id: p1 } });
    expect((await list()).data).toMatchObject([{ attached: false, price: { shop: null } }]);
  });

  it('are walked by name, filtered by text and by what is attached, with exact totals', async () => {
    for (const name of ['Carla', 'anna']) await attached({ name });
    await shop.stocked(1, { name: 'Bodo' });
    const first = await list('limit=2');
    expect(first).toMatchObject({ data: [{ name: 'anna' }, { name: 'Bodo' }], total: 3, attached_total: 2 });
    const second = await list(`limit=2&cursor=${first.next_cursor ?? ''}`);
    expect(second).toMatchObject({
      data: [{ name: 'Carla' }],
      total: 3,
      attached_total: 2,
      next_cursor: null,
    });
    expect(await list('attached=false')).toMatchObject({ data: [{ name: 'Bodo' }], total: 3 });
    expect((await list('attached=true')).data.map(({ name }) => name)).toEqual(['anna', 'Carla']);
    const found = await list('q=ANN&attached=false');
    expect(found).toEqual({ data: [], total: 1, attached_total: 1, next_cursor: null });
  });

  it('are those of the own shops only', async () => {
    await attached({});
    const other = new CatalogFixture(test.database);
    const p1Id = await shop.stocked(1);
    for (const shopId of [shop.shopId, newId(), 'none']) {
      const query = `shop_id=${shopId}`;
      for (const answer of [
        await other.call(listAssortment, { query }),
        await other.call(getAssortmentProduct, { query, params: { p1Id } }),
      ])
        expect(answer.status).toBe(404);
    }
    const query = `shop_id=${other.shopId}`;
    expect((await other.call(listAssortment, { query })).body.data).toEqual([]);
    expect((await other.call(getAssortmentProduct, { query, params: { p1Id } })).status).toBe(404);
  });
});

it('shows every value of a product in the layer that it comes from', async () => {
  const p1 = await attached({ name: 'Bediol', price: 9.5, thc: 6.3, description: 'Blüte' });
  const given = { price: 10, available: false, cbd: 8, pzn: '3752864' };
  await shop.call(updateProduct, { params: { p1Id: p1 }, body: given });
  const overrides = { shop_id: shop.shopId, p1_id: p1, overrides: { name: 'Im Shop', available: true } };
  await shop.call(overrideProduct, { body: overrides });
  const params = { p1Id: p1 };
  const { body } = await shop.call(getAssortmentProduct, { params, query: `shop_id=${shop.shopId}` });
  const none = { name: null, category: null, price: null, available: null, description: null };
  expect(body).toMatchObject({
    name: 'Im Shop',
    available: true,
    price: { catalog: 9.5, organization: 10, shop: null },
    catalog: {
      name: 'Bediol',
      category: 'Blüten',
      price: 9.5,
      available: true,
      description: 'Blüte',
      thc: 6.3,
      pzn: null,
      codes: [],
    },
    organization: { ...none, price: 10, available: false, thc: null, cbd: 8, pzn: '03752864', codes: null },
    shop: { ...none, name: 'Im Shop', available: true },
  });
});

it('finds the products of the catalog that the inventory does not have', async () => {
  const tag = newId();
  const p1 = await shop.product({ name: `Öl ${tag}` });
  await shop.stocked(1, { name: `Besitz ${tag}` });
  const find = async (q: string, { orgId } = shop) => {
    const caller = { ...shop.staff('clerk'), orgId };
    return (await shop.call(findAddable, { query: `q=${encodeURIComponent(q)}`, caller })).body.data;
  };
  expect((await find(tag)).map(({ p1_id }) => p1_id)).toEqual([p1]);
  expect((await find(`öl ${tag}`)).length).toBe(1);
  expect((await find(tag, new CatalogFixture(test.database))).length).toBe(2);
  for (let count = 0; count < 21; count += 1) await shop.product({ name: `Viele ${tag}` });
  expect((await find(`viele ${tag}`)).length).toBe(20);
});
