import { addDocument } from '@offizin/contracts/requests/added-documents';
import {
  countRequests,
  getReview,
  listReviews,
  planRequest,
  type ReviewFlag,
} from '@offizin/contracts/requests/review';
import { listReviewPeople, type ReviewPlanBody } from '@offizin/contracts/requests/review-plan';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { makePdf } from '@offizin/testkit/pdf';
import type { Caller } from '@offizin/contracts/calls/caller';
import { LiveChanges } from './first-approvals';
import { PlanHandlers } from './plan.handlers';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { walkPages } from '@offizin/testkit/walk-pages';
import { ReviewFixture } from '../../spec/review-fixture';
import { brokerSpec } from '../../spec/core-spec';

const age = statement<never, [string, number]>(
  'spec_age_request',
  `UPDATE core.order_requests SET created_at = now() - make_interval(hours => $2) WHERE id = $1`,
);
const setStatus = statement<never, [string, string]>(
  'spec_request_status',
  `UPDATE core.order_requests SET status = $2 WHERE id = $1`,
);
const setDocument = statement<never, [string, string, string | null]>(
  'spec_document_state',
  `UPDATE core.documents SET state = $2, signature = $3 WHERE order_request_id = $1`,
);

const test = brokerSpec();
let fixture: ReviewFixture;
beforeEach(async () => {
  const plans = new PlanHandlers(test.database, new LiveChanges(test.bus.connection));
  fixture = await ReviewFixture.make(test.database, test.bus, () => handlersIn(plans));
});

it('shows what a row needs, without opening the payload', async () => {
  const items = [
    { name: 'Bediol', quantity: 15, price: 9.5 },
    { p1_id: 'p1-vaporizer', quantity: 1, price: 89 },
  ];
  const id = await fixture.submit({ items, shipping_option: 'Express' }, { external_reference: 'R-1' });
  const { data, total, next_cursor } = await fixture.list();
  expect([total, next_cursor, data.length]).toEqual([1, null, 1]);
  expect(data[0]).toMatchObject({
    id,
    status: 'pending',
    external_reference: 'R-1',
    customer_name: 'Jörg Möller',
    version: 1,
    lines_text: '15 × Bediol, 1 × p1-vaporizer',
    line_count: 2,
    shipping_option: 'Express',
    total_amount: 231.5,
    flags: ['document_missing', 'express'],
    erased_at: null,
  });
  const { created_at = '', expires_at = '' } = data[0] ?? {};
  expect(Date.parse(expires_at ?? '') - Date.parse(created_at)).toBe(30 * 86_400_000);
});

it('shows another organization nothing, and takes no shop of another one', async () => {
  await fixture.submit();
  const other = await ReviewFixture.make(test.database, test.bus);
  expect(await other.list()).toEqual({ data: [], total: 0, next_cursor: null });
  const { core } = other;
  expect((await core.call(countRequests, { caller: core.staff() })).body).toEqual({
    open: 0,
    second_look: 0,
    parked: 0,
    due_at: null,
    asked: 0,
    decided: 0,
  });
  for (const shop of [fixture.core.shopId, newId(), 'none']) {
    const answer = await core.call(listReviews, { query: `shop_id=${shop}`, caller: core.staff() });
    expect([answer.status, answer.body.error]).toEqual([404, 'not_found']);
  }
});

it('has a request in the tab of its status, and counts the tabs exactly', async () => {
  const ids = await Promise.all(Array.from({ length: 5 }, () => fixture.submit()));
  const statuses = ['pending', 'needs_clarification', 'approved', 'rejected', 'expired'];
  await Promise.all(ids.map((id, place) => test.database.rows(setStatus, id, statuses[place] ?? '')));
  expect(await fixture.ids({ tab: 'open' })).toEqual([ids[0]]);
  expect(await fixture.ids({ tab: 'asked' })).toEqual([ids[1]]);
  expect((await fixture.ids({ tab: 'decided' })).sort()).toEqual([ids[2], ids[3], ids[4]].sort());
  expect(await fixture.ids({ tab: 'decided', status: 'rejected' })).toEqual([ids[3]]);
  expect(await fixture.list({ tab: 'open', status: 'rejected' })).toEqual({
    data: [],
    total: 0,
    next_cursor: null,
  });
  const { core } = fixture;
  expect((await core.call(countRequests, { caller: core.staff() })).body).toEqual({
    open: 1,
    second_look: 0,
    parked: 0,
    due_at: null,
    asked: 1,
    decided: 3,
  });
  const [decided] = (await fixture.list({ tab: 'decided' })).data;
  expect(decided?.expires_at).toBeNull();
});

