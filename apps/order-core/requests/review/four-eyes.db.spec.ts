import { Controller, Module } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { eraseCustomer } from '@offizin/contracts/people/customers';
import { CHANGED_SUBJECT } from '@offizin/contracts/console/live';
import { type Answer, type Call, ok } from '@offizin/contracts/calls/operation';
import * as requests from '@offizin/contracts/requests/order-request-review';
import { releaseHold, type ReserveResponse, reserveStock } from '@offizin/contracts/products/reservations';
import { updateOrder, upsertOrder } from '@offizin/contracts/orders/orders';
import * as review from '@offizin/contracts/requests/review';
import { productsForReview, type ReviewProductsResponse } from '@offizin/contracts/requests/review-products';
import { type ReviewSettingsBody, setReviewSettings } from '@offizin/contracts/requests/review-settings';
import { statement } from '@offizin/pg/database';
import { eventually } from '@offizin/testkit/eventually';
import { race } from '@offizin/testkit/race';
import type { DataKeys } from '../../crypto/data-keys.store';
import { expireOld } from './expiry';
import { FourEyesHandlers } from './four-eyes.handlers';
import { LiveChanges } from './first-approvals';
import { approvalHandlers, type HandlerTable, orderHandlers } from '../../spec/spec-fixture';
import { ReviewFixture } from '../../spec/review-fixture';
import { ReviewSettingsHandlers } from './review-settings.handlers';
import { brokerSpec } from '../../spec/core-spec';
import { erasureHandlers } from '../../spec/request-handlers';

const reserved: string[] = [];
const released: string[] = [];
let beforeReserve = (): Promise<unknown> => Promise.resolve();

@Controller()
class CatalogHandlers {
  @Handles(reserveStock)
  async reserve({ body }: Call<typeof reserveStock>): Promise<Answer<ReserveResponse>> {
    await beforeReserve();
    reserved.push(body.order_request_id);
    return ok({ held: true, short_p1_ids: [] });
  }

  @Handles(releaseHold)
  release({ body }: Call<typeof releaseHold>): Promise<Answer<{ released: boolean }>> {
    released.push(body.order_request_id);
    return Promise.resolve(ok({ released: true }));
  }

  /** Knows the products `flower` with THC and `oil` without. */
  @Handles(productsForReview)
  products({ body }: Call<typeof productsForReview>): Promise<Answer<ReviewProductsResponse>> {
    const known = body.p1_ids.filter((id) => id === 'flower' || id === 'oil');
    const facts = { in_inventory: true, category: null, cbd: null, available: 9, price: 9.95 };
    const products = known.map((p1_id) => ({
      ...facts,
      p1_id,
      name: p1_id,
      thc: p1_id === 'flower' ? '22' : '0',
    }));
    return Promise.resolve(ok({ products }));
  }
}

@Module({ controllers: [CatalogHandlers] })
class CatalogModule {}

const LINE = { p1_id: 'flower', name: 'Blüte', quantity: 2, price: 9.95 };
const actionsOf = statement<{ action: string; actor: string }, [string]>(
  'spec_four_eyes_actions',
  `SELECT action, actor FROM core.audit_log WHERE object LIKE 'order-request:' || $1 || '%' ORDER BY position`,
);
const ageBy = statement<never, [string, number]>(
  'spec_four_eyes_age',
  `UPDATE core.order_requests SET created_at = now() - make_interval(days => $2) WHERE id = $1`,
);
const rowOf = statement<{ row: string }, [string]>(
  'spec_four_eyes_row',
  `SELECT to_json(r)::text AS row FROM core.order_requests r WHERE id = $1`,
);

const test = brokerSpec(CatalogModule);
let fixture: ReviewFixture;
let anna: Caller;
let bodo: Caller;
beforeEach(async () => {
  fixture = await ReviewFixture.make(test.database, test.bus, furtherHandlers);
  [anna, bodo] = [fixture.core.staff(), fixture.core.staff()];
  await choose({ four_eyes: 'all' });
});

