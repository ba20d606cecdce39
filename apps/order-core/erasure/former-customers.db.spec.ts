import type { Caller } from '@offizin/contracts/calls/caller';
import { CHANGED_SUBJECT } from '@offizin/contracts/console/live';
import { eraseCustomer } from '@offizin/contracts/people/customers';
import { approveOrderRequest, getOrderRequest } from '@offizin/contracts/requests/order-request-review';
import { acceptOffer, declineOffer, offerLines } from '@offizin/contracts/requests/offers';
import { getReview } from '@offizin/contracts/requests/review';
import { replaceOrderRequest, submitOrderRequest } from '@offizin/contracts/requests/order-requests';
import { getPrescription, ingestPrescription, RECEIPT_KEY } from '@offizin/contracts/requests/prescriptions';
import { setReviewSettings } from '@offizin/contracts/requests/review-settings';
import { statement } from '@offizin/pg/database';
import { eventually } from '@offizin/testkit/eventually';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { orderRequest } from '@offizin/testkit/organization';
import { makePdf } from '@offizin/testkit/pdf';
import type { DataKeys } from '../crypto/data-keys.store';
import { PrescriptionsHandlers } from '../requests/prescriptions/prescriptions.handlers';
import { LiveChanges } from '../requests/review/first-approvals';
import { ReviewSettingsHandlers } from '../requests/review/review-settings.handlers';
import { brokerSpec } from '../spec/core-spec';
import { documentParts, erasureHandlers, requestHandlers } from '../spec/request-handlers';
import { ReviewFixture } from '../spec/review-fixture';
import { approvalHandlers, silentRelay } from '../spec/spec-fixture';
import { storedText } from '../spec/stored-text';

/** Customers whose e-mail only an approval, an earlier version or an earlier ingest holds. */

const test = brokerSpec();
let fixture: ReviewFixture;
let [anna, bodo]: Caller[] = [];
beforeEach(async () => {
  const { database, bus } = test;
  fixture = await ReviewFixture.make(database, bus, (keys) => [
    ...erasureHandlers(database, keys, new LiveChanges(bus.connection)),
    ...requestHandlers(database, keys),
    ...handlersIn(approvalHandlers(database, bus, keys), new ReviewSettingsHandlers(database)),
    ...prescriptionHandlers(keys),
  ]);
  [anna, bodo] = [fixture.core.staff(), fixture.core.staff()];
});

function prescriptionHandlers(keys: DataKeys) {
  const { database } = test;
  const { threads, fetcher, reads } = documentParts(database, keys);
  return handlersIn(new PrescriptionsHandlers(database, silentRelay(), keys, fetcher, threads, reads));
}

const ERIKA = { customer_name: 'Erika Canary', customer_email: 'Canary@Exämple.de' };
const MAX = { customer_name: 'Max', customer_email: 'max@example.org' };
const erase = async (email = 'canary@xn--exmple-cua.de') =>
  (await fixture.core.call(eraseCustomer, { body: { email } })).body;
const approve = (requestId: string, body: object, caller?: Caller) =>
  fixture.core.call(approveOrderRequest, { params: { requestId }, body, ...(caller && { caller }) });
const review = async (requestId: string) =>
  (await fixture.core.call(getReview, { params: { requestId }, caller: fixture.core.staff() })).body;

async function setFourEyes(four_eyes: 'all' | 'off', version: number): Promise<void> {
  const rules = { marks: [], marks_only_for_thc: true, amber_days: 28, red_days: 90, templates: [] };
  const body = { ...rules, four_eyes, version };
  const caller = fixture.core.staff('owner');
  expect((await fixture.core.call(setReviewSettings, { body, caller })).status).toBe(200);
}

