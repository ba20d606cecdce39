import { listOrders, type OrderDetail } from '@offizin/contracts/orders/orders';
import { acceptExternalOffer, declineExternalOffer } from '@offizin/contracts/requests/offers';
import * as review from '@offizin/contracts/requests/order-request-review';
import * as api from '@offizin/contracts/requests/order-requests';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { makePdf } from '@offizin/testkit/pdf';
import { insertShop } from '../../people/directory/organizations.store';
import { catalog, catalogSpec } from '../../spec/fake-catalog';
import { requestHandlers, specKeys } from '../../spec/request-handlers';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { testShop } from '../../spec/test-shop';
import { hasCustomerJustBefore } from './checks.store';
import { decideDue, type Deciders } from './test-decisions';

const test = catalogSpec();
let core: OrderCoreFixture;
let deciders: Deciders;
let testShopId: string;

const followStock = statement<never, [string]>(
  'spec_follow_stock',
  'UPDATE core.organizations SET stock_follows_orders = true WHERE id = $1',
);
const counted = statement<{ counted: string; amount: number }, [string]>(
  'spec_counted_of_shop',
  `SELECT counted, sum(amount)::int AS amount FROM core.row_count_deltas WHERE shop_id = $1 GROUP BY 1 ORDER BY 1`,
);
const summed = statement<{ orders: number }, [string]>(
  'spec_summed_of_shop',
  'SELECT sum(orders)::int AS orders FROM core.daily_sum_deltas WHERE shop_id = $1 HAVING count(*) > 0',
);

const markErased = statement<never, [string]>(
  'spec_mark_erased',
  'UPDATE core.order_requests SET erased_at = now() WHERE id = $1',
);

beforeEach(async () => {
  ({ core, deciders, testShopId } = await testShop(test.database, test.bus));
});

const ITEMS = [{ p1_id: 'p1', quantity: 2, price: 10 }];

async function submitted(reference: string, shopId = testShopId, items: object[] = ITEMS) {
  const body = { external_reference: reference, payload: { customer_email: 'a@example.org', items } };
  return (await core.call(api.submitExternalOrder, { body, caller: core.partner(shopId) })).body;
}

async function progress(requestId: string, shopId = testShopId) {
  const caller = core.partner(shopId);
  return (await core.call(api.readExternalOrder, { params: { requestId }, caller })).body;
}

const decide = (waitSeconds = 0): Promise<void> => decideDue(test.database, deciders, waitSeconds);

const testOf = (metadata: Record<string, unknown>[]): unknown[] => metadata.map(({ test: mark }) => mark);