function furtherHandlers(dataKeys: DataKeys): HandlerTable {
  const { database } = test;
  const approval = approvalHandlers(database, test.bus, dataKeys);
  const fourEyes = new FourEyesHandlers(database, new LiveChanges(test.bus.connection));
  const settings = new ReviewSettingsHandlers(database);
  const holds = { hold: () => Promise.resolve('reserved' as const), release: () => Promise.resolve() };
  return [
    ...orderHandlers(database, holds),
    [requests.approveOrderRequest, (call) => approval.approve(call)],
    [review.withdrawApproval, (call) => fourEyes.withdraw(call)],
    [setReviewSettings, (call) => settings.set(call)],
    ...erasureHandlers(database, dataKeys),
  ];
}

let settingsVersion = 0;
beforeEach(() => (settingsVersion = 1));
async function choose(change: Partial<ReviewSettingsBody>, version = 0): Promise<void> {
  const rules = { marks: [], marks_only_for_thc: true, amber_days: 28, red_days: 90, templates: [] };
  const caller = fixture.core.staff('owner');
  const { status } = await fixture.core.call(setReviewSettings, {
    body: { ...rules, ...change, version },
    caller,
  });
  expect(status).toBe(200);
}
const change = (given: Partial<ReviewSettingsBody>) => choose(given, settingsVersion++);

const submit = (lines: object[] = [LINE]) => fixture.submit({ items: lines });

async function approve(requestId: string, caller: Caller, body: object = {}) {
  return fixture.core.call(requests.approveOrderRequest, { params: { requestId }, body, caller });
}

const withdraw = (requestId: string, caller: Caller) =>
  fixture.core.call(review.withdrawApproval, { params: { requestId }, caller });

async function detail(requestId: string) {
  return (await fixture.core.call(review.getReview, { params: { requestId }, caller: bodo })).body;
}

async function counts() {
  return (await fixture.core.call(review.countRequests, { caller: bodo })).body;
}

const mark = (requestId: string, caller: Caller, body: object) =>
  fixture.core.call(review.setReviewMarks, { params: { requestId }, body, caller });

async function actions(requestId: string): Promise<string[]> {
  const rows = await test.database.rows(actionsOf, requestId);
  return rows.map(({ action }) => action).filter((action) => !/fetch|submit/.test(action));
}

