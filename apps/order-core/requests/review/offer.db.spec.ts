import { eraseCustomer } from '@offizin/contracts/people/customers';
import * as offers from '@offizin/contracts/requests/offers';
import * as review from '@offizin/contracts/requests/order-request-review';
import * as requests from '@offizin/contracts/requests/order-requests';
import { setReviewSettings } from '@offizin/contracts/requests/review-settings';
import { statement } from '@offizin/pg/database';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { orderRequest } from '@offizin/testkit/organization';
import { DOORS, said, sentAt, SMALLER, SMALLER_STORED } from '../../spec/offer-fixture';
import { requestHandlers, requestSpec, specKeys } from '../../spec/request-handlers';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { ReviewSettingsHandlers } from './review-settings.handlers';

/** What the pharmacist may offer; the answers of the sender are in offer-answers.db.spec.ts, their races in offer-races.db.spec.ts. */
let core: OrderCoreFixture;
const store = requestSpec((made) => (core = made));

const sent = () => sentAt(core, DOORS.organization);

const stored = statement<{ offer: Buffer | null }, [string]>(
  'spec_offer',
  'SELECT offer_ciphertext AS offer FROM core.order_requests WHERE id = $1',
);

describe('an offer', () => {
  it('is read with its lines, total, time and state, beside its sentence', async () => {
    const request = await sent();
    const before = Date.now();
    const offered = await request.offer({
      question: 'Only one is there.',
      shipping_option: 'Express',
      valid_hours: 2,
    });
    expect(said(offered)).toBe('200 needs_clarification');
    const { offer, question } = offered.body;
    expect(offer).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      items: SMALLER_STORED,
      total_amount: 3.5,
      shipping_option: 'Express',
      valid_until: expect.any(String),
      state: 'open',
      message: null,
    });
    expect(question).toBe('Only one is there.');
    const hours = (Date.parse(offer?.valid_until ?? '') - before) / 3_600_000;
    expect(hours).toBeGreaterThan(1.99);
    expect(hours).toBeLessThan(2.01);
    expect(await request.events()).toEqual(['order_request_submitted', 'order_request_clarification']);
    expect(await request.actions()).toEqual(['order-request.submit', 'order-request.offer']);
    const [row] = await store.database.rows(stored, request.id);
    expect(row?.offer?.toString('latin1')).not.toMatch(/Salbe|items/);
  });

  it('without hours is valid for 72, and never longer than its request', async () => {
    const [usual, old] = [await sent(), await sent()];
    await store.database.rows(makeOld, old.id, 27);
    const hoursLeft = async ({ offer }: typeof usual) =>
      Math.round((Date.parse((await offer()).body.offer?.valid_until ?? '') - Date.now()) / 3_600_000);
    expect([await hoursLeft(usual), await hoursLeft(old)]).toEqual([72, 24]);
  });
  const makeOld = statement<never, [string, number]>(
    'spec_offer_old',
    `UPDATE core.order_requests SET created_at = now() - make_interval(days => $2) WHERE id = $1`,
  );

  it('again is the first result; another one meanwhile is refused', async () => {
    const request = await sent();
    const [first, again] = [await request.offer(), await request.offer()];
    expect(again.body).toEqual(first.body);
    for (const other of [
      { valid_hours: 5 },
      { question: 'And now?' },
      { items: [{ name: 'Tee', qty: 1, price: 1 }] },
    ])
      expect(said(await request.offer(other))).toBe('409 already_decided');
    expect(await request.actions()).toEqual(['order-request.submit', 'order-request.offer']);
  });

  it('cannot be approved while it is open', async () => {
    const request = await sent();
    await request.offer();
    expect(said(await request.approve())).toBe('409 invalid_transition');
  });

  const LINE = { name: 'Salbe', qty: 1, price: 1 };
  it.each([
    ['no lines', { items: [] }, '400 invalid_request', 'items'],
    ['no list of lines', { items: null }, '400 invalid_request', 'items'],
    ['501 lines', { items: Array.from({ length: 501 }, () => LINE) }, '400 invalid_request', 'items'],
    [
      'a sum above the limit',
      { items: [{ ...LINE, qty: 2, price: 99_999_999.99 }] },
      '400 invalid_request',
      'items',
    ],
    [
      'a price above the limit',
      { items: [{ ...LINE, price: 100_000_000 }] },
      '400 invalid_request',
      'items[0].price',
    ],
    ['a quantity of 0', { items: [{ ...LINE, qty: 0 }] }, '400 invalid_request', 'items[0].qty'],
    ['a line without name and id', { items: [{ qty: 1, price: 1 }] }, '400 invalid_request', 'items[0]'],
    [
      'too many pieces of a product',
      { items: [1, 2].map(() => ({ p1_id: 'p1', qty: 600_000, price: 0 })) },
      '400 invalid_request',
      'items[1]',
    ],
    [
      'the lines of the request',
      { items: [{ name: 'Salbe', qty: 2, price: 3.5 }] },
      '400 invalid_request',
      'items',
    ],
    ['an unknown delivery', { shipping_option: 'Taube' }, '400 invalid_request', 'shipping_option'],
    ['no version', { version: undefined }, '400 invalid_request', 'version'],
    ['0 hours', { valid_hours: 0 }, '400 invalid_request', 'valid_hours'],
    ['337 hours', { valid_hours: 337 }, '400 invalid_request', 'valid_hours'],
    ['a blank sentence', { question: ' \n' }, '400 invalid_request', 'question'],
    ['a version that is not there yet', { version: 2 }, '409 conflict', 'version'],
  ])('of %s is refused', async (_, body, outcome, field) => {
    const request = await sent();
    const refused = await request.offer(body);
    expect([said(refused), refused.body.details?.[0]?.field]).toEqual([outcome, field]);
    expect((await request.detail()).status).toBe('pending');
  });

  it('with more text than an order takes is refused', async () => {
    const request = await sent();
    const items = Array.from({ length: 500 }, () => ({ name: '\u0001'.repeat(250), qty: 1, price: 1 }));
    expect(said(await request.offer({ items }))).toBe('413 payload_too_large');
  });

  it('of an old version, for a decided or erased request is refused', async () => {
    const request = await sent();
    await request.replace({ customer_name: 'Max' });
    const stale = await request.offer();
    expect([said(stale), stale.body.details]).toEqual(['409 conflict', [{ field: 'version', message: '2' }]]);
    await request.reject();
    expect(said(await request.offer({ version: 2 }))).toBe('409 already_decided');
    const erased = await sent();
    await core.call(eraseCustomer, { body: { order_request_id: erased.id } });
    expect(said(await erased.offer())).toBe('409 conflict');
  });

  it('takes the first of two approvals away', async () => {
    const request = await sent();
    await store.database.rows(approveFirst, request.id);
    await request.offer();
    expect(await store.database.rows(firstApproval, request.id)).toEqual([{ first: null }]);
  });
  const approveFirst = statement<never, [string]>(
    'spec_offer_approve_first',
    'UPDATE core.order_requests SET first_approved_by = id, first_approved_at = now() WHERE id = $1',
  );
  const firstApproval = statement<{ first: string | null }, [string]>(
    'spec_offer_first_approval',
    'SELECT first_approved_by AS first FROM core.order_requests WHERE id = $1',
  );

  it("is not another organization's", async () => {
    const request = await sent();
    await request.offer();
    const stranger = await OrderCoreFixture.make(store.database, requestHandlers(store.database));
    const { params } = request;
    const body = { version: 1, items: SMALLER };
    expect(said(await stranger.call(offers.offerLines, { params, body }))).toBe('404 not_found');
    for (const op of [offers.acceptOffer, offers.declineOffer])
      expect(said(await stranger.call(op, { params, body: {} }))).toBe('404 not_found');
    expect(said(await core.call(offers.offerLines, { params: { requestId: 'x' }, body }))).toBe(
      '404 not_found',
    );
    expect(await request.offerState()).toBe('open');
  });
});

