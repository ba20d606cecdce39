import type { Caller } from '@offizin/contracts/calls/caller';
import type { Answer, Operation } from '@offizin/contracts/calls/operation';
import { upsertOrders } from '@offizin/contracts/orders/order-batches';
import { addOrderNote } from '@offizin/contracts/orders/order-notes';
import { listOrders, patchOrderStatus, upsertOrder } from '@offizin/contracts/orders/orders';
import { eraseCustomer } from '@offizin/contracts/people/customers';
import { addExternalDocument } from '@offizin/contracts/requests/added-documents';
import * as decisions from '@offizin/contracts/requests/order-request-review';
import * as requests from '@offizin/contracts/requests/order-requests';
import { getReview, setReviewMarks } from '@offizin/contracts/requests/review';
import { Idempotency } from '@offizin/idempotency/idempotency';
import { answersAbout } from '@offizin/idempotency/stored-answer';
import { ok } from '@offizin/contracts/calls/operation';
import { toWire } from '@offizin/operations/serve-operation';
import { newId } from '@offizin/pg/ids';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { orderRequest } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import { brokerSpec } from '../spec/core-spec';
import { ReviewFixture } from '../spec/review-fixture';
import { erasureHandlers, noteHandlers } from '../spec/request-handlers';
import { approvalHandlers, type OrderCoreFixture } from '../spec/spec-fixture';
import { storedText } from '../spec/stored-text';
import { findOrder } from '../orders/orders/orders.store';
import { isErasedSql } from './erasure.store';

const test = brokerSpec();
let core: OrderCoreFixture;
let staff: Caller;
beforeEach(async () => {
  const { database, bus } = test;
  ({ core } = await ReviewFixture.make(database, bus, (keys) => [
    ...erasureHandlers(database, keys),
    ...noteHandlers(database, keys),
    ...handlersIn(approvalHandlers(database, bus, keys)),
  ]));
  staff = core.staff();
});

const CUSTOMER = {
  customer_name: 'Erika Canary',
  customer_email: 'canary@example.org',
  address_street: 'Canary Weg 1',
  address_city: 'Canary',
  address_postal_code: '01234',
  address_phone: '01234 canary',
  metadata: { canary: 'canary' },
};
const LINES = { items: [{ name: 'Salbe', qty: 1, price: 2 }] };
const EMPTY = { customer_name: null, customer_email: null, metadata: {} };
const erase = (body: object) => core.call(eraseCustomer, { body });
const text = () => storedText(test.database, core.orgId);

async function erasedOrder(): Promise<string> {
  const { id } = (await core.upsert('a', { ...CUSTOMER, ...LINES })).body;
  expect((await erase({ order_id: id })).body).toMatchObject({ status: 'done', orders: 1 });
  return id;
}

/** Each way to change an order, as its caller. */
const DOORS: Record<string, (orderId: string, fields: object) => Promise<unknown>> = {
  POST: (_, fields) => core.upsert('a', fields),
  'POST of an ERP that checks the version': (_, fields) => core.upsert('a', fields, { ifMatch: '*' }),
  PUT: (orderId, fields) => core.update(orderId, fields),
  'a batch': (_, fields) =>
    core.call(upsertOrders, { body: { orders: [{ shop_id: core.shopId, external_id: 'a', ...fields }] } }),
};

