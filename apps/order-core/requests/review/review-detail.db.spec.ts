import { Refused } from '@offizin/contracts/calls/errors';
import { getOrderRequest } from '@offizin/contracts/requests/order-request-review';
import { upsertOrder } from '@offizin/contracts/orders/orders';
import { getReview, type ReviewDetail, setReviewMarks } from '@offizin/contracts/requests/review';
import type { ReviewProduct } from '@offizin/contracts/requests/review-products';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { SLOWNESS } from '@offizin/testkit/test-run';
import { ReviewFixture } from '../../spec/review-fixture';
import { catalog, catalogSpec } from '../../spec/fake-catalog';

const manyEntries = statement<never, [string, string]>(
  'spec_many_audit_entries',
  `INSERT INTO core.audit_log (org_id, actor, action, object, request_id)
   SELECT $1, 'key:spec', 'prescription.read', 'order-request:' || $2, 'spec' FROM generate_series(1, 150)`,
);

/** Ends an answer that is too slow. */
let release = (_late: ReviewProduct[]): void => undefined;
afterAll(() => release([]));
const test = catalogSpec();
let fixture: ReviewFixture;
beforeEach(async () => {
  fixture = await ReviewFixture.make(test.database, test.bus);
});

async function look(requestId: string): Promise<ReviewDetail> {
  const { core } = fixture;
  const { status, body } = await core.call(getReview, { params: { requestId }, caller: core.staff() });
  expect(status).toBe(200);
  return body;
}

const ITEMS = [
  { p1_id: 'p1-a', name: 'Bediol', quantity: 15, price: 9.5 },
  { product_id: 'p1-b', quantity: 1, price: 89 },
  { name: 'Salbe', quantity: 2, price: 3 },
];
const BEDIOL = {
  p1_id: 'p1-a',
  in_inventory: true,
  name: 'Bediol 6/8',
  category: 'Blüten',
  thc: '6.3',
  cbd: '8',
  available: 40,
  price: 9.9,
};

describe('lines', () => {
  it('have name, ingredients, stock and price of the catalog', async () => {
    const vaporizer = {
      ...BEDIOL,
      p1_id: 'p1-b',
      in_inventory: false,
      available: null,
      thc: null,
      cbd: null,
    };
    catalog.products = () => Promise.resolve([BEDIOL, vaporizer]);
    const detail = await look(await fixture.submit({ items: ITEMS }));
    expect(catalog.questions).toEqual([{ org_id: fixture.core.orgId, p1_ids: ['p1-a', 'p1-b'] }]);
    expect(detail.lines_checked).toBe(true);
    expect(detail.lines).toEqual([
      {
        p1_id: 'p1-a',
        name: 'Bediol',
        quantity: 15,
        price: 9.5,
        in_inventory: true,
        product_name: 'Bediol 6/8',
        category: 'Blüten',
        thc: '6.3',
        cbd: '8',
        available: 40,
        catalog_price: 9.9,
      },
      {
        p1_id: 'p1-b',
        name: null,
        quantity: 1,
        price: 89,
        in_inventory: false,
        product_name: null,
        category: 'Blüten',
        thc: null,
        cbd: null,
        available: null,
        catalog_price: 9.9,
      },
      {
        p1_id: null,
        name: 'Salbe',
        quantity: 2,
        price: 3,
        in_inventory: false,
        product_name: null,
        category: null,
        thc: null,
        cbd: null,
        available: null,
        catalog_price: null,
      },
    ]);
  });

  it('ask nothing when none names a product', async () => {
    expect((await look(await fixture.submit())).lines_checked).toBe(true);
    expect(catalog.questions).toEqual([]);
  });

  it.each([
    ['refuses', () => Promise.reject(new Refused('conflict', 'no'))],
    ['fails', () => Promise.reject(new Error('broken'))],
    ['is too slow', () => new Promise<ReviewProduct[]>((resolve) => (release = resolve))],
  ])('are shown without stock and price when the catalog %s', async (_how, answer) => {
    catalog.products = answer;
    const requestId = await fixture.submit({ items: ITEMS });
    const startedAtMs = performance.now();
    const detail = await look(requestId);
    expect(performance.now() - startedAtMs).toBeLessThan(2_500 * SLOWNESS);
    expect(detail.lines_checked).toBe(false);
    expect(detail.lines.map(({ quantity, available }) => [quantity, available])).toEqual([
      [15, null],
      [1, null],
      [2, null],
    ]);
  });
});

