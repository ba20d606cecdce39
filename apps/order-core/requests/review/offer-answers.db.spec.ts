import { eraseCustomer } from '@offizin/contracts/people/customers';
import { requestClarification } from '@offizin/contracts/requests/order-request-review';
import { statement } from '@offizin/pg/database';
import { makePdf } from '@offizin/testkit/pdf';
import {
  type Door,
  DOORS,
  EACH_DOOR,
  type Outcome,
  said,
  type SentRequest,
  sentAt,
  SMALLER,
  SMALLER_STORED,
} from '../../spec/offer-fixture';
import { requestSpec } from '../../spec/request-handlers';
import type { OrderCoreFixture } from '../../spec/spec-fixture';
import { expireOffers } from './expiry';

/** The sender of a request accepts or declines what the pharmacist offers, at both doors alike. */
let core: OrderCoreFixture;
const store = requestSpec((made) => (core = made));

const sent = (door: Door, payload: object = {}) => sentAt(core, door, payload);
const base64 = (title: string) => makePdf(title).toString('base64');

const NO_RINGS = { ring: () => undefined };
const makeLate = statement<never, [string]>(
  'spec_offer_late',
  `UPDATE core.order_requests SET offer_valid_until = now() - interval '1 second' WHERE id = $1`,
);
const stored = statement<{ offer: Buffer | null; state: string | null }, [string]>(
  'spec_stored_offer',
  'SELECT offer_ciphertext AS offer, offer_state AS state FROM core.order_requests WHERE id = $1',
);