describe('the first of two approvals', () => {
  it('waits: no order, no stock, no event, and lists and detail say who approved', async () => {
    const id = await submit();
    const rings: string[] = [];
    const gateway = await test.broker.connectAs('gateway');
    gateway.subscribe(CHANGED_SUBJECT, {
      callback: (_, { data }) => rings.push(Buffer.from(data).toString()),
    });
    await gateway.flush();
    const answer = await approve(id, anna, { version: 1 });
    expect(answer.status).toBe(202);
    const first = { staff_id: anna.actorId, by: 'pharmacist', at: expect.any(String) };
    expect(answer.body).toEqual({ id, status: 'pending', first_approval: first });
    expect(reserved).not.toContain(id);
    expect((await fixture.core.eventsOf(id)).map(({ event_type }) => event_type)).toEqual([
      'order_request_submitted',
    ]);
    expect(await counts()).toMatchObject({ open: 0, second_look: 1, decided: 0 });
    expect((await fixture.list({ tab: 'second_look' })).data).toMatchObject([{ id, first_approval: first }]);
    expect(await fixture.list()).toMatchObject({ data: [], total: 0 });
    expect((await detail(id)).first_approval).toMatchObject({ ...first, corrections: null, lines: null });
    const ring = JSON.stringify({ orgId: anna.orgId, kind: 'order_request', id });
    await eventually('a ring at the gateways', () => rings.includes(ring));
  });

  it('is completed by another person, with stock, one order and the events of an approval', async () => {
    const id = await submit();
    await approve(id, anna);
    const answer = await approve(id, bodo);
    expect([answer.status, answer.body.status]).toEqual([200, 'approved']);
    expect(reserved).toContain(id);
    expect((await fixture.core.eventsOf(id)).map(({ event_type }) => event_type)).toEqual([
      'order_request_submitted',
      'order_request_approved',
    ]);
    expect(await actions(id)).toEqual(['order-request.first-approve', 'order-request.approve']);
    expect(await counts()).toMatchObject({ open: 0, second_look: 0, decided: 1 });
    expect((await detail(id)).first_approval).toMatchObject({ staff_id: anna.actorId });
  });

  it('is not completed by the same person, in this session or another, nor by an API key', async () => {
    const id = await submit();
    await approve(id, anna);
    for (const caller of [anna, fixture.core.againSignedIn(anna), fixture.core.key()]) {
      const { status, body } = await approve(id, caller);
      expect([status, body.error]).toEqual([409, 'conflict']);
    }
    expect((await approve(await submit(), fixture.core.key())).body.message).toMatch(
      /^Two people must approve/,
    );
    expect((await detail(id)).status).toBe('pending');
  });

  it('is taken back by its person alone, once more without effect', async () => {
    const id = await submit();
    await approve(id, anna);
    expect(await withdraw(id, bodo)).toMatchObject({ status: 409, body: { message: /Only pharmacist can/ } });
    expect((await withdraw(id, anna)).status).toBe(204);
    expect((await withdraw(id, anna)).status).toBe(204);
    expect(await counts()).toMatchObject({ open: 1, second_look: 0 });
    expect((await approve(id, bodo, { first_approval_at: null })).status).toBe(202);
    await approve(id, anna);
    expect(await withdraw(id, bodo)).toMatchObject({ status: 409, body: { error: 'already_decided' } });
    expect(await actions(id)).toEqual([
      'order-request.first-approve',
      'order-request.withdraw-approval',
      'order-request.first-approve',
      'order-request.approve',
    ]);
  });

  it('holds for its corrections: the same complete it, others are a new first approval', async () => {
    const id = await submit();
    const corrections = {
      items: [{ p1_id: 'flower', name: 'Blüte', qty: 1, price: 9.95 }],
      customer_name: 'Erika',
    };
    await approve(id, anna, corrections);
    const { first_approval: first } = await detail(id);
    expect(first).toMatchObject({
      corrections: { approved: { customer_name: 'Erika' } },
      lines: [{ p1_id: 'flower', quantity: 1, thc: '22' }],
    });
    expect(await approve(id, bodo, { first_approval_at: null })).toMatchObject({
      status: 409,
      body: { details: [{ field: 'first_approval', message: 'changed' }] },
    });
    expect((await approve(id, bodo, { first_approval_at: first?.at })).status).toBe(202);
    expect((await detail(id)).first_approval).toMatchObject({ staff_id: bodo.actorId, corrections: null });
    await approve(id, anna, corrections);
    const done = await approve(id, bodo, corrections);
    expect([done.status, done.body.order.customer_name, done.body.order.items]).toEqual([
      200,
      'Erika',
      [{ p1_id: 'flower', name: 'Blüte', quantity: 1, price: 9.95 }],
    ]);
  });

  it('takes its marks and overridden checks along; the second person makes their own', async () => {
    const id = await submit();
    await mark(id, anna, { signature_seen: true, note: 'Telefonat' });
    await approve(id, anna, { acknowledged: ['age'], reason: 'Praxis' });
    expect(await mark(id, anna, { dose_plausible: true })).toMatchObject({ status: 409 });
    expect((await mark(id, anna, { note: 'Telefonat 2' })).status).toBe(200);
    const waiting = await detail(id);
    expect(waiting.first_approval).toMatchObject({
      override: { acknowledged: ['age'], reason: 'Praxis' },
      marks: { signature_seen: true },
    });
    const colleagues = [{ marks: ['signature_seen'] }];
    expect(waiting.marks).toMatchObject({ signature_seen: false, note: 'Telefonat 2', colleagues });
    await mark(id, bodo, { dose_plausible: true });
    await approve(id, bodo, { acknowledged: ['name'] });
    expect(await detail(id)).toMatchObject({
      override: { acknowledged: ['name'] },
      marks: { signature_seen: false, dose_plausible: true },
      first_approval: { override: { acknowledged: ['age'] }, marks: { signature_seen: true } },
    });
    expect((await actions(id)).filter((action) => action === 'order-request.override')).toHaveLength(2);
  });

  it('is gone after a question, a rejection or the end of the time', async () => {
    const [asked, rejected, expired] = [await submit(), await submit(), await submit()];
    for (const id of [asked, rejected, expired]) await approve(id, anna);
    await fixture.ask(asked);
    await fixture.core.call(requests.withdrawClarification, { params: { requestId: asked } });
    expect((await detail(asked)).first_approval).toBeNull();
    expect((await approve(asked, bodo)).status).toBe(202);
    await fixture.reject(rejected);
    await test.database.rows(ageBy, expired, 40);
    await expireOld(test.database, 30);
    expect((await detail(expired)).status).toBe('expired');
    for (const id of [rejected, expired]) expect((await detail(id)).first_approval).toBeNull();
  });

  it('is encrypted, and gone after an erasure', async () => {
    const id = await submit();
    await approve(id, anna, { customer_name: 'Erika Muster', reason: 'Praxis' });
    const [stored] = await test.database.rows(rowOf, id);
    for (const secret of ['Erika', 'Praxis'])
      expect(stored?.row).not.toContain(Buffer.from(secret).toString('hex'));
    await fixture.core.call(eraseCustomer, { body: { order_request_id: id } });
    const [erased] = await test.database.rows(rowOf, id);
    expect(erased?.row).toContain('"first_approval_ciphertext":null');
    expect((await detail(id)).first_approval).toBeNull();
  });

  it('of a person who was switched off afterwards still holds', async () => {
    const id = await submit();
    await approve(id, anna);
    await test.database.rows(
      statement<never, [string]>('spec_switch_off', `UPDATE core.staff SET is_active = false WHERE id = $1`),
      anna.actorId,
    );
    expect((await approve(id, bodo)).status).toBe(200);
  });
});

