import { eventually } from '@offizin/testkit/eventually';
import { type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';

/** An organization has its stock follow the orders that its ERP upserts. */
const platform = usePlatform();
let organization: TestOrganization;

beforeAll(async () => {
  organization = await platform.organization();
  const setting = { stock_follows_orders: true };
  expect((await organization.api('PUT', '/settings/stock', setting)).status).toBe(200);
});

const product = (pieces: number): Promise<string> => platform.stockedProduct(organization, pieces);

/** The stock that the log adds up to; every entry must follow on the one before. */
async function logSum(p1Id: string): Promise<number> {
  const answer = await organization.api('GET', `/inventory/${p1Id}/log?limit=200`);
  const { data } = json<{ data: { delta: number; stock_after: number }[] }>(answer);
  expect(data.every(({ stock_after }) => stock_after >= 0)).toBe(true);
  return data.reduce((sum, { delta }) => sum + delta, 0);
}

async function becomes(p1Id: string, stock: number, reserved: number, of = organization): Promise<void> {
  const wanted = [stock, reserved].join();
  await eventually(
    `stock and reserved to be ${wanted}`,
    async () => (await of.stockOf(p1Id)).join() === wanted,
  );
}

const lines = (...of: [string, number][]) => ({
  items: of.map(([p1_id, qty]) => ({ p1_id, qty, price: 1 })),
});

async function upsert(external_id: string, fields: object, of = organization): Promise<HttpAnswer> {
  return of.api('POST', '/orders', { shop_id: of.shops[0].shopId, external_id, ...fields });
}

async function patch(orderId: string, status: string): Promise<void> {
  expect((await organization.api('PATCH', `/orders/${orderId}/status`, { status })).status).toBe(200);
}

const idOf = (answer: HttpAnswer): string => json<{ id: string }>(answer).id;

it('reserves the sum per product, follows each change of the lines, and releases when it is cancelled', async () => {
  const [a, b] = [await product(10), await product(10)];
  const key = `order-${uniqueTag()}`;
  const order = await upsert(key, lines([a, 2], [b, 1], [a, 3]));
  expect(order.status).toBe(201);
  expect([await organization.stockOf(a), await organization.stockOf(b)]).toEqual([
    [10, 5],
    [10, 1],
  ]);
  expect((await upsert(key, lines([a, 10]))).status).toBe(200);
  await becomes(b, 10, 0);
  expect(await organization.stockOf(a)).toEqual([10, 10]);
  const put = await organization.api('PUT', `/orders/${idOf(order)}`, lines([b, 4]));
  expect(put.status).toBe(200);
  await becomes(a, 10, 0);
  await patch(idOf(order), 'cancelled');
  await becomes(b, 10, 0);
  expect(await logSum(b)).toBe(10);
});

it('books the stock of reopened orders back, whose lines follow from then on, also of a request without the setting', async () => {
  const plain = await platform.organization();
  const p1 = await platform.stockedProduct(plain, 10);
  const request = orderRequest({ items: [{ p1_id: p1, quantity: 2, price: 1 }] });
  const approval = `/order-requests/${await plain.submit(request)}/approve`;
  const { order_id: id } = json<{ order_id: string }>(await plain.api('POST', approval, {}));
  const move = async (body: object) => (await plain.api('PATCH', `/orders/${id}/status`, body)).status;
  const shows = async (stock: string, [pieces, reserved]: [number, number]) => {
    expect(json(await plain.api('GET', `/orders/${id}`))).toMatchObject({ stock });
    await becomes(p1, pieces, reserved, plain);
  };
  await shows('reserved', [10, 2]);
  for (const [closed, stock, pieces] of [
    ['cancelled', 'released', 10],
    ['shipped', 'sold', 4],
  ] as const) {
    expect(await move({ status: closed })).toBe(200);
    expect(await move({ status: 'pending', force: true })).toBe(200);
    await shows('reserved', [10, stock === 'sold' ? 6 : 2]);
    expect((await plain.api('PUT', `/orders/${id}`, lines([p1, 6]))).status).toBe(200);
    expect(await move({ status: closed })).toBe(200);
    await shows(stock, [pieces, 0]);
    if (stock === 'released') expect(await move({ status: 'pending', force: true })).toBe(200);
  }
  expect((await plain.api('PUT', `/orders/${id}`, { ...lines([p1, 11]), force: true })).status).toBe(200);
  const refused = await plain.api('PATCH', `/orders/${id}/status`, { status: 'pending', force: true });
  expect([refused.status, json(refused)]).toEqual([409, expect.objectContaining({ error: 'out_of_stock' })]);
  await shows('sold', [4, 0]);
});

it.each([
  ['with', () => Promise.resolve(organization)],
  ['without', () => platform.organization()],
])(
  'an order that came from a request changes what the request had reserved, %s the setting',
  async (_, of) => {
    const shop = await of();
    const p1 = await platform.stockedProduct(shop, 5);
    const request = orderRequest({ items: [{ p1_id: p1, quantity: 2, price: 1 }] });
    const approval = `/order-requests/${await shop.submit(request)}/approve`;
    const { order_id: id } = json<{ order_id: string }>(await shop.api('POST', approval, {}));
    const { external_id: key } = json<{ external_id: string }>(await shop.api('GET', `/orders/${id}`));
    expect((await shop.api('PUT', `/orders/${id}`, lines([p1, 5]))).status).toBe(200);
    expect(await shop.stockOf(p1)).toEqual([5, 5]);
    expect((await upsert(key, lines([p1, 6]), shop)).status).toBe(409);
    const order = { shop_id: shop.shops[0].shopId, external_id: key };
    const orders = [1, 4].map((qty) => ({ ...order, ...lines([p1, qty]) }));
    const batch = await shop.api('POST', '/orders/batch', { orders });
    expect(json(batch)).toMatchObject({ results: [{ status: 'updated' }, { status: 'updated' }] });
    await becomes(p1, 5, 4, shop);
    expect((await shop.api('PATCH', `/orders/${id}/status`, { status: 'picked_up' })).status).toBe(200);
    await becomes(p1, 1, 0, shop);
    expect(json(await shop.api('GET', `/orders/${id}`))).toMatchObject({ stock: 'sold' });
  },
);

it('an order whose products are not in the inventory says that it takes no stock', async () => {
  const p1 = await product(5);
  const [outside = ''] = await platform.catalogProducts(1);
  const stockOf = async (id: string) =>
    json<{ stock: string }>(await organization.api('GET', `/orders/${id}`)).stock;
  const key = `order-${uniqueTag()}`;
  const says: string[] = [];
  for (const ids of [[outside], [outside, p1], [p1], [outside, 'unknown']]) {
    const answer = await upsert(key, lines(...ids.map((id): [string, number] => [id, 2])));
    says.push(json<{ stock: string }>(answer).stock);
  }
  expect(says).toEqual(['none', 'reserved', 'reserved', 'none']);
  const id = idOf(await upsert(key, {}));
  await patch(id, 'shipped');
  expect(
    (await organization.api('PATCH', `/orders/${id}/status`, { status: 'pending', force: true })).status,
  ).toBe(200);
  expect(await stockOf(id)).toBe('none');
  const approved = async (...items: string[]) => {
    const request = orderRequest({ items: items.map((p1_id) => ({ p1_id, quantity: 1, price: 1 })) });
    const approval = `/order-requests/${await organization.submit(request)}/approve`;
    const answers = await Promise.all([1, 2, 3].map(() => organization.api('POST', approval, {})));
    const [first = ''] = answers.map((answer) => json<{ order_id: string }>(answer).order_id);
    return stockOf(first);
  };
  expect([await approved(outside), await approved(outside, p1)]).toEqual(['none', 'reserved']);
});
