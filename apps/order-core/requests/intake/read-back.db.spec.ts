import { eraseCustomer } from '@offizin/contracts/people/customers';
import * as review from '@offizin/contracts/requests/order-request-review';
import * as offers from '@offizin/contracts/requests/offers';
import * as requests from '@offizin/contracts/requests/order-requests';
import { statement } from '@offizin/pg/database';
import { orderRequest } from '@offizin/testkit/organization';
import { catalogSpec } from '../../spec/fake-catalog';
import { DOORS, said, sentAt, SMALLER, SMALLER_STORED } from '../../spec/offer-fixture';
import { erasureHandlers, requestHandlers, specKeys } from '../../spec/request-handlers';
import { OrderCoreFixture } from '../../spec/spec-fixture';

/** What the sender of a request reads of the pharmacy: the answer, the order as it is, and an offer. */
const test = catalogSpec();
let core: OrderCoreFixture;

beforeEach(async () => {
  const { database, bus } = test;
  const keys = specKeys(database);
  const further = [...requestHandlers(database, keys, bus), ...erasureHandlers(database, keys)];
  const holds = { hold: () => Promise.resolve('reserved' as const), release: () => Promise.resolve() };
  core = await OrderCoreFixture.make(database, further, holds);
});

const PAYLOAD = {
  customer_name: 'Erika',
  customer_email: 'erika@example.org',
  address_city: 'Bonn',
  shipping_option: 'Versand',
  payment_status: 'paid',
  items: [
    { name: 'Salbe', quantity: 2, price: 3.5 },
    { p1_id: 'p1', quantity: 1, price: 10 },
  ],
};
const CORRECTED = [
  { name: 'Salbe', qty: 1, price: 3.5 },
  { p1_id: 'p1', qty: 1, price: 10 },
];

async function submitted(): Promise<string> {
  return (await core.call(requests.submitExternalOrder, { body: { payload: PAYLOAD } })).body.id;
}

async function approve(requestId: string, body: object = {}): Promise<string> {
  const answer = await core.call(review.approveOrderRequest, { params: { requestId }, body });
  expect(answer.status).toBe(200);
  return answer.body.order_id;
}

const read = async (requestId: string) =>
  (await core.call(requests.readExternalOrder, { params: { requestId } })).body;
const detail = async (requestId: string) =>
  (await core.call(review.getOrderRequest, { params: { requestId } })).body;

it('is neither answer nor order before the approval, nor after a rejection', async () => {
  const id = await submitted();
  const none = { answer: null, order: null, order_status: null };
  expect([await read(id), await detail(id)]).toMatchObject([none, { answer: null, order: null }]);
  await core.call(review.rejectOrderRequest, { params: { requestId: id }, body: { reason: 'other' } });
  expect([await read(id), await detail(id)]).toMatchObject([none, { answer: null, order: null }]);
});

it('is an order without corrections, and no data of the customer', async () => {
  const id = await submitted();
  await approve(id);
  const progress = await read(id);
  expect(progress).toMatchObject({
    message: 'The request was approved and became an order.',
    order_status: 'awaiting_packing',
    answer: { corrected: false, changes: [] },
  });
  expect(progress.order).toEqual({
    external_id: id,
    status: 'awaiting_packing',
    items: [
      { p1_id: null, name: 'Salbe', quantity: 2, price: 3.5 },
      { p1_id: 'p1', name: null, quantity: 1, price: 10 },
    ],
    total_amount: 17,
    shipping_option: 'Versand',
    payment_status: 'paid',
    shipped: false,
    picked_up: false,
    parcels: [],
  });
  expect(await detail(id)).toMatchObject({ answer: progress.answer, order: progress.order });
  expect(JSON.stringify(progress)).not.toMatch(/Erika|erika|Bonn/);
});

it('names what the pharmacist changed, in a sentence, too; customer and delivery without values', async () => {
  const id = await submitted();
  await approve(id, { items: CORRECTED, address_city: 'Geheimstadt', customer_name: 'Eva' });
  const changes = [
    { kind: 'quantity', line: 1, from: 2, to: 1 },
    { kind: 'delivery', line: null, from: null, to: null },
    { kind: 'customer', line: null, from: null, to: null },
  ];
  const progress = await read(id);
  expect(progress.answer).toEqual({ corrected: true, changes });
  expect(progress.message).toBe(
    "The request was approved with changes and became an order. Line 1: quantity 1 instead of 2. The delivery was changed. The customer's data were changed.",
  );
  expect(progress.order).toMatchObject({ total_amount: 13.5, items: [{ quantity: 1 }, { quantity: 1 }] });
  expect((await detail(id)).answer).toEqual(progress.answer);
  expect(JSON.stringify(progress)).not.toMatch(/Eva|Geheim/);
});

it('keeps the answer of the approval, and shows the order as it is by now', async () => {
  const id = await submitted();
  const orderId = await approve(id, { items: CORRECTED });
  const { answer } = await read(id);
  await core.patch(orderId, { status: 'shipped', payment_status: 'refunded' });
  await core.update(orderId, { items: [{ name: 'Tee', qty: 4, price: 1 }], force: true });
  const now = await read(id);
  expect(now.answer).toEqual(answer);
  expect(now.order).toMatchObject({
    status: 'shipped',
    shipped: true,
    payment_status: 'refunded',
    items: [{ name: 'Tee', quantity: 4 }],
    total_amount: 4,
  });
  expect((await detail(id)).order).toEqual(now.order);
});