it('holds what order-requests.get holds, and is logged as fetched, perhaps ahead', async () => {
  const requestId = await fixture.submit({ questionnaire: { age: 40 } }, { external_reference: 'r' });
  const { core } = fixture;
  const caller = core.staff();
  const detail = await core.call(getReview, { params: { requestId }, caller });
  const plain = await core.call(getOrderRequest, { params: { requestId }, caller });
  expect(detail.body).toMatchObject(plain.body);
  const [submitted, ...reads] = await core.auditOf(`order-request:${requestId}`);
  expect(submitted?.action).toBe('order-request.submit');
  const actor = `staff:${caller.actorId}`;
  expect(reads).toMatchObject([
    { actor, action: 'order-request.fetch' },
    { actor, action: 'order-request.read' },
  ]);
});

it('answers the request of another organization like an unknown one', async () => {
  const other = await ReviewFixture.make(test.database, test.bus);
  const { core } = fixture;
  for (const requestId of [await other.submit(), newId(), 'none', '%00']) {
    const answer = await core.call(getReview, { params: { requestId }, caller: core.staff() });
    expect([answer.status, answer.body.error]).toEqual([404, 'not_found']);
  }
});

describe('customer', () => {
  const email = (text: string) => ({ customer_email: text });

  it('counts earlier requests and orders of the same address in this organization', async () => {
    const other = await ReviewFixture.make(test.database, test.bus);
    await other.submit(email('erika@example.org'));
    const { core } = fixture;
    const earlier = await fixture.submit({ ...email('Erika@Example.org'), shop_id: core.otherShopId });
    await fixture.reject(earlier);
    await fixture.submit(email('erika@example.org'));
    await fixture.submit(email('berta@example.org'));
    const items = [{ name: 'Bediol', qty: 30, price: 8 }];
    const body = { shop_id: core.shopId, external_id: 'o-1', ...email('ERIKA@example.org'), items };
    const { id } = (await core.call(upsertOrder, { body })).body;
    const { id: cancelled } = (await core.call(upsertOrder, { body: { ...body, external_id: 'o-2' } })).body;
    await core.patch(cancelled, { status: 'cancelled' });
    const requestId = await fixture.submit(email('erika@example.org'));
    await fixture.submit(email('erika@example.org'));
    const { customer } = await look(requestId);
    const last_order = { id, lines_text: '30 × Bediol' };
    expect(customer).toMatchObject({ requests: 2, rejected: 1, orders: 2, last_order });
    expect(Date.parse(customer.last_at ?? '')).not.toBeNaN();
  });

  it('is unknown by a name alone, because names are not unique', async () => {
    await fixture.submit();
    const { customer } = await look(await fixture.submit());
    expect(customer).toEqual({ requests: 0, orders: 0, rejected: 0, last_at: null, last_order: null });
  });
});

it('shows what a person must read of the fields that the partner added', async () => {
  const { remarks } = await look(await fixture.submit({ allergies: ['Nüsse'], comment: 'Klingel defekt' }));
  expect(remarks.map(({ text }) => text)).toEqual(['Nüsse', 'Klingel defekt']);
});

it('shows the history of the request, newest first; many looks push out nothing that was done', async () => {
  const requestId = await fixture.submit();
  await fixture.submit();
  await fixture.ask(requestId);
  const { history } = await look(requestId);
  const actions = ['order-request.fetch', 'order-request.request-clarification', 'order-request.submit'];
  expect(history.map(({ action }) => action)).toEqual(actions);
  expect(history[0]).toMatchObject({ who: 'pharmacist' });
  expect(history[2]).toMatchObject({ who: 'ERP' });
  await test.database.rows(manyEntries, fixture.core.orgId, requestId);
  const { history: long } = await look(requestId);
  expect([long.length, long[0]?.action, long[1]?.action]).toEqual([
    32,
    'order-request.fetch',
    'prescription.read',
  ]);
  expect(long.slice(30).map(({ action }) => action)).toEqual(actions.slice(1));
});

it('shows the marks of the version, and when the request expires', async () => {
  const requestId = await fixture.submit({}, { external_reference: 'r' });
  const { core } = fixture;
  const caller = core.staff();
  await core.call(setReviewMarks, { params: { requestId }, body: { signature_seen: true }, caller });
  const before = await look(requestId);
  const colleagues = [{ by: 'pharmacist', marks: ['signature_seen'] }];
  expect(before.marks).toMatchObject({ signature_seen: false, colleagues });
  expect(Date.parse(before.expires_at ?? '') - Date.parse(before.created_at)).toBe(30 * 86_400_000);
  await fixture.ask(requestId);
  await fixture.submit({ customer_name: 'Zoë' }, { external_reference: 'r' });
  const none = { issued_on: null, signature_seen: false, prescriber_checked: false, dose_plausible: false };
  const further = { document_kind: null, rest_not_needed: false, note: null, colleagues: [] };
  expect((await look(requestId)).marks).toEqual({ ...none, ...further });
  await fixture.reject(requestId);
  expect((await look(requestId)).expires_at).toBeNull();
});