describe('search', () => {
  it.each(['moller', 'MÖLLER', 'Mo\u0308ller', 'jorg  mö', 'möl jö', 'ref/7', 'REF'])(
    'finds %p',
    async (q) => {
      const id = await fixture.submit({}, { external_reference: 'Ref/7' });
      await fixture.submit({ customer_name: 'Anna' }, { external_reference: 'X' });
      expect(await fixture.ids({ q })).toEqual([id]);
    },
  );

  it.each(['%', '_', '\\', 'möllerref', 'anna'])('does not find %p', async (q) => {
    await fixture.submit({}, { external_reference: 'Ref/7' });
    expect(await fixture.list({ q })).toMatchObject({ total: 0 });
  });
});

it('filters by shop, source and ids', async () => {
  const { otherShopId, shopId } = fixture.core;
  const one = await fixture.submit({}, { source: 'telemedicine' });
  const two = await fixture.submit({ shop_id: otherShopId });
  expect(await fixture.ids({ source: 'telemedicine' })).toEqual([one]);
  expect(await fixture.ids({ shop_id: otherShopId })).toEqual([two]);
  expect(await fixture.list({ ids: `${two},x,${newId()}` })).toMatchObject({ data: [{ id: two }], total: 1 });
  expect(await fixture.ids({ shop_id: shopId, source: `shop:${otherShopId}` })).toEqual([]);
});

describe('flags', () => {
  async function expectFlag(flag: ReviewFlag, id: string): Promise<void> {
    const { data, total } = await fixture.list({ flag });
    expect([total, data.map((row) => row.id)]).toEqual([1, [id]]);
    expect(data[0]?.flags).toContain(flag);
    const all = await fixture.list();
    expect(all.data.filter((row) => row.flags.includes(flag)).map((row) => row.id)).toEqual([id]);
  }

  it('marks the later of two requests with one document', async () => {
    await fixture.submit({ customer_name: 'Anna' }, { pdf: makePdf('same'), external_reference: 'a' });
    const later = await fixture.submit(
      { customer_name: 'Berta' },
      { pdf: makePdf('same'), external_reference: 'b' },
    );
    const other = await ReviewFixture.make(test.database, test.bus);
    await other.submit({}, { pdf: makePdf('same'), external_reference: 'c' });
    await expectFlag('used_before', later);
    expect((await other.list()).data[0]?.flags).toEqual([]);
  });

  it('looks at every prescription of a request, and at no other document', async () => {
    const first = await fixture.submit({}, { pdf: makePdf('same'), external_reference: 'a' });
    const later = await fixture.submit({}, { pdf: makePdf('same'), external_reference: 'b' });
    const add = async (requestId: string, kind: string, title: string) => {
      const body = { kind, pdf_base64: makePdf(title).toString('base64') };
      const { status } = await fixture.core.call(addDocument, { params: { requestId }, body });
      expect(status).toBe(201);
    };
    await add(later, 'prescription', 'another');
    await add(later, 'identity', 'card');
    await add(first, 'identity', 'card');
    await expectFlag('used_before', later);
    const lastly = await fixture.submit({}, { external_reference: 'c' });
    await add(lastly, 'identity', 'another card');
    await expectFlag('document_missing', lastly);
    await add(lastly, 'prescription', 'another');
    expect(await fixture.ids({ flag: 'used_before' })).toEqual([later, lastly]);
    expect(await fixture.ids({ flag: 'document_missing' })).toEqual([]);
  });

  it('suspects a duplicate within 24 hours, but not under a reference', async () => {
    const first = await fixture.submit();
    const second = await fixture.submit();
    await fixture.submit({}, { external_reference: 'r' });
    await expectFlag('duplicate', second);
    await test.database.rows(age, first, 30);
    expect(await fixture.ids({ flag: 'duplicate' })).toEqual([]);
  });

  it('names what is wrong with the document', async () => {
    const [missing, failed, altered] = [
      await fixture.submit({ customer_name: 'A' }, { external_reference: 'a' }),
      await fixture.submit({ customer_name: 'B' }, { external_reference: 'b', pdf: makePdf('b') }),
      await fixture.submit({ customer_name: 'C' }, { external_reference: 'c', pdf: makePdf('c') }),
    ];
    await test.database.rows(setDocument, failed, 'failed', null);
    await test.database.rows(setDocument, altered, 'stored', 'altered');
    await expectFlag('document_missing', missing);
    await expectFlag('document_failed', failed);
    await expectFlag('signature_altered', altered);
  });

  it('marks what needs haste', async () => {
    const express = await fixture.submit({ shipping_option: 'Express' }, { external_reference: 'e' });
    const old = await fixture.submit({}, { external_reference: 'o' });
    await test.database.rows(age, old, 27 * 24 + 1);
    const young = await fixture.submit({}, { external_reference: 'y' });
    await test.database.rows(age, young, 27 * 24 - 1);
    await expectFlag('express', express);
    await expectFlag('expires_soon', old);
  });

  it('marks an answered question, with the values of the new version', async () => {
    const id = await fixture.submit({}, { external_reference: 'r' });
    await fixture.ask(id);
    expect(await fixture.ids({ flag: 'new_version', tab: 'asked' })).toEqual([]);
    const items = [{ name: 'Öl', quantity: 3, price: 5 }];
    await fixture.submit(
      { customer_name: 'Zoë', items, shipping_option: 'Versand' },
      { external_reference: 'r' },
    );
    await expectFlag('new_version', id);
    const [row] = (await fixture.list({ q: 'zoe' })).data;
    expect(row).toMatchObject({ version: 2, lines_text: '3 × Öl', shipping_option: 'Versand' });
    expect(await fixture.ids({ q: 'möller' })).toEqual([]);
    await fixture.reject(id);
    expect(await fixture.ids({ tab: 'decided', flag: 'new_version' })).toEqual([]);
  });
});

