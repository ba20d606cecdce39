import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import { eventually } from '@offizin/testkit/eventually';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';

/** A pharmacist approves an order request: it becomes one order, and the stock is taken, whole or not at all. */
const platform = usePlatform();
let organization: TestOrganization;

beforeAll(async () => {
  organization = await platform.organization();
});

const product = (pieces: number): Promise<string> => platform.stockedProduct(organization, pieces);

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

  it('is not made by corrections without lines', async () => {
    const id = await organization.submit(orderRequest());
    const answer = await approve(id, { items: [] });
    expect(codeOf(answer)).toBe('400 invalid_request');
    expect(json<ErrorBody>(answer).details?.map(({ field }) => field)).toEqual(['items']);
    expect(await requestOf(id)).toMatchObject({ status: 'pending', order_id: null });
  });
});

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
    expect([await organization.stockOf(one), await organization.stockOf(two)]).toEqual([
      [10, 6],
      [5, 5],
    ]);
  });

  it.each<[string, [number, number]]>([
    ['cancelled', [5, 0]],
    ['shipped', [3, 0]],
  ])('of an order that is %s is given back, or sold once', async (status, left) => {
    const p1Id = await product(5);
    const id = await organization.submit(orderRequest({ items: [{ p1_id: p1Id, quantity: 2, price: 1 }] }));
    const { order_id } = await approved(id);
    expect(await organization.stockOf(p1Id)).toEqual([5, 2]);
    const moved = await organization.api('PATCH', `/orders/${order_id}/status`, { status });
    expect(moved.status).toBe(200);
    await eventually('the stock to follow', async () => (await organization.stockOf(p1Id))[1] === 0);
    expect(await organization.stockOf(p1Id)).toEqual(left);
  });
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
  expect(await organization.stockOf(p1Id)).toEqual([1, 0]);
  await approved(await organization.submit(orderRequest({ items })));
  expect((await organization.api('POST', `/order-requests/${id}/reject`, { reason: 'other' })).status).toBe(
    200,
  );
});