describe('a test shop', () => {
  it('marks orders, their events and lists, and counts them for lists alone', async () => {
    const [{ body: made }, { body: real }] = [
      await core.upsert('a', { shop_id: testShopId, items: [{ qty: 1, price: 5, name: 'X' }] }),
      await core.upsert('a'),
    ];
    expect([made.test, 'test' in real]).toEqual([true, false]);
    await core.patch(made.id, { status: 'cancelled' });
    await core.patch(real.id, { status: 'cancelled' });
    expect(await core.order(made.id)).toMatchObject({ test: true, status: 'cancelled' });
    expect(testOf((await core.eventsOf(made.id)).map(({ metadata }) => metadata))).toEqual([true, true]);
    expect(testOf((await core.eventsOf(real.id)).map(({ metadata }) => metadata))).toEqual([
      undefined,
      undefined,
    ]);
    const person = core.staff();
    for (const [caller, query, ids] of [
      [core.key(), '', [real.id, made.id]],
      [person, '', [real.id]],
      [person, `shop_id=${testShopId}`, [made.id]],
    ] as const) {
      const { body } = await core.call(listOrders, { caller, query });
      expect(body.data.map(({ id }) => id)).toEqual(ids);
      expect(body.pagination.total).toBe(ids.length);
      expect(body.data.map((order) => order.test)).toEqual(
        ids.map((id) => (id === made.id ? true : undefined)),
      );
    }
    expect(await test.database.rows(counted, testShopId)).toEqual([{ counted: 'orders_test', amount: 1 }]);
    expect(await test.database.rows(summed, testShopId)).toEqual([]);
  });

  it('takes no stock where stock follows orders', async () => {
    await test.database.rows(followStock, core.orgId);
    const items = [{ p1_id: 'p1', qty: 1, price: 5 }];
    const { status, body } = await core.upsert('a', { shop_id: testShopId, items });
    expect(status).toBe(201);
    const more = await core.update(body.id, { items: [{ p1_id: 'p1', qty: 9, price: 5 }] });
    expect(more.body.items[0]?.quantity).toBe(9);
    expect((await core.eventsOf(body.id)).map(({ topic }) => topic)).toEqual(['plain', 'plain']);
  });

  it('marks a request and its approval, which reserves nothing', async () => {
    const receipt = await submitted('r');
    expect(receipt).toMatchObject({ status: 'pending', test: true });
    const { body } = await core.call(review.approveOrderRequest, {
      params: { requestId: receipt.id },
      body: {},
    });
    const { order } = body as { order: OrderDetail };
    expect(order.test).toBe(true);
    expect(catalog.reserved).toHaveLength(0);
    expect(await progress(receipt.id)).toMatchObject({ status: 'approved', test: true });
    const events = [...(await core.eventsOf(receipt.id)), ...(await core.eventsOf(order.id))];
    expect(events.map(({ event_type, topic, metadata }) => [event_type, topic, metadata['test']])).toEqual([
      ['order_request_submitted', 'plain', true],
      ['order_request_approved', 'plain', true],
      ['order_created', 'plain', true],
    ]);
    expect(await test.database.rows(counted, testShopId)).toEqual([
      { counted: 'order_requests_test', amount: 1 },
      { counted: 'orders_test', amount: 1 },
    ]);
  });

  it('makes no request of a real shop a suspected duplicate', async () => {
    await submitted('r');
    const made = [await submitted('r', core.shopId), await submitted('s', core.shopId)];
    const found = made.map(({ id }) => hasCustomerJustBefore(test.database, core.orgId, id));
    expect(await Promise.all(found)).toEqual([false, true]);
  });
});