describe('pages', () => {
  it.each(['oldest', 'newest', 'expiring'])(
    'has every row once in order %s, whatever happens',
    async (sort) => {
      const ids: string[] = [];
      for (let place = 0; place < 7; place += 1) {
        ids.push(await fixture.submit());
        await test.database.rows(age, ids[place] ?? '', 100 - place);
      }
      const sorted = sort === 'newest' ? [...ids].reverse() : ids;
      // One that was seen leaves, and a new one comes: nothing is skipped or shown twice.
      const decided = [...sorted];
      const seen = await walkPages(
        (_, cursor) => fixture.list({ sort, limit: 2, ...(cursor !== undefined && { cursor }) }),
        async () => {
          await test.database.rows(setStatus, decided.shift() ?? '', 'rejected');
          if (sort === 'newest') await fixture.submit();
        },
      );
      expect(seen.map(({ id }) => id)).toEqual(sorted);
    },
  );

  it('refuses a cursor of another order or filter', async () => {
    await fixture.submit();
    await fixture.submit();
    const { next_cursor: cursor } = await fixture.list({ limit: 1 });
    const { core } = fixture;
    for (const other of ['sort=newest', 'source=other', 'tab=decided']) {
      const query = `${other}&cursor=${cursor}`;
      expect((await core.call(listReviews, { query, caller: core.staff() })).status).toBe(400);
    }
  });

  it.each([
    'limit=0',
    'limit=201',
    'tab=none',
    'sort=total',
    'flag=none',
    'status=none',
    'cursor=x',
    'offset=1',
  ])('refuses %s', async (query) => {
    const { core } = fixture;
    expect((await core.call(listReviews, { query, caller: core.staff() })).status).toBe(400);
  });
});

