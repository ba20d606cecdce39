import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import { eventually } from '@offizin/testkit/eventually';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { race } from '@offizin/testkit/race';
import { TestPlatform, uniqueTag } from '@offizin/testkit/platform';
import { BURST } from '@offizin/testkit/test-run';

/** A pharmacist approves an order request: it becomes one order, and the stock is taken, whole or not at all. */
let platform: TestPlatform;
let organization: TestOrganization;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
});
afterAll(() => platform.close());

async function approve(id: string, body: object = {}): Promise<HttpAnswer> {
  return organization.api('POST', `/order-requests/${id}/approve`, body);
}

async function approved(
  id: string,
  body: object = {},
): Promise<{ order_id: string; order: Record<string, unknown> }> {
  const answer = await approve(id, body);
  expect(answer.status).toBe(200);
  return json(answer);
}

async function requestOf(id: string): Promise<Record<string, unknown>> {
  return json(await organization.api('GET', `/order-requests/${id}`));
}

interface Stock {
  stock: number;
  reserved: number;
}

async function stockOf(p1Id: string): Promise<Stock> {
  const answer = await organization.api('GET', `/inventory?q=${p1Id}`);
  const { data } = json<{ data: { p1_id: string; stock_quantity: number; reserved_quantity: number }[] }>(
    answer,
  );
  const row = data.find(({ p1_id }) => p1_id === p1Id);
  return { stock: row?.stock_quantity ?? -1, reserved: row?.reserved_quantity ?? -1 };
}

/** A product with this many pieces in stock. */
async function product(pieces: number): Promise<string> {
  const [p1Id = ''] = await platform.catalogProducts(1);
  await organization.stock(p1Id, pieces);
  return p1Id;
}

describe('the order', () => {
  it('has the fields of the request, its lines with their quantity, and the ids of both on both', async () => {
    const external_reference = `ref-${uniqueTag()}`;
    const payload = {
      customer_email: 'erika@example.org',
      address_street: 'Hauptstraße 1',
      address_city: 'Köln',
      address_postal_code: '50667',
      address_phone: '+49 221 1',
      shipping_option: 'Versand',
      cash_on_pickup: true,
      payment_reference: 'PAY-1',
      items: [
        { name: 'Salbe', quantity: 3, price: 3.5 },
        { product_id: 'P-7', quantity: 1, price: 0.99 },
      ],
    };
    const id = await organization.submit(orderRequest(payload, { external_reference }));
    const { order_id, order } = await approved(id);
    expect(order).toMatchObject({
      id: order_id,
      external_id: external_reference,
      status: 'awaiting_packing',
      shop_id: organization.shops[0].shopId,
      customer_name: 'Erika Mustermann',
      customer_email: 'erika@example.org',
      total_amount: 11.49,
      payment_status: 'cash_on_pickup',
      payment_reference: 'PAY-1',
      shipped: false,
      picked_up: false,
      cash_on_pickup: true,
      shipping_option: 'Versand',
      shipping_address: { street: 'Hauptstraße 1', city: 'Köln', postal_code: '50667', phone: '+49 221 1' },
      items: [
        { p1_id: null, name: 'Salbe', quantity: 3, price: 3.5 },
        { p1_id: 'P-7', name: null, quantity: 1, price: 0.99 },
      ],
      order_request_id: id,
    });
    expect(await requestOf(id)).toMatchObject({ status: 'approved', order_id });
    expect(json(await organization.api('GET', `/orders/${order_id}`))).toEqual(order);
  });

  it('is known by the id of the request where there was no reference', async () => {
    const id = await organization.submit(orderRequest());
    expect((await approved(id)).order['external_id']).toBe(id);
  });

  it.each<[string, object, string, string]>([
    ['nothing said', {}, 'awaiting_packing', 'cash_on_pickup'],
    [
      'nothing said about the payment of goods that are sent',
      { shipping_option: 'Versand' },
      'awaiting_payment',
      'pending',
    ],
    ['paid', { payment_status: 'paid' }, 'awaiting_packing', 'paid'],
    ['cash on pickup', { payment_status: 'cash_on_pickup' }, 'awaiting_packing', 'cash_on_pickup'],
    ['a pending payment', { payment_status: 'pending' }, 'awaiting_payment', 'pending'],
    ['no cash on pickup', { cash_on_pickup: false }, 'awaiting_payment', 'pending'],
    [
      'no cash on pickup, but paid',
      { cash_on_pickup: false, payment_status: 'paid' },
      'awaiting_packing',
      'paid',
    ],
  ])('with %s begins at the right status', async (_, payload, status, payment_status) => {
    const id = await organization.submit(orderRequest({ ...payload }));
    expect((await approved(id)).order).toMatchObject({ status, payment_status });
  });

  it('keeps a given total, which may hold shipping', async () => {
    const id = await organization.submit(orderRequest({ total_amount: 11.99 }));
    expect((await approved(id)).order['total_amount']).toBe(11.99);
  });

  it('takes the corrections of the staff; the request keeps what the partner sent', async () => {
    const id = await organization.submit(orderRequest({ total_amount: 99 }));
    const corrections = {
      customer_name: 'Erika M. Mustermann',
      customer_email: 'neu@example.org',
      shipping_option: 'Express',
      items: [{ name: 'Creme', qty: 4, price: 2.25 }],
    };
    const { order } = await approved(id, corrections);
    expect(order).toMatchObject({
      customer_name: 'Erika M. Mustermann',
      customer_email: 'neu@example.org',
      shipping_option: 'Express',
      total_amount: 9,
      items: [{ name: 'Creme', quantity: 4, price: 2.25 }],
    });
    expect((await requestOf(id))['payload']).toMatchObject({
      customer_name: 'Erika Mustermann',
      items: [{ name: 'Salbe', quantity: 2, price: 3.5 }],
    });
  });

  it.each<[string, object, string]>([
    ['quantity instead of qty', { items: [{ name: 'a', quantity: 1, price: 1 }] }, 'items[0].quantity'],
    ['no lines', { items: [] }, 'items'],
    ['an unknown field', { status: 'shipped' }, 'status'],
    ['a wrong e-mail address', { customer_email: 'x' }, 'customer_email'],
  ])('is not made by corrections with %s', async (_, corrections, field) => {
    const id = await organization.submit(orderRequest());
    const answer = await approve(id, corrections);
    expect(codeOf(answer)).toBe('400 invalid_request');
    expect(json<ErrorBody>(answer).details?.map((detail) => detail.field)).toContain(field);
    expect(await requestOf(id)).toMatchObject({ status: 'pending', order_id: null });
  });
});