it('is stored by the statement of the decision, encrypted, and once', async () => {
  const id = await submitted();
  const body = { items: [{ name: 'Wundsalbe', qty: 2, price: 3.5 }] };
  await approve(id, body);
  const first = await storedOf(id);
  expect(first?.answer_ciphertext?.length).toBeGreaterThan(100);
  expect(first?.answer_ciphertext?.toString('latin1')).not.toMatch(/Wundsalbe|changes/);
  await approve(id, body);
  expect(await storedOf(id)).toEqual(first);
});

it('an approval of before has an order and no answer', async () => {
  const id = await submitted();
  await approve(id, { items: CORRECTED });
  await test.database.rows(forget, id);
  expect(await read(id)).toMatchObject({ answer: null, order: { status: 'awaiting_packing' } });
  expect((await detail(id)).answer).toBeNull();
});

it('an erasure takes the answer with the person, and leaves the lines of the order', async () => {
  const [id, other] = [await submitted(), await submitted()];
  for (const one of [id, other]) await approve(one, { items: CORRECTED });
  const { order } = await read(id);
  await core.call(eraseCustomer, { body: { order_request_id: id } });
  expect((await storedOf(id))?.answer_ciphertext).toBeNull();
  expect(await read(id)).toMatchObject({
    message: 'The request was approved and became an order.',
    answer: null,
    order,
  });
  expect((await detail(id)).answer).toBeNull();
  expect((await read(other)).answer).toMatchObject({ corrected: true });
});

it("is not another organization's, nor another integration's", async () => {
  const id = await submitted();
  await approve(id, { items: CORRECTED });
  const stranger = await OrderCoreFixture.make(test.database, requestHandlers(test.database));
  const params = { requestId: id };
  expect((await stranger.call(requests.readExternalOrder, { params })).status).toBe(404);
  expect((await stranger.call(review.getOrderRequest, { params })).status).toBe(404);
  const partner = await core.integration('other');
  expect((await core.call(requests.readExternalOrder, { params, caller: partner })).status).toBe(404);
});

describe('an offer', () => {
  it('is read beside its sentence, and with its state afterwards', async () => {
    const request = await sentAt(core, DOORS.connector);
    expect(await request.read()).toMatchObject({ offer: null, question: null });
    await request.offer({ question: 'One instead of two?' });
    const { offer } = await request.detail();
    const open = await request.read();
    expect(open).toMatchObject({
      status: 'needs_clarification',
      message: expect.stringContaining('accept or decline'),
      question: 'One instead of two?',
      offer: { state: 'open', items: SMALLER_STORED, total_amount: 3.5, valid_until: offer?.valid_until },
    });
    expect(JSON.stringify(open.offer)).not.toMatch(/Erika|erika/);
    await request.accept();
    expect(await request.read()).toMatchObject({
      status: 'pending',
      question: null,
      offer: { state: 'accepted' },
    });
  });

  it('without a sentence has a general one, until its time has passed', async () => {
    const request = await sentAt(core, DOORS.connector);
    await request.offer();
    expect(await request.read()).toMatchObject({ question: 'Does the customer take these lines instead?' });
    await test.database.rows(makeLate, request.id);
    expect(await request.read()).toMatchObject({ question: null, offer: { state: 'expired' } });
  });

  it('is answered neither by another integration, nor at another shop, nor by the organization', async () => {
    const request = await sentAt(core, DOORS.connector);
    await request.offer();
    const { params } = request;
    const strangers = [await core.integration('other'), core.partner(core.otherShopId)];
    for (const op of [offers.acceptExternalOffer, offers.declineExternalOffer])
      for (const caller of strangers)
        expect(said(await core.call(op, { params, body: {}, caller }))).toBe('404 not_found');
    const owner = await core.integration('owner');
    const body = orderRequest({}, { external_reference: 'of-integration' });
    const { id } = (await core.call(requests.submitExternalOrder, { body, caller: owner })).body;
    const ofOwner = { params: { requestId: id } };
    await core.call(offers.offerLines, { ...ofOwner, body: { version: 1, items: SMALLER } });
    expect(said(await core.call(offers.acceptOffer, { ...ofOwner, body: {} }))).toBe('404 not_found');
    expect(said(await core.call(offers.acceptExternalOffer, { ...ofOwner, body: {}, caller: owner }))).toBe(
      '200 pending',
    );
  });
  const makeLate = statement<never, [string]>(
    'spec_read_offer_late',
    `UPDATE core.order_requests SET offer_valid_until = now() - interval '1 second' WHERE id = $1`,
  );
});

const stored = statement<{ answer_ciphertext: Buffer | null }, [string]>(
  'spec_answer',
  'SELECT answer_ciphertext FROM core.order_requests WHERE id = $1',
);
const forget = statement<never, [string]>(
  'spec_forget_answer',
  'UPDATE core.order_requests SET answer_ciphertext = NULL WHERE id = $1',
);
async function storedOf(id: string) {
  return (await test.database.rows(stored, id))[0];
}