it('drops the first of two approvals that corrects to the e-mail, and leaves the others', async () => {
  await setFourEyes('all', 0);
  const [id, otherId] = [await fixture.submit(MAX), await fixture.submit(MAX)];
  expect((await approve(id, ERIKA, anna)).status).toBe(202);
  expect((await approve(otherId, { customer_email: 'moritz@example.org' }, anna)).status).toBe(202);
  const { first_approval: first } = await review(id);
  expect(await erase()).toMatchObject({ status: 'done', orders: 0, order_requests: 1 });
  expect(JSON.stringify(await review(id))).not.toContain('Canary');
  expect(await review(id)).toMatchObject({ first_approval: null, status: 'pending', customer_name: 'Max' });
  expect((await review(otherId)).first_approval).not.toBeNull();
  const second = await approve(id, { ...ERIKA, first_approval_at: first?.at }, bodo);
  expect(second).toMatchObject({ status: 409, body: { details: [{ message: 'gone' }] } });
  expect(await erase()).toMatchObject({ order_requests: 0 });
  // A new statement, which the next erasure finds.
  expect((await approve(id, ERIKA, bodo)).status).toBe(202);
  expect(await erase()).toMatchObject({ order_requests: 1 });
});

it('reads the first approval of no request of another customer', async () => {
  await setFourEyes('all', 0);
  const [id, otherId] = [await fixture.submit(MAX), await fixture.submit(MAX)];
  expect((await approve(id, ERIKA, anna)).status).toBe(202);
  expect((await approve(otherId, { customer_email: 'moritz@example.org' }, anna)).status).toBe(202);
  await test.database.rows(breakFirstApproval, otherId);
  expect(await erase()).toMatchObject({ status: 'done', order_requests: 1 });
});

it.each(['one approval', 'two approvals'])(
  'empties the corrections of %s whose order has another customer now',
  async (people) => {
    if (people === 'two approvals') await setFourEyes('all', 0);
    const { core } = fixture;
    const id = await fixture.submit({ ...MAX, address_street: 'Weg 1' });
    const correction = { ...ERIKA, address_street: 'Canary Weg 1', acknowledged: ['age'], reason: 'Canary' };
    if (people === 'two approvals') expect((await approve(id, correction, anna)).status).toBe(202);
    const { order } = (await approve(id, correction, bodo)).body;
    if (people === 'two approvals') await setFourEyes('off', 1);
    expect((await core.update(order.id, { ...MAX, address_street: 'Weg 2' })).status).toBe(200);
    const read = async () => {
      const { body } = await core.call(getOrderRequest, { params: { requestId: id } });
      return JSON.stringify([body, await review(id)]);
    };
    expect(await read()).toContain('Canary');
    expect(await erase()).toMatchObject({ status: 'done', orders: 0, order_requests: 1 });
    expect(await read()).not.toContain('Canary');
    const [left] = await test.database.rows(approvalOf, id);
    expect(left).toEqual({ isFirstKept: people === 'two approvals', texts: 0, isAnswerKept: true });
    expect(await core.order(order.id)).toMatchObject(MAX);
    expect(await erase()).toMatchObject({ orders: 0, order_requests: 0 });
  },
);

async function ingest(email: string, pdf?: string): Promise<string> {
  const receipt = pdf === undefined ? {} : { [RECEIPT_KEY]: makePdf(pdf).toString('base64') };
  const body = { 'External Id': 'x', 'Customer Email': email, ...receipt };
  const query = `shop_id=${fixture.core.shopId}`;
  return (await fixture.core.call(ingestPrescription, { body, query })).body.id;
}