describe('the rule', () => {
  it('is off until somebody chooses, and stays when it is left out', async () => {
    const fresh = await ReviewFixture.make(test.database, test.bus, furtherHandlers);
    const requestId = await fresh.submit();
    const caller = fresh.core.staff();
    expect(
      (await fresh.core.call(requests.approveOrderRequest, { params: { requestId }, body: {}, caller }))
        .status,
    ).toBe(200);
    await change({});
    expect((await approve(await submit(), anna)).status).toBe(202);
  });

  it('of controlled products asks only for those', async () => {
    await change({ four_eyes: 'controlled' });
    const oil = { ...LINE, p1_id: 'oil', name: 'oil' };
    expect((await approve(await submit([oil]), anna)).status).toBe(200);
    expect((await approve(await submit([oil]), fixture.core.key())).status).toBe(200);
    expect((await approve(await submit([oil, LINE]), anna)).status).toBe(202);
    const items = [{ p1_id: 'oil', name: 'oil', qty: 1, price: 1 }];
    expect((await approve(await submit([LINE]), anna, { items })).status).toBe(202);
    expect((await approve(await submit([{ ...oil, name: 'Blüte' }]), anna)).status).toBe(202);
    expect((await approve(await submit([{ name: 'Unbekannt', quantity: 1, price: 1 }]), anna)).status).toBe(
      202,
    );
  });

  it('switched off, lets waiting requests be approved by one person, the first included', async () => {
    const [one, other] = [await submit(), await submit()];
    await approve(one, anna);
    await approve(other, anna);
    await change({ four_eyes: 'off' });
    expect(await counts()).toMatchObject({ open: 2, second_look: 0 });
    expect((await fixture.list()).data).toMatchObject([{ first_approval: null }, { first_approval: null }]);
    expect((await fixture.list({ tab: 'second_look' })).total).toBe(0);
    expect((await approve(one, anna)).status).toBe(200);
    expect((await approve(other, fixture.core.key())).status).toBe(200);
    // No person is named for an approval that was not needed.
    for (const id of [one, other]) expect((await detail(id)).first_approval).toBeNull();
  });

  it('keeps lines, customer and address of the order that two people approved, and takes the rest', async () => {
    const id = await submit();
    await approve(id, anna);
    const { shop_id, external_id, id: orderId } = (await approve(id, bodo)).body.order;
    const put = (body: object, caller = fixture.core.staff('owner')) =>
      fixture.core.call(updateOrder, { params: { orderId }, body, caller });
    const fifty = { items: [{ p1_id: 'flower', name: 'Blüte', qty: 50, price: 9.95 }] };
    const others = [{ customer_name: 'Bert' }, { customer_email: 'b@b.de' }, { address_city: 'Ulm' }];
    const answers = await Promise.all([...others, fifty, { ...fifty, force: true }].map((body) => put(body)));
    const upsert = await fixture.core.call(upsertOrder, { body: { shop_id, external_id, ...fifty } });
    for (const { body } of [...answers, upsert]) expect(body.error).toBe('second_approval_needed');
    expect((await put({ payment_status: 'paid', metadata: { erp: '1' } })).status).toBe(200);
    await change({ four_eyes: 'off' });
    expect((await put(fifty, fixture.core.staff('clerk'))).status).toBe(200);
  });
});