it.each(Object.entries(DOORS))(
  'an erased order takes no customer by %s, and what is dropped is not a change',
  async (_, send) => {
    const orderId = await erasedOrder();
    const before = await core.order(orderId);
    expect(before).toMatchObject({ ...EMPTY, erased_at: expect.stringMatching(/^20.*Z$/) });
    const same = await send(orderId, { ...CUSTOMER, ...LINES });
    expect(same).toMatchObject({ status: 200 });
    expect(JSON.stringify(same)).not.toContain('updated"');
    expect(await core.order(orderId)).toEqual(before);
    await send(orderId, { ...CUSTOMER, ...LINES, payment_reference: 'R' });
    const after = await core.order(orderId);
    expect(after).toMatchObject({ ...EMPTY, erased_at: before.erased_at, payment_reference: 'R' });
    expect((await core.eventsOf(orderId)).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(await text()).not.toMatch(/canary/i);
    expect(await core.falseSummaries()).toEqual([]);
    expect((await core.call(listOrders)).body.data[0]?.erased_at).toBe(before.erased_at);
  },
);

it('an erased order that is closed takes the same body as unchanged, and no reason of a move', async () => {
  const orderId = await erasedOrder();
  const body = { status: 'cancelled', reason: 'Erika Canary is ill' };
  await core.call(patchOrderStatus, { params: { orderId }, body });
  expect((await core.upsert('a', { ...CUSTOMER, ...LINES })).status).toBe(200);
  expect((await core.upsert('a', { items: [] })).body.error).toBe('order_closed');
  expect(await text()).not.toMatch(/canary/i);
});

it('an order without a customer that is erased takes none later, and another order does', async () => {
  const { id } = (await core.upsert('a', LINES)).body;
  expect((await erase({ order_id: id })).body).toMatchObject({ orders: 1 });
  expect((await erase({ order_id: id })).body).toMatchObject({ orders: 0 });
  expect((await core.upsert('a', CUSTOMER)).body).toMatchObject(EMPTY);
  expect((await core.upsert('b', CUSTOMER)).body).toMatchObject({
    customer_name: CUSTOMER.customer_name,
    erased_at: null,
  });
});

async function submitted(): Promise<string> {
  const { address_street, customer_name, customer_email } = CUSTOMER;
  const payload = { customer_name, customer_email, address_street, shop_id: core.shopId };
  return (await core.call(requests.submitOrderRequest, { body: orderRequest(payload) })).body.id;
}

const CONFLICT = {
  status: 409,
  body: { error: 'conflict', message: expect.stringMatching(/erased.*leave out/) },
};
const SAID = 'Erika Canary';
/** What staff says about an erased request, and what holds: null for a call that counts without the text. */
const TEXTS: [name: string, op: Operation, body: object, answer: object | null][] = [
  ['an approval with a name', decisions.approveOrderRequest, { customer_name: SAID }, CONFLICT],
  ['an approval with a street', decisions.approveOrderRequest, { address_street: SAID }, CONFLICT],
  ['an approval with a reason', decisions.approveOrderRequest, { acknowledged: ['age'], reason: SAID }, null],
  ['an approval with a warning', decisions.approveOrderRequest, { acknowledged: [SAID] }, null],
  ['a question', decisions.requestClarification, { question: SAID }, CONFLICT],
  ['a note beside the marks', setReviewMarks, { note: SAID, version: 1 }, CONFLICT],
  ['a rejection', decisions.rejectOrderRequest, { reason: 'other', note: SAID, message: SAID }, null],
  ['a withdrawal', requests.cancelOrderRequest, { reason: 'other', message: SAID }, null],
];
it.each(TEXTS)('an erased request keeps no text of %s', async (_, op, body, answer) => {
  const requestId = await submitted();
  await erase({ order_request_id: requestId });
  const caller = op === requests.cancelOrderRequest ? core.key() : staff;
  const answered = await core.call(op, { params: { requestId }, body, caller });
  expect(answered).toMatchObject(answer ?? { status: 200 });
  const read = (await core.call(decisions.getOrderRequest, { params: { requestId } })).body;
  expect(read).toMatchObject({ note: null, question: null, erased_at: expect.any(String) });
  const kept = await core.call(decisions.getOrderRequest, { params: { requestId } });
  const review = await core.call(getReview, { params: { requestId }, caller: staff });
  expect([review.status, JSON.stringify(review.body)]).toEqual([200, expect.not.stringContaining(SAID)]);
  expect(JSON.stringify([answered.status === 200 && answered.body, kept.body])).not.toContain(SAID);
});

it('the sender of an erased request with an open question is not asked for what is refused', async () => {
  const caller = await core.integration('Partner', core.shopId);
  const sent = (payload = {}) => orderRequest({ ...CUSTOMER, ...payload }, { external_reference: 'r' });
  const { id: requestId } = (await core.call(requests.submitExternalOrder, { body: sent(), caller })).body;
  const of = { params: { requestId }, caller };
  const read = async () => (await core.call(requests.readExternalOrder, of)).body;
  await core.call(decisions.requestClarification, { ...of, body: { question: 'Which?' }, caller: staff });
  const asking = (await read()).message;
  await erase({ order_request_id: requestId });
  const erased = await read();
  expect(erased).toMatchObject({ status: 'needs_clarification', question: null });
  expect([erased.message, erased.message === asking]).toEqual([expect.stringContaining('erased'), false]);
  const pdf_base64 = makePdf('later').toString('base64');
  const answers = await Promise.all([
    core.call(requests.submitExternalOrder, { body: sent({ metadata: {} }), caller }),
    core.call(requests.replaceExternalOrder, { ...of, body: sent() }),
    core.call(addExternalDocument, { ...of, body: { kind: 'other', pdf_base64 } }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([409, 409, 409]);
  // What the message names.
  const withdrawn = await core.call(requests.cancelExternalOrder, { ...of, body: { reason: 'other' } });
  expect([withdrawn.status, (await read()).message]).toEqual([200, expect.stringContaining('withdrawn')]);
});

it('an order that comes from an erased request is erased, too', async () => {
  const requestId = await submitted();
  await erase({ email: CUSTOMER.customer_email });
  const { order } = (
    await core.call(decisions.approveOrderRequest, { params: { requestId }, body: {}, caller: staff })
  ).body;
  expect(order).toMatchObject({ ...EMPTY, erased_at: expect.any(String) });
  expect((await core.update(order.id, CUSTOMER)).body).toMatchObject(EMPTY);
});

it('an erased order takes no note', async () => {
  const orderId = await erasedOrder();
  const note = await core.call(addOrderNote, { params: { orderId }, body: { text: SAID }, caller: staff });
  expect(note).toMatchObject(CONFLICT);
});

it('tells subscribers what was emptied, by ids, once per batch', async () => {
  const [orderId, requestId] = [(await core.upsert('a', CUSTOMER)).body.id, await submitted()];
  const { id } = (await erase({ email: CUSTOMER.customer_email })).body;
  await erase({ order_id: orderId });
  const emptied = { order_ids: [orderId], order_request_ids: [requestId], prescription_ids: [] };
  const metadata = { erasure_id: id, ...emptied, sequence: 1 };
  expect(await core.eventsOf(id)).toEqual([
    { event_type: 'customer_erased', sequence: 1, topic: 'plain', metadata },
  ]);
});

it('an answer that was read before an erasure and is stored after it stays empty', async () => {
  const orderId = (await core.upsert('a', CUSTOMER)).body.id;
  const secret = 'a secret of thirty-two characters';
  const idempotency = new Idempotency(test.database, 'core', secret, isErasedSql);
  const [key, params] = [newId(), { orgId: core.orgId }];
  const headers = { 'idempotency-key': key };
  const received = { caller: core.key(), params, queryString: '', headers, body: Buffer.from('{}') };
  const send = () =>
    idempotency.around(upsertOrder, received, async (run) => {
      const row = await findOrder(test.database, core.orgId, orderId);
      if (!row) throw new Error('the order is gone');
      answersAbout(run, row);
      await erase({ order_id: orderId });
      const answer: Answer<unknown> = ok(row);
      return toWire(answer);
    });
  await send();
  await expect(send()).rejects.toMatchObject({ code: 'conflict' });
});