describe('a repeated approval', () => {
  it('is answered as the first', async () => {
    const id = await organization.submit(orderRequest());
    const first = await approved(id);
    expect(await approved(id)).toEqual(first);
    expect(await approved(id, { customer_name: 'Too late' })).toEqual(first);
  });

  it('many at once make one order and reserve once', async () => {
    const p1Id = await product(10);
    const items = [{ p1_id: p1Id, quantity: 3, price: 1 }];
    const id = await organization.submit(
      orderRequest({ items }, { external_reference: `race-${uniqueTag()}` }),
    );
    const answers = await race(BURST, () => approve(id));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => json(answer)['order_id'])).size).toBe(1);
    expect(await stockOf(p1Id)).toEqual({ stock: 10, reserved: 3 });
    const orders = json<{ data: { id: string }[] }>(await organization.api('GET', '/orders?limit=200'));
    const orderId = json(answers[0] ?? fail())['order_id'];
    expect(orders.data.filter((order) => order.id === orderId)).toHaveLength(1);
  });
});

function fail(): never {
  throw new Error('there is no answer');
}

describe('the stock', () => {
  it('is reserved with the approval: the sum per product', async () => {
    const [one, two] = [await product(10), await product(5)];
    const items = [
      { p1_id: one, quantity: 2, price: 1 },
      { p1_id: two, quantity: 5, price: 1 },
      { product_id: one, quantity: 4, price: 1 },
      { name: 'nothing that is stocked', quantity: 9, price: 1 },
    ];
    await approved(await organization.submit(orderRequest({ items })));
    expect([await stockOf(one), await stockOf(two)]).toEqual([
      { stock: 10, reserved: 6 },
      { stock: 5, reserved: 5 },
    ]);
  });

  it('that does not suffice refuses the approval, names the lines and reserves nothing', async () => {
    const [enough, short] = [await product(10), await product(1)];
    const items = [
      { p1_id: enough, quantity: 1, price: 1 },
      { p1_id: short, quantity: 2, price: 1 },
    ];
    const id = await organization.submit(orderRequest({ items }));
    const answer = await approve(id);
    expect(codeOf(answer)).toBe('409 out_of_stock');
    expect(json<ErrorBody>(answer).message).toContain('items[1]');
    expect(json<ErrorBody>(answer).message).not.toContain('items[0]');
    expect(await requestOf(id)).toMatchObject({ status: 'pending', order_id: null });
    expect([await stockOf(enough), await stockOf(short)]).toEqual([
      { stock: 10, reserved: 0 },
      { stock: 1, reserved: 0 },
    ]);
    const adjusted = await organization.api('POST', '/inventory/adjust', {
      p1_id: short,
      delta: 1,
      reason: 'received',
    });
    expect(adjusted.status).toBe(200);
    await approved(id);
    expect(await stockOf(short)).toEqual({ stock: 2, reserved: 2 });
  });

  it('is never promised twice by racing approvals', async () => {
    const p1Id = await product(5);
    const items = [{ p1_id: p1Id, quantity: 1, price: 1 }];
    const ids = await Promise.all(
      Array.from({ length: 20 }, () => organization.submit(orderRequest({ items }))),
    );
    const answers = await Promise.all(ids.map((id) => approve(id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter((answer) => codeOf(answer) === '409 out_of_stock')).toHaveLength(15);
    expect(await stockOf(p1Id)).toEqual({ stock: 5, reserved: 5 });
  });

  it('is given back when the order is cancelled', async () => {
    const p1Id = await product(5);
    const id = await organization.submit(orderRequest({ items: [{ p1_id: p1Id, quantity: 4, price: 1 }] }));
    const { order_id } = await approved(id);
    expect(await stockOf(p1Id)).toEqual({ stock: 5, reserved: 4 });
    expect(
      (await organization.api('PATCH', `/orders/${order_id}/status`, { status: 'cancelled' })).status,
    ).toBe(200);
    await eventually('the release', async () => (await stockOf(p1Id)).reserved === 0);
    expect(await stockOf(p1Id)).toEqual({ stock: 5, reserved: 0 });
  });

  it.each(['shipped', 'picked_up', 'completed'])(
    'is sold when the order is %s, once, and the log says so',
    async (status) => {
      const p1Id = await product(5);
      const id = await organization.submit(orderRequest({ items: [{ p1_id: p1Id, quantity: 2, price: 1 }] }));
      const { order_id } = await approved(id);
      await organization.api('PATCH', `/orders/${order_id}/status`, { status });
      await organization.api('PATCH', `/orders/${order_id}/status`, { status: 'completed' });
      await eventually('the sale', async () => (await stockOf(p1Id)).stock === 3);
      expect(await stockOf(p1Id)).toEqual({ stock: 3, reserved: 0 });
      const log = json<{ data: { reason: string; delta: number; stock_after: number; reference: string }[] }>(
        await organization.api('GET', `/inventory/${p1Id}/log`),
      );
      const sold = log.data.filter(({ reason }) => reason === 'sold');
      expect(sold).toHaveLength(1);
      expect(sold[0]).toMatchObject({ delta: -2, stock_after: 3 });
      expect(log.data.reduce((sum, { delta }) => sum + delta, 0)).toBe(3);
    },
  );
});

it('is refused when the shop already has an order of that external id: nothing is decided, no stock is reserved', async () => {
  const external_id = `taken-${uniqueTag()}`;
  const p1Id = await product(1);
  const items = [{ p1_id: p1Id, quantity: 1, price: 1 }];
  await organization.createOrder({ external_id });
  const id = await organization.submit(orderRequest({ items }, { external_reference: external_id }));
  expect(codeOf(await approve(id))).toBe('409 conflict');
  expect(await requestOf(id)).toMatchObject({ status: 'pending', order_id: null });
  // The only piece is available to others at once, not after the hold's minute.
  expect(await stockOf(p1Id)).toEqual({ stock: 1, reserved: 0 });
  await approved(await organization.submit(orderRequest({ items })));
  expect((await organization.api('POST', `/order-requests/${id}/reject`, { reason: 'other' })).status).toBe(
    200,
  );
});