describe('people at the same time', () => {
  const RACERS = 50;

  it('who complete one request make one order; the others are told who was first', async () => {
    const id = await submit();
    await approve(id, anna);
    const people = Array.from({ length: RACERS }, () => fixture.core.staff());
    const answers = await race(RACERS, (index) => approve(id, people[index] ?? bodo));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error === 'already_decided')).toHaveLength(RACERS - 1);
    expect((await actions(id)).filter((action) => action === 'order-request.approve')).toHaveLength(1);
  });

  it('who approve a new request are one first and one second', async () => {
    const id = await submit();
    const people = Array.from({ length: RACERS }, () => fixture.core.staff());
    const answers = await race(RACERS, (index) => approve(id, people[index] ?? bodo));
    for (const wanted of [202, 200])
      expect(answers.filter(({ status }) => status === wanted)).toHaveLength(1);
    expect(await actions(id)).toEqual(['order-request.first-approve', 'order-request.approve']);
  });

  it('of whom one takes back while the other holds stock get 409, and the stock is released', async () => {
    const id = await submit();
    await approve(id, anna);
    beforeReserve = () => withdraw(id, anna);
    const answer = await approve(id, bodo).finally(() => (beforeReserve = () => Promise.resolve()));
    expect([answer.status, answer.body.details?.[0]?.message]).toEqual([409, 'gone']);
    expect(reserved.includes(id) && released.includes(id)).toBe(true);
  });

  it('of whom one takes back what the other completes have one result', async () => {
    const id = await submit();
    await approve(id, anna);
    const { first_approval: first } = await detail(id);
    const [completed, back] = await Promise.all([
      race(1, () => approve(id, bodo, { first_approval_at: first?.at })),
      withdraw(id, anna),
    ]);
    const statuses = [completed[0]?.status, back.status];
    expect([JSON.stringify([200, 409]), JSON.stringify([409, 204])]).toContain(JSON.stringify(statuses));
    expect((await detail(id)).status).toBe(statuses[0] === 200 ? 'approved' : 'pending');
  });
});
