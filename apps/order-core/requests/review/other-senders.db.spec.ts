import type { Caller } from '@offizin/contracts/calls/caller';
import { getCustomer } from '@offizin/contracts/console/customer';
import { orderHistory } from '@offizin/contracts/orders/order-history';
import * as requests from '@offizin/contracts/requests/order-requests';
import {
  approveOrderRequest,
  getOrderRequest,
  listOrderRequests,
  rejectOrderRequest,
} from '@offizin/contracts/requests/order-request-review';
import { listDay } from '@offizin/contracts/requests/day';
import { MAX_USES_SHOWN } from '@offizin/contracts/requests/prescription-checks';
import { getReview } from '@offizin/contracts/requests/review';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { makePdf } from '@offizin/testkit/pdf';
import { insertKey } from '../../people/directory/keys.store';
import { insertShop } from '../../people/directory/organizations.store';
import { catalogSpec } from '../../spec/fake-catalog';
import { ReviewFixture } from '../../spec/review-fixture';
import { approvalHandlers, type OrderCoreFixture } from '../../spec/spec-fixture';

/** What the request of one sender means for that of another: its reference, its prescription, its source. */

const test = catalogSpec();
let fixture: ReviewFixture;
let core: OrderCoreFixture;
let [first, second]: Caller[] = [];
let reader: Caller;
beforeEach(async () => {
  fixture = await ReviewFixture.make(test.database, test.bus, (dataKeys) =>
    handlersIn(approvalHandlers(test.database, test.bus, dataKeys)),
  );
  ({ core } = fixture);
  [first, second] = [await core.integration('Alpha'), await core.integration('Beta')];
  reader = core.staff();
});

const LINES = { items: [{ p1_id: 'p1', quantity: 2, price: 9.95 }] };
const submit = (by: Caller | undefined, payload: object = {}, envelope: object = {}) =>
  fixture.submit({ ...LINES, ...payload }, { external_reference: 'R-1', ...envelope, ...(by && { by }) });
const approve = (requestId: string, body: object = {}) =>
  core.call(approveOrderRequest, { params: { requestId }, body });
const review = async (requestId: string) =>
  (await core.call(getReview, { params: { requestId }, caller: reader })).body;