describe.each(EACH_DOOR)('at the door of the %s', (_, door) => {
  it('an accepted offer is the next version with its lines, and waits for the decision', async () => {
    const dosage = '1-0-1';
    const sentItems = [
      { name: 'Salbe', quantity: 2, price: 3.5, dosage },
      { name: 'Tee', quantity: 1, price: 4 },
    ];
    const request = await sent(door, { items: sentItems, total_amount: 99, questionnaire: { a: 1 } });
    await request.offer({ shipping_option: 'Versand', question: 'Without tea?' });
    const accepted = await request.accept({ message: 'The customer agrees.' });
    expect([said(accepted), accepted.body.id]).toEqual(['200 pending', request.id]);
    const { version, versions, payload, total_amount, offer, question, customer_name } =
      await request.detail();
    expect({ version, total_amount, question, customer_name }).toEqual({
      version: 2,
      total_amount: 3.5,
      question: null,
      customer_name: 'Erika Mustermann',
    });
    expect(payload).toMatchObject({
      items: [{ name: 'Salbe', quantity: 1, price: 3.5, dosage }],
      shipping_option: 'Versand',
      questionnaire: { a: 1 },
    });
    expect(payload).not.toHaveProperty('total_amount');
    expect(versions.map(({ number, question: asked }) => [number, asked])).toEqual([
      [1, 'Without tea?'],
      [2, null],
    ]);
    expect(versions[0]?.payload['items']).toEqual(sentItems);
    expect(offer).toMatchObject({
      state: 'accepted',
      items: SMALLER_STORED,
      message: 'The customer agrees.',
    });
    const [submitted, asked] = ['order_request_submitted', 'order_request_clarification'];
    expect(await request.events()).toEqual([submitted, asked, submitted]);
    expect((await request.actions()).at(-1)).toBe('order-request.accept-offer');
    expect(said(await request.approve({ version: 1 }))).toBe('409 conflict');
    const approved = await request.approve({ version: 2 });
    expect(said(approved)).toBe('200 approved');
    expect(approved.body.order).toMatchObject({
      items: SMALLER_STORED,
      total_amount: 3.5,
      shipping_option: 'Versand',
    });
    expect((await request.detail()).answer).toEqual({ corrected: false, changes: [] });
  });

  it('has a total as an approval has: what the lines do not explain stays, and the sender reads the difference', async () => {
    const request = await sent(door, { total_amount: 11.9 });
    await request.offer({ total_amount: 8.4 });
    const { offer, message } = await request.read();
    expect(offer).toMatchObject({ items: SMALLER_STORED, total_amount: 8.4 });
    expect(message).toContain('Total 8.40 EUR instead of 11.90 EUR.');
    expect(said(await request.offer())).toBe('409 already_decided');
    await request.accept();
    expect(await request.detail()).toMatchObject({ total_amount: 8.4, payload: { total_amount: 8.4 } });
    expect((await request.approve()).body.order).toMatchObject({ items: SMALLER_STORED, total_amount: 8.4 });

    // Without a total the sum of the lines, as in an approval.
    const [bare, corrected] = [
      await sent(door, { total_amount: 11.9 }),
      await sent(door, { total_amount: 11.9 }),
    ];
    await bare.offer();
    expect((await bare.read()).message).toContain('Total 3.50 EUR instead of 11.90 EUR.');
    expect((await corrected.approve({ items: SMALLER })).body.order).toMatchObject({ total_amount: 3.5 });
  });

  it('with the total of the request says nothing about that', async () => {
    const request = await sent(door);
    await request.offer({ items: [{ name: 'Salbe', qty: 1, price: 7 }] });
    expect((await request.read()).message).not.toMatch(/EUR/);
  });

  it('accepted again it is the first result, also after the decision; declined then it is refused', async () => {
    const request = await sent(door);
    await request.offer();
    await request.accept();
    expect(said(await request.accept())).toBe('200 pending');
    expect(said(await request.decline())).toBe('409 already_decided');
    await request.approve();
    expect(said(await request.accept())).toBe('200 approved');
    expect((await request.detail()).version).toBe(2);
  });

  it('a declined offer leaves the request as it was sent; accepted then it is refused', async () => {
    const request = await sent(door);
    await request.offer({ question: 'One instead of two?' });
    expect(said(await request.decline({ message: 'Two, please.' }))).toBe('200 pending');
    expect(said(await request.decline())).toBe('200 pending');
    expect(said(await request.accept())).toBe('409 already_decided');
    const { version, question, offer, payload } = await request.detail();
    expect({ version, question }).toEqual({ version: 1, question: null });
    expect(payload['items']).toEqual([{ name: 'Salbe', quantity: 2, price: 3.5 }]);
    expect(offer).toMatchObject({ state: 'declined', message: 'Two, please.' });
    expect((await request.actions()).at(-1)).toBe('order-request.decline-offer');
    expect(said(await request.approve())).toBe('200 approved');
  });

  it('is about the offer that the answer names', async () => {
    const request = await sent(door);
    const offer_id = (await request.offer()).body.offer?.id;
    await request.takeBack();
    await request.offer({ items: [{ name: 'Tee', qty: 1, price: 1 }] });
    for (const answer of [request.accept, request.decline])
      expect(said(await answer({ offer_id }))).toBe('409 conflict');
    expect(await request.offerState()).toBe('open');
    const present = (await request.detail()).offer?.id;
    expect(said(await request.accept({ offer_id: present }))).toBe('200 pending');
  });

  it('of an unknown request is 404, which names the place of its door', async () => {
    const params = { requestId: core.shopId };
    const { body } = await core.call(door.accept, { params, body: {} });
    const place = door === DOORS.connector ? 'at this shop' : 'in this organization';
    expect(body).toMatchObject({ message: `There is no such order request ${place}.` });
  });

  it('without an offer is 404; an offer after its time is 409 and stays without answer', async () => {
    const request = await sent(door);
    expect(said(await request.accept())).toBe('404 not_found');
    await request.offer();
    await store.database.rows(makeLate, request.id);
    for (const answer of [request.accept, request.decline])
      expect(said(await answer())).toBe('409 offer_expired');
    expect(await request.offerState()).toBe('expired');
    expect((await request.detail()).version).toBe(1);
  });

  const ENDS: [
    what: string,
    end: (request: SentRequest) => Promise<Outcome>,
    outcome: string,
    status: string,
  ][] = [
    ['staff takes it back', ({ takeBack }) => takeBack(), '409 conflict', 'pending'],
    [
      'the request is replaced',
      ({ replace }) => replace({ customer_name: 'Max' }),
      '409 conflict',
      'pending',
    ],
    ['the request is withdrawn', ({ cancel }) => cancel(), '409 already_decided', 'cancelled'],
    ['staff rejects the request', ({ reject }) => reject(), '409 already_decided', 'rejected'],
  ];
  it.each(ENDS)('an open offer ends when %s', async (__, end, outcome, status) => {
    const request = await sent(door);
    await request.offer();
    expect((await end(request)).status).toBe(200);
    expect(await request.offerState()).toBe('ended');
    expect(said(await request.accept())).toBe(outcome);
    expect((await request.detail()).status).toBe(status);
  });

  it('an open offer ends when the sender adds a document, or sends the reference again', async () => {
    const [one, other] = [await sent(door), await sent(door)];
    for (const { offer } of [one, other]) await offer();
    expect((await one.add('Ausweis')).status).toBe(201);
    expect(said(await other.submit({ customer_name: 'Max' }))).toBe('200 pending');
    expect([await one.offerState(), await other.offerState()]).toEqual(['ended', 'ended']);
  });

  it('an expired offer leaves the request as it was sent, and tells the console', async () => {
    await expireOffers(store.database, NO_RINGS);
    const [request, inTime] = [await sent(door), await sent(door)];
    for (const { offer } of [request, inTime]) await offer({ question: 'One?' });
    await store.database.rows(makeLate, request.id);
    const rung: string[] = [];
    const changes = { ring: (_orgId: string, id: string) => void rung.push(id) };
    expect(await expireOffers(store.database, changes)).toBe(1);
    expect(await expireOffers(store.database, changes)).toBe(0);
    expect(rung).toEqual([request.id]);
    const { status, version, question, offer } = await request.detail();
    expect({ status, version, question, state: offer?.state }).toEqual({
      status: 'pending',
      version: 1,
      question: null,
      state: 'expired',
    });
    for (const answer of [request.accept, request.decline])
      expect(said(await answer())).toBe('409 offer_expired');
    expect((await request.actions()).at(-1)).toBe('order-request.expire-offer');
    expect(await request.sequences()).toEqual([1, 2]);
    expect(await inTime.offerState()).toBe('open');
    expect(said(await request.offer())).toBe('200 needs_clarification');
    expect(said(await request.accept())).toBe('200 pending');
  });

  it('an offer whose time has passed is expired at each read and change, before the background work', async () => {
    const late = async () => {
      const request = await sent(door);
      await request.offer({ question: 'One?' });
      await store.database.rows(makeLate, request.id);
      return request;
    };
    const read = await late();
    const expired = { status: 'pending', question: null, offer: { state: 'expired' } };
    expect(await read.detail()).toMatchObject(expired);
    expect(await read.read()).toMatchObject({ ...expired, message: expect.stringMatching(/waits for/) });
    expect(said(await read.takeBack())).toBe('200 pending');
    expect(await read.actions()).toContain('order-request.expire-offer');
    expect(said(await (await late()).offer())).toBe('200 needs_clarification');
    const asked = { params: (await late()).params, body: { question: 'Which one?', version: 1 } };
    expect((await core.call(requestClarification, asked)).status).toBe(200);
    const approved = await late();
    expect(said(await approved.approve())).toBe('200 approved');
    expect((await approved.actions()).slice(-2)).toEqual([
      'order-request.expire-offer',
      'order-request.approve',
    ]);
    expect(said(await (await late()).reject())).toBe('200 rejected');
    expect(said(await (await late()).replace({ customer_name: 'Max' }))).toBe('200 pending');
    expect(said(await (await late()).cancel())).toBe('200 cancelled');
  });

  it('expiry skips an offer that is being answered', async () => {
    await expireOffers(store.database, NO_RINGS);
    const request = await sent(door);
    await request.offer();
    await store.database.rows(makeLate, request.id);
    await store.database.transaction(async (tx) => {
      await tx.rows(lockRow, request.id);
      expect(await expireOffers(store.database, NO_RINGS)).toBe(0);
    });
    expect(await expireOffers(store.database, NO_RINGS)).toBe(1);
  });
  const lockRow = statement<{ id: string }, [string]>(
    'spec_offer_lock',
    `SELECT id FROM core.order_requests WHERE id = $1 FOR UPDATE`,
  );

  it('the accepted content sent again stores nothing, with and without the documents of the request', async () => {
    const [prescription_pdf_base64, pdf_base64] = ['Rezept', 'Ausweis'].map(base64);
    const documents = [{ kind: 'identity', pdf_base64 }];
    const request = await sent(door, { prescription_pdf_base64, documents, prescription_date: '2026-01-30' });
    await request.offer();
    await request.accept();
    const items = [{ name: 'Salbe', quantity: 1, price: 3.5 }];
    const without = [{}, { documents: null }, { prescription_pdf_base64: null }];
    for (const left of [...without, { documents: null, prescription_pdf_base64: null }])
      expect(said(await request.replace({ items, ...left }))).toBe('200 pending');
    const { version, documents: kept, payload } = await request.detail();
    expect([version, kept.map(({ number }) => number)]).toEqual([2, [1, 2]]);
    expect(payload['prescription_date']).toBe('2026-01-30');
  });

  it('an added document stays with the accepted content sent again', async () => {
    const request = await sent(door, { prescription_pdf_base64: base64('Rezept') });
    await request.add('Ausweis');
    await request.offer({ version: 2 });
    await request.accept();
    const items = [{ name: 'Salbe', quantity: 1, price: 3.5 }];
    for (const left of [{}, { prescription_pdf_base64: null }])
      expect(said(await request.replace({ items, ...left }))).toBe('200 pending');
    const { version, documents: kept } = await request.detail();
    expect([version, kept.map(({ number }) => number)]).toEqual([3, [1, 2]]);
  });

  it('an e-prescription and metadata stay with the accepted lines', async () => {
    const e_prescription = { task_id: '160.000.033.491.280.78', access_code: 'a'.repeat(64) };
    const request = await sent(door, { e_prescription });
    await request.offer();
    await request.accept();
    expect((await store.database.rows(token, request.id))[0]?.bytes).toBeGreaterThan(0);
    expect((await request.detail()).payload['e_prescription']).toEqual({ task_id: e_prescription.task_id });
  });
  const token = statement<{ bytes: number | null }, [string]>(
    'spec_offer_token',
    'SELECT octet_length(e_prescription_ciphertext) AS bytes FROM core.order_requests WHERE id = $1',
  );

  it('acceptances count among the new versions of a minute', async () => {
    const request = await sent(door);
    for (let n = 1; n <= 6; n += 1)
      expect(said(await request.replace({ customer_name: `N${n}` }))).toBe('200 pending');
    await request.offer({ version: 7 });
    const refused = await request.accept();
    expect([said(refused), refused.headers['retry-after']]).toEqual(['429 rate_limited', expect.any(String)]);
    expect(await request.offerState()).toBe('open');
    expect(said(await request.decline())).toBe('200 pending');
  });

  it('erased it is gone, and takes no answer', async () => {
    const request = await sent(door);
    await request.offer({ question: 'For Erika?' });
    await core.call(eraseCustomer, { body: { order_request_id: request.id } });
    expect(await store.database.rows(stored, request.id)).toEqual([{ offer: null, state: null }]);
    expect(await request.detail()).toMatchObject({ offer: null, question: null });
    for (const answer of [request.accept, request.decline]) expect(said(await answer())).toBe('409 conflict');
    expect(said(await request.takeBack())).toBe('200 pending');
  });

  it('an accepted one is erased, too', async () => {
    const request = await sent(door);
    await request.offer();
    await request.accept({ message: 'Erika agrees.' });
    await core.call(eraseCustomer, { body: { order_request_id: request.id } });
    expect(await store.database.rows(stored, request.id)).toEqual([{ offer: null, state: null }]);
    expect((await request.detail()).versions).toHaveLength(1);
  });
});
