import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { eventually } from '@offizin/testkit/eventually';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { attachedProduct } from '@offizin/testkit/organization-things';
import { TestPlatform, uniqueTag } from '@offizin/testkit/platform';
import { race } from '@offizin/testkit/race';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await TestPlatform.connect();
});
afterAll(() => platform.close());

/** An organization has its stock follow the orders that its ERP upserts. */
describe('stock that follows orders', () => {
  let organization: TestOrganization;

  beforeAll(async () => {
    organization = await platform.organization();
    await follow(organization, true);
  });

  async function follow(of: TestOrganization, stock_follows_orders: boolean): Promise<void> {
    expect((await of.api('PUT', '/settings/stock', { stock_follows_orders })).status).toBe(200);
  }

  /** A product with this many pieces in stock. */
  async function product(pieces: number, of = organization): Promise<string> {
    const [p1Id = ''] = await platform.catalogProducts(1);
    await of.stock(p1Id, pieces);
    return p1Id;
  }

  async function stockOf(p1Id: string, of = organization): Promise<[stock: number, reserved: number]> {
    const answer = await of.api('GET', `/inventory?q=${p1Id}`);
    const { data } = json<{ data: { p1_id: string; stock_quantity: number; reserved_quantity: number }[] }>(
      answer,
    );
    const row = data.find(({ p1_id }) => p1_id === p1Id);
    return [row?.stock_quantity ?? -1, row?.reserved_quantity ?? -1];
  }

  /** The stock that the log adds up to; every entry must follow on the one before. */
  async function logSum(p1Id: string): Promise<number> {
    const answer = await organization.api('GET', `/inventory/${p1Id}/log?limit=200`);
    const { data } = json<{ data: { delta: number; stock_after: number }[] }>(answer);
    expect(data.every(({ stock_after }) => stock_after >= 0)).toBe(true);
    return data.reduce((sum, { delta }) => sum + delta, 0);
  }

  async function becomes(p1Id: string, stock: number, reserved: number): Promise<void> {
    const wanted = [stock, reserved].join();
    await eventually(
      `stock and reserved to be ${wanted}`,
      async () => (await stockOf(p1Id)).join() === wanted,
    );
  }

  const lines = (...of: [string, number][]) => ({
    items: of.map(([p1_id, qty]) => ({ p1_id, qty, price: 1 })),
  });

  async function upsert(
    external_id: string,
    fields: object,
    of = organization,
    headers: Record<string, string> = {},
  ): Promise<HttpAnswer> {
    return of.api('POST', '/orders', { shop_id: of.shops[0].shopId, external_id, ...fields }, headers);
  }

  async function patch(orderId: string, status: string): Promise<void> {
    expect((await organization.api('PATCH', `/orders/${orderId}/status`, { status })).status).toBe(200);
  }

  const idOf = (answer: HttpAnswer): string => json<{ id: string }>(answer).id;
  it('is off by default: an upserted order leaves the stock alone', async () => {
    const other = await platform.organization();
    expect(json(await other.api('GET', '/settings/stock'))).toEqual({ stock_follows_orders: false });
    const p1 = await product(1, other);
    expect((await upsert('a', lines([p1, 5]), other)).status).toBe(201);
    expect(await stockOf(p1, other)).toEqual([1, 0]);
    expect(json(await organization.api('GET', '/settings/stock'))).toEqual({ stock_follows_orders: true });
  });

  it('reserves the sum per product, follows each change of the lines, and releases when it is cancelled', async () => {
    const [a, b] = [await product(10), await product(10)];
    const key = `order-${uniqueTag()}`;
    const order = await upsert(key, lines([a, 2], [b, 1], [a, 3]));
    expect(order.status).toBe(201);
    expect([await stockOf(a), await stockOf(b)]).toEqual([
      [10, 5],
      [10, 1],
    ]);
    expect((await upsert(key, lines([a, 10]))).status).toBe(200);
    await becomes(b, 10, 0);
    expect(await stockOf(a)).toEqual([10, 10]);
    const put = await organization.api('PUT', `/orders/${idOf(order)}`, lines([b, 4]));
    expect(put.status).toBe(200);
    await becomes(a, 10, 0);
    await patch(idOf(order), 'cancelled');
    await becomes(b, 10, 0);
    expect(await logSum(b)).toBe(10);
  });

  it.each(['shipped', 'picked_up', 'completed'])('sells its lines once when it is %s', async (status) => {
    const p1 = await product(5);
    const key = `order-${uniqueTag()}`;
    const id = idOf(await upsert(key, lines([p1, 1])));
    await upsert(key, lines([p1, 3]));
    await patch(id, status);
    await patch(id, 'completed');
    await becomes(p1, 2, 0);
    expect(await logSum(p1)).toBe(2);
    const log = json<{ data: { reason: string; delta: number }[] }>(
      await organization.api('GET', `/inventory/${p1}/log`),
    );
    expect(log.data.filter(({ reason }) => reason === 'sold')).toMatchObject([{ delta: -3 }]);
  });

  it('all or none: what lacks stock is named, nothing is written, and an order keeps what it had', async () => {
    const [enough, short] = [await product(10), await product(1)];
    const key = `order-${uniqueTag()}`;
    const refused = await upsert(key, lines([enough, 1], [short, 2]));
    expect(codeOf(refused)).toBe('409 out_of_stock');
    expect(json<ErrorBody>(refused).details?.map(({ field }) => field)).toEqual(['items[1]']);
    const none = await organization.api('GET', `/orders?external_id=${key}`);
    expect(json<{ data: unknown[] }>(none).data).toEqual([]);
    const id = idOf(await upsert(key, lines([enough, 1], [short, 1])));
    const put = await organization.api('PUT', `/orders/${id}`, lines([enough, 5], [short, 2]));
    expect(codeOf(put)).toBe('409 out_of_stock');
    expect([await stockOf(enough), await stockOf(short)]).toEqual([
      [10, 1],
      [1, 1],
    ]);
    const { items } = json<{ items: { quantity: number }[] }>(await organization.api('GET', `/orders/${id}`));
    expect(items.map(({ quantity }) => quantity)).toEqual([1, 1]);
  });

  it('100 upserts at once for the last 7 pieces: 7 orders, never below zero, and the log adds up', async () => {
    const p1 = await product(7);
    const keys = Array.from({ length: 100 }, (_, index) => `race-${index}-${uniqueTag()}`);
    const answers = await race(keys.length, (index) => {
      const key = keys[index] ?? '';
      return upsert(key, lines([p1, 1]), organization, { 'idempotency-key': key });
    });
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(7);
    const others = answers.filter(({ status }) => status !== 201);
    expect(new Set(others.map(codeOf))).toEqual(new Set(['409 out_of_stock']));
    expect(await stockOf(p1)).toEqual([7, 7]);
    await Promise.all(made.map((answer, index) => patch(idOf(answer), index < 3 ? 'shipped' : 'cancelled')));
    await becomes(p1, 4, 0);
    expect(await logSum(p1)).toBe(4);
  });

  it('100 changes of one order at once: it holds what its lines say', async () => {
    const p1 = await product(60);
    const key = `order-${uniqueTag()}`;
    const answers = await race(100, (index) =>
      upsert(key, lines([p1, index + 1]), organization, { 'idempotency-key': `${key}-${index}` }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201, 409]));
    const id = idOf(answers.find(({ status }) => status === 201) ?? fail());
    const order = json<{ items: { quantity: number }[] }>(await organization.api('GET', `/orders/${id}`));
    const held = order.items[0]?.quantity ?? -1;
    expect(held).toBeLessThanOrEqual(60);
    await becomes(p1, 60, held);
    await patch(id, 'shipped');
    await becomes(p1, 60 - held, 0);
  });

  function fail(): never {
    throw new Error('there is no answer');
  }

  it('an order that came from a request changes what the request had reserved', async () => {
    const p1 = await product(5);
    const request = orderRequest({ items: [{ p1_id: p1, quantity: 2, price: 1 }] });
    const approved = await organization.api(
      'POST',
      `/order-requests/${await organization.submit(request)}/approve`,
      {},
    );
    const { order_id: id } = json<{ order_id: string }>(approved);
    expect((await organization.api('PUT', `/orders/${id}`, lines([p1, 5]))).status).toBe(200);
    expect(await stockOf(p1)).toEqual([5, 5]);
    expect((await organization.api('PUT', `/orders/${id}`, lines([p1, 1]))).status).toBe(200);
    await becomes(p1, 5, 1);
    await patch(id, 'picked_up');
    await becomes(p1, 4, 0);
  });
});