it('accepted lines need two people where others do', async () => {
  const { database } = store;
  const further = requestHandlers(database, specKeys(database), store.bus);
  const settings = handlersIn(new ReviewSettingsHandlers(database));
  const guarded = await OrderCoreFixture.make(database, [...further, ...settings]);
  const rules = {
    marks: [],
    marks_only_for_thc: true,
    amber_days: 28,
    red_days: 90,
    templates: [],
    version: 0,
  };
  const owner = guarded.staff('owner');
  const set = await guarded.call(setReviewSettings, { body: { ...rules, four_eyes: 'all' }, caller: owner });
  expect(set.status).toBe(200);
  const body = orderRequest({ shop_id: guarded.shopId });
  const params = { requestId: (await guarded.call(requests.submitOrderRequest, { body })).body.id };
  const approve = (version: number, caller = guarded.staff()) =>
    guarded.call(review.approveOrderRequest, { params, body: { version }, caller });
  expect((await approve(1)).status).toBe(202);
  await guarded.call(offers.offerLines, { params, body: { version: 1, items: SMALLER } });
  await guarded.call(offers.acceptOffer, { params, body: {} });
  const first = guarded.staff();
  expect([(await approve(2, first)).status, (await approve(2, first)).status]).toEqual([202, 409]);
  expect((await approve(2)).status).toBe(200);
});