describe('a reference that an order of another sender has', () => {
  it.each([
    ['another partner', () => first, () => second],
    ['the organization', () => undefined, () => second],
    ['a partner, for the organization', () => first, () => undefined],
  ])('of %s: the order takes the id of the request', async (_, one, other) => {
    const [earlier, later] = [await submit(one()), await submit(other())];
    expect((await approve(earlier)).body.order.external_id).toBe('R-1');
    const { status, body } = await approve(later);
    expect([status, body.order.external_id]).toEqual([200, later]);
    expect(await approve(later)).toMatchObject({ status: 200, body: { order_id: body.order_id } });
    const caller = other();
    const read =
      caller && (await core.call(requests.readExternalOrder, { params: { requestId: later }, caller }));
    if (read)
      expect(read.body).toMatchObject({ external_reference: 'R-1', order_status: 'awaiting_packing' });
  });

  it.each([
    ['was upserted', () => core.upsert('R-1')],
    [
      'came from a request of the same sender',
      async () => approve(await submit(second, {}, { source: 'b' })),
    ],
    [
      'has the id of the request, too',
      async (id: string) => {
        await approve(await submit(first));
        return core.upsert(id);
      },
    ],
  ])('stays 409 where the order %s', async (_, make) => {
    const id = await submit(second);
    await make(id);
    const { status, body } = await approve(id);
    expect([status, body.error]).toEqual([409, 'conflict']);
    expect((await review(id)).status).toBe('pending');
  });

  it.each([
    ['the organization', () => undefined],
    ['another partner', () => first],
  ])('leaves its id to a request that %s names as reference', async (_, by) => {
    const named = await submit(second, {}, { external_reference: null });
    const id = await submit(by(), {}, { external_reference: named });
    expect((await approve(id)).body.order.external_id).toBe(id);
    expect(await approve(named)).toMatchObject({ status: 200, body: { order: { external_id: named } } });
  });

  it('makes one order of a request and one of the same sender that names its id', async () => {
    const named = await submit(second, {}, { external_reference: null });
    const id = await submit(second, {}, { external_reference: named });
    expect((await approve(id)).body.order.external_id).toBe(named);
    expect(await approve(named)).toMatchObject({ status: 409, body: { error: 'conflict' } });
  });

  it('is decided by the database in a race of approvals', async () => {
    for (let round = 0; round < 10; round++) {
      const envelope = { external_reference: `raced ${round}` };
      const third = await core.integration('Gamma');
      const ids = await Promise.all([first, second, third].map((by) => submit(by, {}, envelope)));
      const answers = await Promise.all(ids.map((id) => approve(id)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      const taken = answers.map(({ body }) => body.order.external_id);
      expect(taken.filter((id) => id === envelope.external_reference)).toHaveLength(1);
      expect(taken.filter((id) => ids.includes(id))).toHaveLength(2);
    }
  });

  it('makes one order of two requests of one sender', async () => {
    await approve(await submit(first));
    const ids = await Promise.all(['a', 'b', 'c'].map((source) => submit(second, {}, { source })));
    const answers = await Promise.all(ids.map((id) => approve(id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const later = await submit(second, {}, { source: 'd' });
    expect(await approve(later)).toMatchObject({ status: 409, body: { error: 'conflict' } });
  });

  it.each([
    [{ customer_name: 'Ada' }, { customer_name: 'Bea' }, false],
    [{ customer_name: 'Ada  Müller' }, { customer_name: 'ada mueller' }, true],
    [{ customer_name: 'Ada Muller' }, { customer_name: 'Ada Müller' }, true],
    [{ customer_name: 'Ada Bauer' }, { customer_name: 'Ada Baur' }, false],
    [
      { customer_name: 'Ada', customer_email: 'A@example.org' },
      { customer_name: 'Bea', customer_email: 'a@example.org' },
      true,
    ],
    [
      { customer_name: 'Ada', customer_email: 'σας@exämple.de' },
      { customer_name: 'Bea', customer_email: 'ΣΑΣ@xn--exmple-cua.de' },
      true,
    ],
  ])('is a fact of the review: %j, then %j, same customer: %s', async (one, other, isSame) => {
    const [earlier, later] = [await submit(first, one), await submit(second, other)];
    expect((await review(later)).reference_order).toBeNull();
    const { order_id } = (await approve(earlier)).body;
    const of = { order_request_id: earlier, status: 'approved', order_id };
    const fact = { ...of, integration: 'Alpha', same_customer: isSame };
    expect((await review(later)).reference_order).toEqual(fact);
    expect((await review(earlier)).reference_order).toBeNull();
  });

  it.each([
    ['Ada', 'Alpha', true],
    ['Bea', 'Beta', true],
    ['Cleo', 'Alpha', false],
  ])('names, of the orders of two senders, that of the same customer: %s', async (name, of, isSame) => {
    const gamma = await core.integration('Gamma');
    const senders = [first, second, gamma];
    const [one, two, third] = await Promise.all(
      ['Ada', 'Bea', name].map((customer_name, at) => submit(senders[at], { customer_name })),
    );
    for (const id of [one, two]) expect((await approve(id ?? '')).status).toBe(200);
    const fact = { order_request_id: of === 'Alpha' ? one : two, integration: of, same_customer: isSame };
    expect((await review(third ?? '')).reference_order).toMatchObject(fact);
  });

  it.each([
    ['Ada', true],
    ['Bea', false],
  ])('names the request of another sender whose id it is, of the same customer: %s', async (name, isSame) => {
    const named = await submit(
      first,
      { customer_name: 'Ada', customer_email: 'ada@example.org' },
      { external_reference: 'other' },
    );
    const email = isSame ? { customer_email: 'ADA@example.org' } : {};
    const id = await submit(second, { customer_name: `${name} B.`, ...email }, { external_reference: named });
    const fact = { order_request_id: named, integration: 'Alpha', same_customer: isSame };
    expect((await review(id)).reference_order).toEqual({ ...fact, status: 'pending', order_id: null });
    const { order_id } = (await approve(named)).body;
    expect((await review(id)).reference_order).toEqual({ ...fact, status: 'approved', order_id });
    const own = await submit(first, {}, { external_reference: named });
    expect((await review(own)).reference_order).toBeNull();
  });

  it('follows an upsert by a key of the organization, whose history names the key', async () => {
    const { order_id: orderId } = (await approve(await submit(first))).body;
    expect((await core.upsert('R-1', { order_number: '4711' })).body.id).toBe(orderId);
    const { data } = (await core.call(orderHistory, { params: { orderId } })).body;
    expect(data.at(-1)).toMatchObject({ actor: core.keyId, changes: [{ field: 'order_number' }] });
  });
});

const TOKEN = { task_id: '160.000.033.491.280.78', access_code: '0123456789abcdef'.repeat(4) };

describe.each([
  ['PDF', (customer_name: string) => [{ customer_name }, { pdf: makePdf('same') }]],
  ['token', (customer_name: string) => [{ customer_name, e_prescription: TOKEN, items: null }, {}]],
])('the %s of an earlier request', (_, content) => {
  /** Without a reference, so that duplicates are suspected, too. */
  const send = (name: string, by = first) => {
    const [payload = {}, envelope = {}] = content(name);
    return submit(by, payload, { ...envelope, external_reference: null });
  };
  /** What detail and list say of it: uses with their tone, suspicion, flags. */
  async function said(requestId: string, shop_id = core.shopId) {
    const { checks } = await review(requestId);
    const { data } = await fixture.list({ shop_id, ids: requestId });
    const uses = checks.used_before.map(({ order_request_id: id, withdrawn }) => [id, withdrawn]);
    const filtered = await fixture.ids({ shop_id, ids: requestId, flag: 'used_before' });
    return { uses, isDuplicate: checks.duplicate_suspect, flags: data[0]?.flags, found: filtered.length };
  }
  const NOTHING = { uses: [], isDuplicate: false, flags: [], found: 0 };
  const used = (id: string) => ({
    uses: [[id, false]],
    isDuplicate: true,
    flags: ['used_before', 'duplicate'],
    found: 1,
  });

  it('counts within test shops or within real ones, never across', async () => {
    const [trial, otherTrial] = [newId(), newId()];
    for (const id of [trial, otherTrial])
      await insertShop(test.database, core.orgId, { id, name: 'T', domain: `${id}.example`, isTest: true });
    const at = (shopId: string) => ({ ...first, shopId }) as Caller;
    const tried = await send('Ada', at(trial));
    const real = await send('Bea');
    expect(await said(real)).toEqual(NOTHING);
    expect(await said(await send('Cleo', at(otherTrial)), otherTrial)).toEqual(used(tried));
    expect(await said(await send('Dora'))).toEqual(used(real));
  });

  it('is grey after its sender has withdrawn it, for this sender alone', async () => {
    const cancel = {
      params: { requestId: await send('Ada') },
      body: { reason: 'sent_by_mistake' },
      caller: first,
    };
    const withdrawn = cancel.params.requestId;
    expect((await core.call(requests.cancelExternalOrder, cancel)).status).toBe(200);
    expect(await said(await send('Ada'))).toEqual({ ...NOTHING, uses: [[withdrawn, true]] });
    const others = await said(await send('Bea', second));
    expect(others.uses).toContainEqual([withdrawn, false]);
    expect([others.flags, others.found]).toEqual([['used_before', 'duplicate'], 1]);
  });

  it('is not hidden by as many withdrawn ones as the list has places', async () => {
    const real = await send('Ada');
    for (let one = 0; one < MAX_USES_SHOWN; one += 1) {
      const params = { requestId: await send('Bea', second) };
      const cancel = { params, body: { reason: 'sent_by_mistake' as const }, caller: second };
      expect((await core.call(requests.cancelExternalOrder, cancel)).status).toBe(200);
    }
    const { uses, isDuplicate } = await said(await send('Bea', second));
    expect([uses.length, uses[0], isDuplicate]).toEqual([MAX_USES_SHOWN, [real, false], true]);
  });

  it('counts also once the earlier request has a further version, and was rejected', async () => {
    const [earlier, later] = [await send('Ada'), await send('Bea', second)];
    const params = { requestId: earlier };
    const [payload = {}] = content('Ada');
    const body = { payload: { ...LINES, ...payload, shop_id: core.shopId, address_city: 'Köln' } };
    expect((await core.call(requests.replaceExternalOrder, { params, body, caller: first })).status).toBe(
      200,
    );
    expect(await said(later)).toEqual(used(earlier));
    const why = { reason: 'prescription_invalid', version: 2 };
    expect((await core.call(rejectOrderRequest, { params, body: why, caller: reader })).status).toBe(200);
    expect(await said(later)).toEqual(used(earlier));
  });

  it('counts also once the earlier request has another one', async () => {
    const [earlier, later] = [await send('Ada'), await send('Bea', second)];
    const params = { requestId: earlier };
    const other = { items: LINES.items, shop_id: core.shopId, customer_name: 'Ada' };
    const e_prescription = { ...TOKEN, task_id: '160.000.033.491.281.75' };
    const body = {
      payload: { ...other, e_prescription, prescription_pdf_base64: makePdf('other').toString('base64') },
    };
    expect((await core.call(requests.replaceExternalOrder, { params, body, caller: first })).status).toBe(
      200,
    );
    expect(await said(later)).toEqual(used(earlier));
    expect((await said(earlier)).uses).toEqual([]);
  });

  it('counts for an older open request, too, once a later one was approved', async () => {
    const [older, later] = [await send('Ada'), await send('Bea')];
    const lines = { items: [{ p1_id: 'p1', qty: 2, price: 9.95 }] };
    expect(await said(older)).toEqual(NOTHING);
    expect((await approve(later, lines)).status).toBe(200);
    expect(await said(older)).toEqual(used(later));
    expect((await approve(older, lines)).status).toBe(200);
    expect((await said(older)).uses).toEqual([]);
  });
});

it("has its integration's name beside its source in list and review, whatever the source says", async () => {
  const ids = [
    await submit(second, {}, { source: 'Alpha' }),
    await submit(undefined, {}, { source: 'Alpha' }),
  ];
  const { data } = await fixture.list({ source: 'Alpha' });
  const shown = data.map(({ id, source, integration }) => [id, source, integration]);
  expect(shown).toEqual([
    [ids[0], 'Alpha', 'Beta'],
    [ids[1], 'Alpha', null],
  ]);
  for (const [id = '', , integration] of shown) expect(await review(id ?? '')).toMatchObject({ integration });
});

const renameKey = statement<never, [string, string]>(
  'spec_rename_key',
  'UPDATE core.api_keys SET name = $2 WHERE id = $1',
);

/** The integration with the key that replaced its first. */
async function rotated(by: Caller): Promise<Caller> {
  const id = newId();
  const key = { id, name: 'Later', kind: 'int', hash: id, shopId: null, expiresAt: null } as const;
  await insertKey(test.database, core.orgId, { ...key, scopes: [], replaces: by.actorId });
  return { ...by, actorId: id };
}

it('names the integration of a request to the organization in list, detail and event, as it is called now', async () => {
  const partner = await core.integration('Gamma');
  const later = { external_reference: 'R-2' };
  const ids = [
    await submit(partner),
    await submit(await rotated(partner), {}, later),
    await submit(undefined),
  ];
  const mine = { integration_id: partner.actorId, integration: 'Gamma' };
  const none = { integration_id: null, integration: null };
  const read = async () => {
    const { data } = (await core.call(listOrderRequests, { query: 'sort=created_at' })).body;
    const whole = await Promise.all(
      ids.map(async (requestId) => (await core.call(getOrderRequest, { params: { requestId } })).body),
    );
    return [data, whole].map((rows) =>
      rows.map(({ integration_id, integration }) => ({ integration_id, integration })),
    );
  };
  const expected = [mine, mine, none];
  expect(await read()).toEqual([expected, expected]);
  await test.database.rows(renameKey, partner.actorId, '"Gamma" Ünal');
  const now = { ...mine, integration: '"Gamma" Ünal' };
  expect(await read()).toEqual([
    [now, now, none],
    [now, now, none],
  ]);
  for (const [at, { integration_id }] of expected.entries())
    expect((await core.eventsOf(ids[at] ?? ''))[0]?.metadata).toMatchObject({ integration_id });
});

it('tells a partner nothing about the integration of another', async () => {
  const caller = second;
  const id = await submit(second, {}, { source: 'Alpha' });
  const foreign = await submit(first);
  const own = await core.call(requests.readExternalOrder, { params: { requestId: id }, caller });
  expect(own.body).toMatchObject({ id });
  expect(JSON.stringify(own)).not.toContain('integration');
  expect(
    await core.call(requests.readExternalOrder, { params: { requestId: foreign }, caller }),
  ).toMatchObject({
    status: 404,
  });
});

describe('a test shop and real ones', () => {
  it.each([true, false])(
    'know nothing of each other on the page of a customer, of a trial: %s',
    async (isTest) => {
      const trial = newId();
      await insertShop(test.database, core.orgId, {
        id: trial,
        name: 'T',
        domain: `${trial}.example`,
        isTest: true,
      });
      const customer_email = 'ada@example.org';
      const at = (shopId: string) => submit({ ...first, shopId } as Caller, { customer_email });
      const [tried, real] = [await at(trial), await at(core.shopId)];
      const order = { customer_email, items: [] };
      const triedOrder = (await core.upsert('O', { ...order, shop_id: trial })).body.id;
      const realOrder = (await core.upsert('O', order)).body.id;
      const [request, ofRequest] = isTest ? [tried, triedOrder] : [real, realOrder];
      const page = await core.call(getCustomer, { query: `request_id=${request}`, caller: reader });
      expect(page.body.data.map(({ id }) => id)).toEqual([ofRequest, request]);
      expect((await review(request)).customer).toMatchObject({ requests: 0, orders: 1 });
      await approve(request);
      const today = new Date().toLocaleDateString('sv', { timeZone: 'Europe/Berlin' });
      const day = await core.call(listDay, { query: `on=${today}`, caller: reader });
      expect(day.body.data).toHaveLength(isTest ? 0 : 1);
    },
  );
});