describe('the begin of a reference', () => {
  it('decides after the wait, exactly once with two deciders', async () => {
    const references = ['approve-1', 'reject-1', 'ask-1', 'other-1'];
    const made = await Promise.all(references.map((reference) => submitted(reference)));
    await decide(60);
    const states = async () => Promise.all(made.map(async ({ id }) => (await progress(id)).status));
    expect(await states()).toEqual(['pending', 'pending', 'pending', 'pending']);
    await Promise.all([decide(), decide()]);
    expect(await states()).toEqual(['approved', 'rejected', 'needs_clarification', 'pending']);
    for (const { id } of made.slice(0, 3)) expect(await core.eventsOf(id)).toHaveLength(2);
    expect((await progress(made[2]?.id ?? '')).question).toContain('test shop');
    await submitted('ask-1', testShopId, [{ p1_id: 'p1', quantity: 3, price: 10 }]);
    await decide();
    expect(await states()).toEqual(['approved', 'rejected', 'approved', 'pending']);
    expect(catalog.reserved).toHaveLength(0);
  });

  it('corrects the first quantity: half of it, of one piece two', async () => {
    const line = { name: 'Tee', price: 2 };
    const many = [
      { ...line, quantity: 5 },
      { ...line, p1_id: 'p1', quantity: 3 },
    ];
    const made = [
      await submitted('correct-1', testShopId, many),
      await submitted('correct-2', testShopId, [{ ...line, quantity: 1 }]),
    ];
    await decide();
    const [first, second] = await Promise.all(made.map(({ id }) => progress(id)));
    expect([first?.answer, second?.answer]).toEqual([
      { corrected: true, changes: [{ kind: 'quantity', line: 1, from: 5, to: 2 }] },
      { corrected: true, changes: [{ kind: 'quantity', line: 1, from: 1, to: 2 }] },
    ]);
    expect(first?.order).toMatchObject({
      items: [{ quantity: 2 }, { p1_id: 'p1', quantity: 3 }],
      total_amount: 10,
    });
  });

  it('offers what it would correct, once, and approves what is there after the answer', async () => {
    const made = [await submitted('offer-1'), await submitted('offer-2')];
    await Promise.all([decide(), decide()]);
    const caller = core.partner(testShopId);
    for (const { id } of made) {
      const { status, offer } = await progress(id);
      expect(status).toBe('needs_clarification');
      expect(offer).toMatchObject({ state: 'open', items: [{ p1_id: 'p1', quantity: 1, price: 10 }] });
      expect(await core.eventsOf(id)).toHaveLength(2);
    }
    await decide();
    for (const [at, answer] of [acceptExternalOffer, declineExternalOffer].entries()) {
      const params = { requestId: made[at]?.id ?? '' };
      expect((await core.call(answer, { params, body: {}, caller })).status).toBe(200);
    }
    await decide();
    const read = await Promise.all(made.map(({ id }) => progress(id)));
    expect(read.map(({ status, order }) => [status, order?.items[0]?.quantity])).toEqual([
      ['approved', 1],
      ['approved', 2],
    ]);
    expect(read.map(({ offer }) => offer?.state)).toEqual(['accepted', 'declined']);
  });

  it('asks about a request without lines instead of an offer', async () => {
    const payload = { customer_name: 'E', prescription_pdf_base64: makePdf('R').toString('base64') };
    const body = { external_reference: 'offer-1', payload };
    const caller = core.partner(testShopId);
    const { id } = (await core.call(api.submitExternalOrder, { body, caller })).body;
    await decide();
    expect(await progress(id)).toMatchObject({ status: 'needs_clarification', offer: null });
  });

  it('rejects for the reason that follows, and for another text as other', async () => {
    const references = api.REJECTION_REASONS.map((reason) => `reject-${reason}-1`);
    const others = ['reject-1', 'reject-price_mismatchless-1', 'reject-price_mismatch'];
    const made = await Promise.all([...references, ...others].map((reference) => submitted(reference)));
    await decide();
    const read = await Promise.all(made.map(({ id }) => progress(id)));
    expect(read.map(({ status, reason }) => [status, reason])).toEqual(
      [...api.REJECTION_REASONS, 'other', 'other', 'price_mismatch'].map((reason) => ['rejected', reason]),
    );
  });

  it('lets expire, once and with its event', async () => {
    const { id } = await submitted('expire-1');
    await Promise.all([decide(), decide()]);
    expect(await progress(id)).toMatchObject({ status: 'expired', reason: null });
    const events = (await core.eventsOf(id)).map(({ event_type: kind, metadata }) => [
      kind,
      metadata['test'],
    ]);
    expect(events).toEqual([
      ['order_request_submitted', true],
      ['order_request_expired', true],
    ]);
    expect(await core.auditOf(`order-request:${id}`)).toContainEqual({
      actor: 'service:test',
      action: 'order-request.expire',
      object: `order-request:${id}`,
    });
  });

  it('lets no version expire that came meanwhile', async () => {
    const { id } = await submitted('expire-1');
    const caller = { ...core.service(), orgId: core.orgId };
    await deciders.expire(caller, { id, version: 2 });
    expect(await progress(id)).toMatchObject({ status: 'pending' });
    await deciders.expire(caller, { id, version: 1 });
    expect(await progress(id)).toMatchObject({ status: 'expired' });
  });

  it.each([
    ['busy-', 429, 'rate_limited'],
    ['down-', 502, 'core_unreachable'],
  ])('refuses %s with %d, once for each reference, sender and test shop', async (begin, status, error) => {
    const other = await core.integration('other', testShopId);
    const send = async (reference: string, caller = core.partner(testShopId)) => {
      const body = {
        external_reference: reference,
        payload: { customer_email: 'a@example.org', items: ITEMS },
      };
      return core.call(api.submitExternalOrder, { body, caller });
    };
    const racing = await Promise.all(Array.from({ length: 5 }, () => send(`${begin}1`)));
    expect(racing.map((answer) => answer.status).sort()).toEqual([200, 200, 200, 200, status]);
    const refused = racing.find((answer) => answer.status === status);
    expect([refused?.body, refused?.headers]).toEqual([
      { error, message: expect.stringContaining('send it again') },
      expect.objectContaining({ 'retry-after': '1', 'x-test-refusal': 'true' }),
    ]);
    expect((await send(`${begin}1`)).status).toBe(200);
    expect([(await send(`${begin}2`)).status, (await send(`${begin}2`)).status]).toEqual([status, 200]);
    expect([(await send(`${begin}1`, other)).status, (await send(`${begin}1`, other)).status]).toEqual([
      status,
      200,
    ]);
    expect((await send(`${begin}1`, core.partner())).status).toBe(200);
    await decide();
    expect(await progress((await submitted(`${begin}1`)).id)).toMatchObject({ status: 'pending' });
  });

  it('refuses no invalid submission, and none of the organization', async () => {
    const caller = core.partner(testShopId);
    const invalid = { external_reference: 'busy-1', payload: {} };
    expect((await core.call(api.submitExternalOrder, { body: invalid, caller })).status).toBe(400);
    const payload = { shop_id: testShopId, customer_email: 'a@example.org', items: ITEMS };
    const direct = { external_reference: 'busy-1', payload };
    expect((await core.call(api.submitOrderRequest, { body: direct })).status).toBe(200);
    const ended = { ...caller, actorId: newId() };
    const body = { external_reference: 'busy-1', payload: { customer_email: 'a@example.org', items: ITEMS } };
    expect((await core.call(api.submitExternalOrder, { body, caller: ended })).status).toBe(401);
    expect((await core.call(api.submitExternalOrder, { body, caller })).status).toBe(429);
  });

  it('decides nothing in a real shop', async () => {
    const { id } = await submitted('approve-1', core.shopId);
    await decide();
    expect(await progress(id, core.shopId)).toMatchObject({ status: 'pending' });
  });

  it('asks about one that cannot be approved, and keeps no other waiting', async () => {
    await core.upsert('approve-1', { shop_id: testShopId }, { caller: core.key() });
    const made = [await submitted('approve-1'), await submitted('approve-2')];
    await Promise.all([decide(), decide()]);
    const [first, second] = await Promise.all(made.map(({ id }) => progress(id)));
    expect([first?.status, first?.question]).toEqual([
      'needs_clarification',
      expect.stringContaining('external id'),
    ]);
    expect(second?.status).toBe('approved');
  });

  it.each(['ask-', 'offer-'])('rejects one of %s that was erased before', async (begin) => {
    const { id } = await submitted(`${begin}1`);
    await test.database.rows(markErased, id);
    await decide();
    expect((await progress(id)).status).toBe('rejected');
  });

  it('decides in each organization, however many fail in another', async () => {
    for (let count = 1; count <= 51; count += 1) await submitted(`reject-${count}`);
    const other = await OrderCoreFixture.make(
      test.database,
      requestHandlers(test.database, specKeys(test.database)),
    );
    const shop = { id: newId(), name: 'Test', domain: `${newId()}.example`, isTest: true };
    await insertShop(test.database, other.orgId, shop);
    const body = {
      external_reference: 'approve-1',
      payload: { customer_email: 'a@example.org', items: ITEMS },
    };
    const caller = other.partner(shop.id);
    const { id } = (await other.call(api.submitExternalOrder, { body, caller })).body;
    const reject = () => Promise.reject(new Error('the spec fails it'));
    const failing = decideDue(test.database, { ...deciders, review: { reject } }, 0);
    await expect(failing).rejects.toThrow('the spec fails it');
    const answer = await other.call(api.readExternalOrder, { params: { requestId: id }, caller });
    expect(answer.body.status).toBe('approved');
  });

  it('decides the others when one fails', async () => {
    const made = [await submitted('reject-1'), await submitted('approve-1')];
    const reject = () => Promise.reject(new Error('the spec fails it'));
    const failing = decideDue(test.database, { ...deciders, review: { reject } }, 0);
    await expect(failing).rejects.toThrow('the spec fails it');
    const states = await Promise.all(made.map(async ({ id }) => (await progress(id)).status));
    expect(states).toEqual(['pending', 'approved']);
  });
});