/** G7, catalog: many callers change the same stock and overrides at once. No change is lost, no stock is negative. */
describe('racing changes', () => {
  const CALLERS = 100;
  let organization: TestOrganization;

  beforeAll(async () => {
    organization = await platform.organization();
  });

  /** Attached to the first shop, with five pieces. */
  async function product(): Promise<string> {
    const { p1Id = '' } = await attachedProduct({ platform, organization, receiverUrl: '' });
    return p1Id;
  }

  function countByCode(answers: HttpAnswer[]): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const answer of answers) {
      const code = answer.status < 300 ? String(answer.status) : json<ErrorBody>(answer).error;
      counts[code] = (counts[code] ?? 0) + 1;
    }
    return counts;
  }

  /** Every entry of the stock's log, oldest first: where each of them starts is where the one before ended. */
  async function logOf(p1Id: string): Promise<{ delta: number; stock_after: number }[]> {
    const answer = await organization.api('GET', `/inventory/${p1Id}/log?limit=200`);
    return json<{ data: { delta: number; stock_after: number }[] }>(answer).data.reverse();
  }

  async function stockOf(p1Id: string): Promise<unknown> {
    const answer = await organization.api('GET', `/inventory?q=${p1Id}`);
    return json<{ data: { stock_quantity: number }[] }>(answer).data[0]?.stock_quantity;
  }

  const adjust = (body: object, key = uniqueTag()): Promise<HttpAnswer> =>
    organization.api('POST', '/inventory/adjust', body, { 'idempotency-key': key });

  it('100 sales of a stock of 42 sell 42: never below zero, and the log is an unbroken chain', async () => {
    const p1Id = await product();
    await adjust({ p1_id: p1Id, quantity: 42, reason: 'correction' });
    const answers = await race(CALLERS, (n) =>
      adjust({ p1_id: p1Id, delta: -1, reason: 'sold' }, `${p1Id}-${n}`),
    );
    expect(countByCode(answers)).toEqual({ '200': 42, out_of_stock: CALLERS - 42 });
    expect(await stockOf(p1Id)).toBe(0);
    let stock = 0;
    const log = await logOf(p1Id);
    for (const { delta, stock_after } of log) {
      stock += delta;
      expect([stock_after, stock_after >= 0]).toEqual([stock, true]);
    }
    expect(log.filter(({ delta }) => delta === -1)).toHaveLength(42);
  });

  it('100 compare-and-sets of one quantity have one winner', async () => {
    const p1Id = await product();
    const answers = await race(CALLERS, (n) =>
      adjust({ p1_id: p1Id, quantity: 100 + n, expected_quantity: 5, reason: 'correction' }, `${p1Id}-${n}`),
    );
    expect(countByCode(answers)).toEqual({ '200': 1, stale_quantity: CALLERS - 1 });
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(await stockOf(p1Id)).toBe(100 + winner);
  });

  it('100 override merges keep every key, nested ones too, with one event each, numbered without a gap', async () => {
    const p1Id = await product();
    const shop_id = organization.shops[0].shopId;
    const overrides = (n: number): object => ({ [`k${n}`]: n, nested: { [`k${n}`]: n } });
    const answers = await race(CALLERS, (n) =>
      organization.api(
        'POST',
        '/shops/product-overrides',
        { shop_id, p1_id: p1Id, overrides: overrides(n) },
        { 'idempotency-key': `${p1Id}-${n}` },
      ),
    );
    expect(countByCode(answers)).toEqual({ '200': CALLERS });
    const last = await organization.api('POST', '/shops/product-overrides', {
      shop_id,
      p1_id: p1Id,
      overrides: {},
    });
    const merged = Object.fromEntries(Array.from({ length: CALLERS }, (_, n) => [`k${n}`, n]));
    expect(json<{ overrides: unknown }>(last).overrides).toEqual({ ...merged, nested: merged });
    const sequences = await eventually('the events of all merges', async () => {
      const feed = await organization.api('GET', '/events?event_type=product_updated&limit=200');
      const { data } = json<{ data: { metadata: { p1_id: string; sequence: number } }[] }>(feed);
      const own = data.filter(({ metadata }) => metadata.p1_id === p1Id);
      return own.length >= CALLERS && own.map(({ metadata }) => metadata.sequence);
    });
    // The first is that of the attachment.
    expect(sequences).toEqual(Array.from({ length: CALLERS }, (_, n) => n + 2));
  });
});