describe('the receipt of an earlier customer of a prescription', () => {
  const read = async (prescriptionId: string) => {
    const params = { orgId: fixture.core.orgId, prescriptionId };
    const { body } = await fixture.core.call(getPrescription, { params });
    return { email: body.customer_email, receipt: body.receipt?.state ?? null };
  };

  it('goes, and is stored when the present customer sends it', async () => {
    await ingest(ERIKA.customer_email, 'Erika');
    const id = await ingest(MAX.customer_email);
    expect(await erase()).toMatchObject({ status: 'done', prescriptions: 1 });
    expect(await read(id)).toEqual({ email: MAX.customer_email, receipt: null });
    expect(await erase()).toMatchObject({ prescriptions: 0 });
    await ingest(MAX.customer_email, 'Erika');
    expect(await read(id)).toEqual({ email: MAX.customer_email, receipt: 'stored' });
  });

  it('goes, and a repeat of the receipt of the present customer stays one', async () => {
    await ingest(ERIKA.customer_email, 'Erika');
    const id = await ingest(MAX.customer_email, 'Max');
    const documents = async () => (await test.database.rows(documentsOf, id)).map(({ id: one }) => one);
    const [, newest] = await documents();
    expect(await erase()).toMatchObject({ status: 'done', prescriptions: 1 });
    await fixture.core.call(ingestPrescription, {
      body: {
        'External Id': 'x',
        'Customer Email': MAX.customer_email,
        'Customer First Name': 'Max',
        [RECEIPT_KEY]: makePdf('Max').toString('base64'),
      },
      query: `shop_id=${fixture.core.shopId}`,
    });
    expect(await documents()).toEqual([newest]);
  });

  it('goes, too, where it came again in a body without an e-mail', async () => {
    await ingest(ERIKA.customer_email, 'Erika');
    const receipt = makePdf('Erika').toString('base64');
    const body = { 'External Id': 'x', 'Customer Last Name': 'Max', [RECEIPT_KEY]: receipt };
    const query = `shop_id=${fixture.core.shopId}`;
    const { id } = (await fixture.core.call(ingestPrescription, { body, query })).body;
    expect(await erase()).toMatchObject({ status: 'done', prescriptions: 1 });
    expect(await read(id)).toEqual({ email: null, receipt: null });
  });

  it('stays when the present customer has sent it, too', async () => {
    await ingest(ERIKA.customer_email, 'Erika');
    const id = await ingest(MAX.customer_email, 'Erika');
    expect(await erase()).toMatchObject({ status: 'done', prescriptions: 0 });
    expect(await read(id)).toEqual({ email: MAX.customer_email, receipt: 'stored' });
  });
});

const sentAs = (payload: object, metadata: object) =>
  orderRequest({ shop_id: fixture.core.shopId, ...payload }, { external_reference: 'r', metadata });

/** Of Max now; of Erika before. */
async function replaced(): Promise<string> {
  const { core } = fixture;
  const first = sentAs(ERIKA, { patient: 'Erika', case: '1', ward: '9', bed: '4' });
  const { id } = (await core.call(submitOrderRequest, { body: first })).body;
  const body = sentAs(MAX, { case: '1', ward: '2' });
  await core.call(replaceOrderRequest, { params: { requestId: id }, body });
  return id;
}

it('drops metadata that came with an erased version, unless a later one sent it', async () => {
  const id = await replaced();
  expect(await erase()).toMatchObject({ status: 'done', order_requests: 1 });
  const { body } = await fixture.core.call(getOrderRequest, { params: { requestId: id } });
  expect(body).toMatchObject({ customer_name: 'Max', metadata: { case: '1', ward: '2' } });
  expect(body.metadata).not.toHaveProperty('patient');
});

it('drops it from the order of the request, too, as a change of the order', async () => {
  const { core } = fixture;
  const id = await replaced();
  const { order_id: orderId } = (await approve(id, {})).body;
  expect((await core.update(orderId, { metadata: { bed: '7' } })).status).toBe(200);
  const before = await core.order(orderId);
  expect(before.metadata).toEqual({ patient: 'Erika', case: '1', ward: '2', bed: '7' });
  expect(await erase()).toMatchObject({ status: 'done', orders: 1, order_requests: 1 });
  const after = await core.order(orderId);
  const metadata = { case: '1', ward: '2', bed: '7' };
  expect(after).toEqual({ ...before, metadata, updated_at: expect.any(String) });
  const sequences = (await core.eventsOf(orderId)).map(({ sequence }) => sequence);
  expect(sequences).toEqual([1, 2, 3]);
  expect(await storedText(test.database, core.orgId)).not.toContain('"Erika"');
  expect(await core.falseSummaries()).toEqual([]);
  expect(await erase()).toMatchObject({ orders: 0, order_requests: 0 });
});

it('drops it from the history of an order that has other values now', async () => {
  const { core } = fixture;
  const { order_id: orderId } = (await approve(await replaced(), {})).body;
  await core.update(orderId, { metadata: { patient: null, bed: '7' } });
  expect(await erase()).toMatchObject({ status: 'done', orders: 0, order_requests: 1 });
  expect(await storedText(test.database, core.orgId)).not.toContain('"Erika"');
});

