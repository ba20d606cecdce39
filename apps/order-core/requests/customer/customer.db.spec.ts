import { type CustomerResponse, getCustomer } from '@offizin/contracts/console/customer';
import { setReviewMarks } from '@offizin/contracts/requests/review';
import type { Role } from '@offizin/contracts/people/roles';
import { upsertOrder } from '@offizin/contracts/orders/orders';
import { ReviewFixture } from '../../spec/review-fixture';
import { brokerSpec } from '../../spec/core-spec';

const EMAIL = 'jo\u0308rg@kunden.example';

const test = brokerSpec();
let fixture: ReviewFixture;
beforeEach(async () => {
  fixture = await ReviewFixture.make(test.database, test.bus);
});

async function read(query: string, role: Role = 'pharmacist'): Promise<CustomerResponse> {
  const { core } = fixture;
  const { status, body } = await core.call(getCustomer, { query, caller: core.staff(role) });
  expect(status).toBe(200);
  return body;
}

it('holds requests, orders, rejections and notes of one e-mail address, from either side', async () => {
  const { core } = fixture;
  const rejected = await fixture.submit({ customer_email: EMAIL }, { external_reference: '1' });
  await core.call(setReviewMarks, {
    params: { requestId: rejected },
    body: { note: 'Praxis angerufen' },
    caller: core.staff(),
  });
  await fixture.reject(rejected);
  const open = await fixture.submit({ customer_email: EMAIL.normalize('NFC').toUpperCase() });
  await fixture.submit({ customer_email: 'other@kunden.example' });
  const order = { shop_id: core.shopId, external_id: 'o-1', customer_email: EMAIL, items: [] };
  const { id: orderId } = (await core.call(upsertOrder, { body: order })).body;
  await core.call(upsertOrder, {
    body: { ...order, external_id: 'o-2', customer_email: 'other@kunden.example' },
  });
  for (const query of [`request_id=${open}`, `order_id=${orderId}`]) {
    const found = await read(query);
    expect(found.requests.map(({ id, status }) => [id, status])).toEqual([
      [open, 'pending'],
      [rejected, 'rejected'],
    ]);
    expect(found.requests[1]).toMatchObject({
      reason: 'other',
      notes: ['Praxis angerufen'],
      lines_text: '2 × Blüte',
    });
    expect([found.rejected, found.orders.map(({ id }) => id)]).toEqual([1, [orderId]]);
  }
  expect(await read(`order_id=${orderId}`, 'clerk')).toMatchObject({
    requests: [],
    orders: [{ id: orderId }],
  });
});

it('is unknown for a clerk who names a request, and in another organization', async () => {
  const { core } = fixture;
  const id = await fixture.submit({ customer_email: EMAIL });
  const other = await ReviewFixture.make(test.database, test.bus);
  for (const [at, role] of [
    [core, 'clerk'],
    [other.core, 'owner'],
  ] as const) {
    const { status } = await at.call(getCustomer, { query: `request_id=${id}`, caller: at.staff(role) });
    expect(status).toBe(404);
  }
});
