import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { orderRequest } from '@offizin/testkit/order-request';
import { TestPlatform, uniqueTag } from '@offizin/testkit/platform';
import { race } from '@offizin/testkit/race';
import { BURST } from '@offizin/testkit/test-run';

/** Values of the caller's own, from a partner's request to the order, and away with an erasure. */
interface WithMetadata {
  metadata: Record<string, string>;
}

let platform: TestPlatform;
let organization: TestOrganization;
let other: TestOrganization;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  [organization, other] = await Promise.all([platform.organization(), platform.organization()]);
});
afterAll(() => platform.close());

async function read(path: string, by = organization): Promise<WithMetadata> {
  const answer = await by.api('GET', path);
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
  expect((await other.api('PUT', `/orders/${orderId}`, change)).status).toBe(404);
  expect((await other.api('GET', `/orders/${orderId}`)).status).toBe(404);
});

it('are taken with a request that is handed in directly, too', async () => {
  const metadata = { channel: 'marketplace' };
  const body = orderRequest({ shop_id: organization.shops[0].shopId }, { metadata });
  const answer = await organization.api('POST', '/order-requests', body);
  expect((await read(`/order-requests/${json<{ id: string }>(answer).id}`)).metadata).toEqual(metadata);
});

it('belong to one request and one order when partners race, and then approvals', async () => {
  const external_reference = uniqueTag();
  const bodyOf = (n: number) => orderRequest({}, { external_reference, metadata: { winner: String(n % 2) } });
  const answers = await race(BURST, (n) => organization.connector({ body: bodyOf(n) }));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
  const [id = '', ...others] = new Set(
    answers.filter(({ status }) => status === 200).map((answer) => json<{ id: string }>(answer).id),
  );
  expect(others).toEqual([]);
  const { metadata } = await read(`/order-requests/${id}`);
  const approvals = await race(BURST, () => organization.api('POST', `/order-requests/${id}/approve`, {}));
  const orders = new Set(approvals.map((answer) => json<{ order_id: string }>(answer).order_id));
  expect(orders.size).toBe(1);
  expect((await read(`/orders/${[...orders][0]}`)).metadata).toEqual(metadata);
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
  await organization.api('POST', `/order-requests/${id}/request-clarification`, { question: 'Which dose?' });
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