it('drops metadata that an order got from an earlier customer, and keeps what others sent', async () => {
  const { core } = fixture;
  const { id } = (await core.upsert('a', { ...MAX, metadata: { erp: '1', shelf: 'A' } })).body;
  await core.update(id, { ...ERIKA, metadata: { patient: 'Erika', shelf: 'B' } });
  await core.update(id, { payment_reference: 'R', metadata: { case: '1', ward: '9' } });
  await core.update(id, { ...MAX, metadata: { ward: '2' } });
  expect(await erase()).toMatchObject({ status: 'done', orders: 1 });
  expect(await core.order(id)).toMatchObject({ ...MAX, payment_reference: 'R' });
  expect((await core.order(id)).metadata).toEqual({ erp: '1', ward: '2' });
  expect(await storedText(test.database, core.orgId)).not.toContain('"Erika"');
  expect(await erase()).toMatchObject({ orders: 0 });
});

it('changes an order once that got metadata of the customer in two ways', async () => {
  const { core } = fixture;
  const { order_id: orderId } = (await approve(await replaced(), {})).body;
  await core.update(orderId, { ...ERIKA, metadata: { room: 'Erika' } });
  await core.update(orderId, MAX);
  const before = (await core.eventsOf(orderId)).length;
  expect(await erase()).toMatchObject({ status: 'done', orders: 1 });
  expect((await core.order(orderId)).metadata).toEqual({ case: '1', ward: '2' });
  expect((await core.eventsOf(orderId)).length).toBe(before + 1);
});

describe('an offer to an earlier customer of a request', () => {
  /** Of Max now; what Erika was offered is declined. */
  async function declined() {
    const { core } = fixture;
    const params = { requestId: (await core.call(submitOrderRequest, { body: sentAs(ERIKA, {}) })).body.id };
    const offer = async (version: number) => {
      const body = { version, items: [{ name: 'Tee', qty: 1, price: 1 }] };
      expect((await core.call(offerLines, { params, body })).status).toBe(200);
    };
    await offer(1);
    await core.call(declineOffer, { params, body: { message: 'Canary wants two.' } });
    await core.call(replaceOrderRequest, { params, body: sentAs(MAX, {}) });
    const read = async () => (await core.call(getOrderRequest, { params })).body.offer;
    expect(await read()).toMatchObject({ state: 'declined', message: 'Canary wants two.' });
    return { offer, read };
  }

  it('goes with its version, and with what the sender said', async () => {
    const { read } = await declined();
    expect(await erase()).toMatchObject({ status: 'done', order_requests: 1 });
    expect(await read()).toBeNull();
  });

  it('is not that to the present one, which stays', async () => {
    const { offer, read } = await declined();
    await offer(2);
    expect(await erase()).toMatchObject({ status: 'done', order_requests: 1 });
    expect(await read()).toMatchObject({ state: 'open', message: null });
  });
});

it('rings at the gateways for each object that lost something', async () => {
  const { core } = fixture;
  const requestIds = [await replaced(), await fixture.submit(ERIKA)];
  const orderId = (await core.upsert('a', ERIKA)).body.id;
  await core.update(orderId, MAX);
  await ingest(ERIKA.customer_email, 'Erika');
  const prescriptionId = await ingest(MAX.customer_email);
  const rings: string[] = [];
  const gateway = await test.broker.connectAs('gateway');
  gateway.subscribe(CHANGED_SUBJECT, {
    callback: (_, { data }) => rings.push(Buffer.from(data).toString()),
  });
  await gateway.flush();
  await erase();
  const ring = (kind: string) => (id: string) => JSON.stringify({ orgId: core.orgId, kind, id });
  const expected = [
    ...requestIds.map(ring('order_request')),
    ring('order')(orderId),
    ring('prescription')(prescriptionId),
  ];
  await eventually('all rings', () => expected.every((one) => rings.includes(one)));
});