describe('a plan', () => {
  const due = statement<never, [string]>(
    'spec_request_due',
    `UPDATE core.order_requests SET parked_until = now() - interval '1 second' WHERE id = $1`,
  );
  const plan = (requestId: string, body: ReviewPlanBody, caller: Caller) =>
    fixture.core.call(planRequest, { params: { requestId }, body, caller });
  const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
  const counts = async () => (await fixture.core.call(countRequests, { caller: fixture.core.staff() })).body;
  let anna: Caller;
  let bodo: Caller;
  beforeEach(async () => {
    [anna, bodo] = [fixture.core.staff(), fixture.core.staff()];
    for (const caller of [anna, bodo]) await fixture.core.call(countRequests, { caller });
  });

  it('parks a request out of the open ones until it is due; it can be decided all the time', async () => {
    const [id, other] = [await fixture.submit(), await fixture.submit()];
    const parked_until = inHours(3);
    expect((await plan(id, { parked_until }, anna)).body).toEqual({ assigned_to: null, parked_until });
    expect(await fixture.list({ tab: 'open' })).toMatchObject({ total: 1, data: [{ id: other }] });
    expect(await fixture.list({ tab: 'parked' })).toMatchObject({
      total: 1,
      data: [{ id, plan: { parked_until } }],
    });
    expect(await counts()).toMatchObject({ open: 1, parked: 1, due_at: parked_until });
    const object = `order-request:${id}`;
    expect((await fixture.core.auditOf(object)).slice(1)).toMatchObject([
      { action: 'order-request.park', object },
    ]);

    await test.database.rows(due, id);
    expect(await fixture.ids({ tab: 'parked' })).toEqual([]);
    expect(await fixture.ids({ flag: 'due_again' })).toEqual([id]);
    expect(await counts()).toMatchObject({ open: 2, parked: 0, due_at: null });

    await plan(id, { parked_until }, anna);
    await fixture.reject(id);
    expect(await counts()).toMatchObject({ open: 1, parked: 0, decided: 1 });
    expect(await plan(id, { parked_until }, anna)).toMatchObject({
      status: 409,
      body: { error: 'already_decided' },
    });
  });

  it('assigns a request to one of two people who take it at the same time, and tells the other', async () => {
    const id = await fixture.submit();
    await fixture.submit();
    const take = (caller: Caller) => plan(id, { assigned_to: caller.actorId, assigned_before: null }, caller);
    const answers = await Promise.all([take(anna), take(bodo)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const [winner, loser] = answers[0]?.status === 200 ? [anna, bodo] : [bodo, anna];
    const mine = async (caller: Caller) =>
      (
        await fixture.core.call(listReviews, { query: `assigned=${caller.actorId}`, caller: anna })
      ).body.data.map((row) => row.id);
    expect([await mine(winner), await mine(loser)]).toEqual([[id], []]);
    expect(await fixture.list({ assigned: 'nobody' })).toMatchObject({ total: 1 });
    const read = await fixture.core.call(getReview, { params: { requestId: id }, caller: loser });
    expect(read.body.plan.assigned_to?.staff_id).toBe(winner.actorId);
    const object = `order-request:${id}:to:${winner.actorId}`;
    const entries = await fixture.core.auditOf(`order-request:${id}`);
    expect(entries.filter(({ action }) => action === 'order-request.assign')).toMatchObject([{ object }]);
  });

  it('parks a request for one of two people who park it at the same time, and tells the other', async () => {
    const id = await fixture.submit();
    const park = (hours: number, parked_before: string | null, caller: Caller) =>
      plan(id, { parked_until: inHours(hours), parked_before }, caller);
    const answers = await Promise.all([park(2, null, anna), park(3, null, bodo)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const parked = answers.find(({ status }) => status === 200)?.body.parked_until ?? null;
    expect((await park(4, parked, bodo)).status).toBe(200);
    await test.database.rows(due, id);
    expect((await park(2, inHours(-1), anna)).status).toBe(200);
    const taken = { assigned_to: bodo.actorId, assigned_before: null };
    expect((await plan(id, taken, bodo)).status).toBe(200);
    expect(await plan(id, { parked_until: null, assigned_before: null }, anna)).toMatchObject({
      status: 409,
      body: { details: [{ field: 'assigned_to' }] },
    });
  });

  it('is for people who may decide, and for the next seven days', async () => {
    const id = await fixture.submit();
    const clerk = fixture.core.staff('clerk');
    await fixture.core.call(listReviews, { caller: clerk });
    const people = (await fixture.core.call(listReviewPeople, { caller: anna })).body.data;
    const ids = people.map(({ staff_id }) => staff_id);
    expect(ids).toEqual(expect.arrayContaining([anna.actorId, bodo.actorId]));
    expect(ids).not.toContain(clerk.actorId);
    for (const body of [
      { assigned_to: clerk.actorId },
      { parked_until: inHours(-1) },
      { parked_until: inHours(169) },
    ])
      expect((await plan(id, body, anna)).status).toBe(400);
    await fixture.ask(id);
    expect((await plan(id, { parked_until: inHours(1) }, anna)).status).toBe(409);
  });
});
