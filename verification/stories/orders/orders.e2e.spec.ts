import { ORDER_STATUSES } from '@offizin/contracts/orders/orders';
import { queryAt } from '@offizin/local-stack/database-client';
import { testEnvironment } from '@offizin/testkit/environment';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { uniqueTag, usePlatform } from '@offizin/testkit/platform';

/** An integrator upserts an order, and its metadata go along; the variants are in apps/order-core/orders/orders. */
const platform = usePlatform();
let organization: TestOrganization;

beforeAll(async () => {
  organization = await platform.organization();
});

it('an upsert creates an order with 201 and its detail, and updates it with 200', async () => {
  const shop_id = organization.shops[0].shopId;
  const upsert = (fields: object) => organization.api('POST', '/orders', fields);
  const key = { shop_id, external_id: `ext-${uniqueTag()}` };
  const fields = {
    order_number: 'A-17',
    order_datetime: '2026-03-01T12:00:00+02:00',
    customer_name: 'Max',
    customer_email: 'max@example.org',
    address_street: 'Weg 1',
    address_city: 'Bonn',
    address_postal_code: '53111',
    address_phone: '0228 1',
    payment_status: 'paid',
    payment_reference: 'PAY',
    shipping_option: 'Uber Eats',
    cash_on_pickup: false,
  };
  const items = [
    { name: 'Tee', qty: 3, price: 0.1 },
    { p1_id: 'P-1', qty: 1, price: 0.2 },
  ];
  const created = await upsert({ ...key, ...fields, items });
  expect(created.status).toBe(201);
  const detail = json(created);
  expect(detail).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    external_id: key.external_id,
    shop_id,
    status: 'pending',
    customer_name: 'Max',
    customer_email: 'max@example.org',
    total_amount: 0.5,
    total_is_given: false,
    payment_status: 'paid',
    payment_reference: 'PAY',
    shipped: false,
    picked_up: false,
    cash_on_pickup: false,
    shipping_address: { street: 'Weg 1', city: 'Bonn', postal_code: '53111', phone: '0228 1' },
    items: [
      { p1_id: null, name: 'Tee', quantity: 3, price: 0.1 },
      { p1_id: 'P-1', name: null, quantity: 1, price: 0.2 },
    ],
    order_number: 'A-17',
    order_datetime: '2026-03-01T10:00:00.000Z',
    shipping_option: 'Uber Eats',
    order_request_id: null,
    next_statuses: ORDER_STATUSES.slice(1),
    stock: 'none',
    parcels: [],
    lots: [],
    metadata: {},
    erased_at: null,
    created_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
  });
  const updated = await upsert({ ...key, customer_name: 'Moritz' });
  expect(updated.status).toBe(200);
  expect(json(updated)).toEqual({ ...detail, customer_name: 'Moritz', updated_at: expect.any(String) });
  expect(Date.parse(String(json(updated)['updated_at']))).toBeGreaterThan(
    Date.parse(String(detail['updated_at'])),
  );
});