describe('an object that only lost its e-mail', () => {
  const { customer_name } = ERIKA;
  const left = async () => storedText(test.database, fixture.core.orgId);

  it.each(['open', 'approved'])(
    'is erased: a request whose next version leaves it out, %s',
    async (state) => {
      const { core } = fixture;
      const { id } = (await core.call(submitOrderRequest, { body: sentAs(ERIKA, {}) })).body;
      const body = sentAs({ customer_name: 'ERIKA CANARY', address_street: 'Canary Weg 1' }, {});
      expect((await core.call(replaceOrderRequest, { params: { requestId: id }, body })).status).toBe(200);
      if (state === 'approved') expect((await approve(id, {})).status).toBe(200);
      const orders = state === 'approved' ? 1 : 0;
      expect(await erase()).toMatchObject({ status: 'done', orders, order_requests: 1 });
      expect(await left()).not.toMatch(/canary/i);
      expect(await erase()).toMatchObject({ orders: 0, order_requests: 0 });
    },
  );

  it('is erased: such a request whose sender accepted an offer', async () => {
    const { core } = fixture;
    const params = { requestId: (await core.call(submitOrderRequest, { body: sentAs(ERIKA, {}) })).body.id };
    await core.call(replaceOrderRequest, { params, body: sentAs({ customer_name }, {}) });
    const offer = { version: 2, items: [{ name: 'Tee', qty: 1, price: 1 }] };
    expect((await core.call(offerLines, { params, body: offer })).status).toBe(200);
    expect((await core.call(acceptOffer, { params, body: {} })).status).toBe(200);
    expect(await erase()).toMatchObject({ status: 'done', order_requests: 1 });
    expect(await left()).not.toMatch(/canary/i);
  });

  it('is erased: an order, and takes the customer no more', async () => {
    const { core } = fixture;
    const sent = { ...ERIKA, address_street: 'Canary Weg 1', metadata: { patient: 'Canary' } };
    const { id } = (await core.upsert('a', sent)).body;
    expect((await core.update(id, { customer_email: null })).status).toBe(200);
    expect(await erase()).toMatchObject({ status: 'done', orders: 1 });
    await core.upsert('a', sent);
    expect(await left()).not.toMatch(/canary/i);
    expect(await core.order(id)).toMatchObject({ customer_name: null, erased_at: expect.any(String) });
    expect(await erase()).toMatchObject({ orders: 0 });
  });

  it('is erased: a prescription', async () => {
    const names = { 'External Id': 'x', 'Customer First Name': 'Erika', 'Customer Last Name': 'Canary' };
    const query = `shop_id=${fixture.core.shopId}`;
    const send = (body: object) => fixture.core.call(ingestPrescription, { body, query });
    const { id } = (await send({ ...names, 'Customer Email': ERIKA.customer_email })).body;
    expect((await send({ ...names, 'Customer Last Name': 'canary' })).body.id).toBe(id);
    expect(await erase()).toMatchObject({ status: 'done', prescriptions: 1 });
    const params = { orgId: fixture.core.orgId, prescriptionId: id };
    const { body } = await fixture.core.call(getPrescription, { params });
    expect(body).toMatchObject({ customer_last_name: null });
  });

  it('stays with a customer of another name', async () => {
    const { core } = fixture;
    const { id: requestId } = (await core.call(submitOrderRequest, { body: sentAs(ERIKA, {}) })).body;
    const body = sentAs({ customer_name: 'Max' }, {});
    await core.call(replaceOrderRequest, { params: { requestId }, body });
    const { id } = (await core.upsert('a', ERIKA)).body;
    await core.update(id, { customer_name: 'Max', customer_email: null });
    expect(await erase()).toMatchObject({ status: 'done', order_requests: 1 });
    expect(await core.order(id)).toMatchObject({ customer_name: 'Max', erased_at: null });
    const { body: request } = await core.call(getOrderRequest, { params: { requestId } });
    expect(request).toMatchObject({ customer_name: 'Max', erased_at: null });
    expect(await left()).not.toContain(customer_name);
  });
});

const documentsOf = statement<{ id: string }, [string]>(
  'spec_documents_of',
  'SELECT id FROM core.documents WHERE prescription_id = $1 ORDER BY created_at',
);
const breakFirstApproval = statement<never, [string]>(
  'spec_break_first_approval',
  `UPDATE core.order_requests SET first_approval_ciphertext = '\\x00' WHERE id = $1`,
);
const approvalOf = statement<{ isFirstKept: boolean; texts: number; isAnswerKept: boolean }, [string]>(
  'spec_approval_of',
  `SELECT first_approved_by IS NOT NULL AS "isFirstKept", answer_ciphertext IS NOT NULL AS "isAnswerKept",
     num_nonnulls(corrections_ciphertext, override_ciphertext, first_approval_ciphertext) AS texts
   FROM core.order_requests WHERE id = $1`,
);