/** Metadata of the caller: from a partner's request to the order, and emptied by an erasure. */
describe('metadata', () => {
  interface WithMetadata {
    metadata: Record<string, string>;
  }

  async function read(path: string): Promise<WithMetadata> {
    const answer = await organization.api('GET', path);
    expect(answer.status).toBe(200);
    return json(answer);
  }

  it('go from the request on a shop domain to its order, where the ERP adds its own', async () => {
    const metadata = { consultation: 'C-17', channel: 'app' };
    const body = orderRequest({}, { external_reference: uniqueTag(), metadata });
    const id = await organization.submit(body);
    expect((await read(`/order-requests/${id}`)).metadata).toEqual(metadata);
    const approved = await organization.api('POST', `/order-requests/${id}/approve`, {});
    const { order_id: orderId } = json<{ order_id: string }>(approved);
    expect((await read(`/orders/${orderId}`)).metadata).toEqual(metadata);
    const change = { metadata: { erp: '4711', channel: null } };
    expect(json<WithMetadata>(await organization.api('PUT', `/orders/${orderId}`, change)).metadata).toEqual({
      consultation: 'C-17',
      erp: '4711',
    });
    const other = await platform.organization();
    expect((await other.api('PUT', `/orders/${orderId}`, change)).status).toBe(404);
    expect((await other.api('GET', `/orders/${orderId}`)).status).toBe(404);
  });

  it('are taken with a request that is handed in directly, too', async () => {
    const metadata = { channel: 'marketplace' };
    const body = orderRequest({ shop_id: organization.shops[0].shopId }, { metadata });
    const answer = await organization.api('POST', '/order-requests', body);
    expect((await read(`/order-requests/${json<{ id: string }>(answer).id}`)).metadata).toEqual(metadata);
  });

  it('that are refused give back the stock that the change had claimed', async () => {
    const own = await platform.organization();
    expect((await own.api('PUT', '/settings/stock', { stock_follows_orders: true })).status).toBe(200);
    const [p1_id = ''] = await platform.catalogProducts(1);
    await own.stock(p1_id, 5);
    const full = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`, 'v']));
    const order = await own.createOrder({ items: [{ p1_id, qty: 1, price: 4.5 }], metadata: full });
    const change = { items: [{ p1_id, qty: 3, price: 4.5 }], metadata: { one_more: 'v' } };
    const refused = await own.api('PUT', `/orders/${order.id}`, change);
    expect([refused.status, json(refused)]).toMatchObject([400, { details: [{ field: 'metadata' }] }]);
    await eventually('the stock of the stored lines alone to be held', async () => {
      const { data } = json<{ data: { reserved_quantity: number }[] }>(await own.api('GET', '/inventory'));
      return data[0]?.reserved_quantity === 1;
    });
    const taken = await own.api('PUT', `/orders/${order.id}`, {
      ...change,
      metadata: { k0: null, one_more: 'v' },
    });
    expect([taken.status, Object.keys(json<WithMetadata>(taken).metadata)]).toEqual([
      200,
      expect.arrayContaining(['k1', 'one_more']),
    ]);
  });

  it('are part of what a reference stands for, and merge with the answer to a question', async () => {
    const external_reference = uniqueTag();
    const send = (payload: object, metadata?: object | null) =>
      organization.connector({ body: orderRequest({ ...payload }, { external_reference, metadata }) });
    const first = await send({}, { a: '1', b: '2' });
    const { id } = json<{ id: string }>(first);
    expect(json(await send({}, { b: '2', a: '1' }))).toMatchObject({ id });
    expect((await send({}, { a: 'other', b: '2' })).status).toBe(409);
    await organization.api('POST', `/order-requests/${id}/request-clarification`, {
      question: 'Which dose?',
    });
    expect((await send({ customer_email: 'anna@example.org' }, { a: null, c: '3' })).status).toBe(200);
    expect((await read(`/order-requests/${id}`)).metadata).toEqual({ b: '2', c: '3' });
  });

  it('are refused with their field when wrong, and nothing is stored', async () => {
    const external_reference = uniqueTag();
    const wrong = orderRequest({}, { external_reference, metadata: { 'no space': 'v' } });
    const refused = await organization.connector({ body: wrong });
    expect([refused.status, json(refused)]).toMatchObject([400, { details: [{ field: 'metadata' }] }]);
    const answer = await organization.connector({ body: orderRequest({}, { external_reference }) });
    expect((await read(`/order-requests/${json<{ id: string }>(answer).id}`)).metadata).toEqual({});
  });

  it('go with an erasure of the customer, from request, order and history', async () => {
    const customer_email = `${uniqueTag()}@example.org`;
    const secret = `private-${uniqueTag()}`;
    const body = orderRequest(
      { customer_email },
      { external_reference: uniqueTag(), metadata: { note: secret } },
    );
    const id = await organization.submit(body);
    const approved = await organization.api('POST', `/order-requests/${id}/approve`, {});
    const { order_id: orderId } = json<{ order_id: string }>(approved);
    await organization.api('PUT', `/orders/${orderId}`, { metadata: { second: secret } });
    const erased = await organization.api('POST', '/customers/erase', { email: customer_email });
    expect(erased.status).toBeLessThan(300);
    for (const path of [`/order-requests/${id}`, `/orders/${orderId}`, `/orders/${orderId}/history`]) {
      const answer = await organization.api('GET', path);
      expect([answer.status, answer.body.toString().includes(secret)]).toEqual([200, false]);
    }
  });
});

it('the running order-core has made the partition of the third month from now', async () => {
  const now = new Date();
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 3)).toISOString().slice(0, 7);
  await eventually('the partition is attached', async () => {
    const rows = await queryAt(
      testEnvironment().databaseUrls['order-core'],
      `SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = 'core.order_history'::regclass AND c.relname = 'order_history_${month.replace('-', '_')}'`,
    );
    return rows.length === 1;
  });
});
