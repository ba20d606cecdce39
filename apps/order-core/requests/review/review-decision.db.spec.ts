import { eraseCustomer } from '@offizin/contracts/people/customers';
import * as requests from '@offizin/contracts/requests/order-request-review';
import { checkDay, listDay } from '@offizin/contracts/requests/day';
import { getReview, setReviewMarks } from '@offizin/contracts/requests/review';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { handlersIn } from '@offizin/testkit/handlers-in';
import type { DataKeys } from '../../crypto/data-keys.store';
import { approvalHandlers, type HandlerTable } from '../../spec/spec-fixture';
import { ReviewFixture } from '../../spec/review-fixture';
import { catalogSpec } from '../../spec/fake-catalog';
import { erasureHandlers } from '../../spec/request-handlers';

const everything = statement<{ row: string; marks: number }, [string]>(
  'spec_everything_of_request',
  `SELECT to_json(r)::text AS row,
     (SELECT count(*)::int FROM core.review_marks WHERE order_request_id = r.id)
       + (SELECT count(*)::int FROM core.review_notes WHERE order_request_id = r.id) AS marks
   FROM core.order_requests r WHERE id = $1`,
);

const decidedAt = statement<never, [string, Date]>(
  'spec_decided_at',
  `UPDATE core.order_requests SET updated_at = $2 WHERE id = $1`,
);

/** A code of the console, and a text of an API caller. */
const CHECKS = ['["hint","used",{"times":1}]', 'older_than_28_days'];

const test = catalogSpec();
let fixture: ReviewFixture;
beforeEach(async () => {
  fixture = await ReviewFixture.make(test.database, test.bus, furtherHandlers);
});

function furtherHandlers(dataKeys: DataKeys): HandlerTable {
  const { database, bus } = test;
  return [...handlersIn(approvalHandlers(database, bus, dataKeys)), ...erasureHandlers(database, dataKeys)];
}

async function approve(requestId: string, body: object = {}, caller = fixture.core.staff()) {
  return fixture.core.call(requests.approveOrderRequest, { params: { requestId }, body, caller });
}

async function overrideOf(requestId: string) {
  const { core } = fixture;
  const { body } = await core.call(getReview, { params: { requestId }, caller: core.staff() });
  return body.override;
}

describe('an override', () => {
  it('is kept with the decision, and the audit log states how many checks it names', async () => {
    const requestId = await fixture.submit();
    const answer = await approve(requestId, { acknowledged: CHECKS, reason: 'Praxis bestätigt' });
    expect(answer.status).toBe(200);
    expect(await overrideOf(requestId)).toEqual({ acknowledged: CHECKS, reason: 'Praxis bestätigt' });
    const object = `order-request:${requestId}`;
    const log = await fixture.core.auditOf(`order-request:${requestId}`);
    expect(log.slice(1, 3)).toMatchObject([
      { action: 'order-request.approve', object },
      { action: 'order-request.override', object: `${object}:overrides:2` },
    ]);
    expect(JSON.stringify(log)).not.toContain('Praxis');
    const { core } = fixture;
    const { body } = await core.call(getReview, { params: { requestId }, caller: core.staff() });
    expect(body.history.map(({ action }) => action)).toContain('order-request.override');
  });

  it('is encrypted, and erased with the request', async () => {
    const requestId = await fixture.submit();
    const { core } = fixture;
    const marks = {
      params: { requestId },
      body: { note: 'Diagnose', signature_seen: true },
      caller: core.staff(),
    };
    await core.call(setReviewMarks, marks);
    await approve(requestId, { acknowledged: CHECKS, reason: 'Praxis bestätigt' });
    const [before] = await test.database.rows(everything, requestId);
    expect(before?.marks).toBe(2);
    for (const secret of ['Praxis', 'older_than_28_days', 'Blüte']) {
      expect(before?.row).not.toContain(secret);
      expect(before?.row).not.toContain(Buffer.from(secret).toString('hex'));
    }
    const erased = await core.call(eraseCustomer, { body: { order_request_id: requestId } });
    expect(erased.status).toBeLessThan(300);
    const [after] = await test.database.rows(everything, requestId);
    expect(after?.row).toContain('"override_ciphertext":null');
    expect(after?.marks).toBe(0);
    expect(await overrideOf(requestId)).toBeNull();
    const [row] = (await fixture.list({ tab: 'decided' })).data;
    expect(row).toMatchObject({ id: requestId, customer_name: null, lines_text: '2 × Blüte', line_count: 1 });
    expect(await fixture.ids({ tab: 'decided', q: 'möller' })).toEqual([]);
  });

  it('is none without checks and reason', async () => {
    const requestId = await fixture.submit();
    await approve(requestId, { acknowledged: [] });
    expect(await overrideOf(requestId)).toBeNull();
    expect(await fixture.core.actionsOn(`order-request:${requestId}`)).not.toContain(
      'order-request.override',
    );
  });

  it('is stored once when two people approve concurrently', async () => {
    const requestId = await fixture.submit();
    const answers = await Promise.all([
      approve(requestId, { acknowledged: CHECKS.slice(0, 1) }),
      approve(requestId, { acknowledged: CHECKS }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const log = await fixture.core.auditOf(`order-request:${requestId}`);
    const named = log.filter(({ action }) => action === 'order-request.override');
    const kept = await overrideOf(requestId);
    expect(named.map(({ object }) => object)).toEqual([
      `order-request:${requestId}:overrides:${kept?.acknowledged.length}`,
    ]);
  });

  it.each([
    { acknowledged: Array.from({ length: 21 }, () => 'x') },
    { acknowledged: ['x'.repeat(101)] },
    { acknowledged: 'x' },
    { reason: 'x'.repeat(1001) },
  ])('is refused as %j', async (body) => {
    const requestId = await fixture.submit();
    expect((await approve(requestId, body)).status).toBe(400);
  });
});

describe('already_decided', () => {
  async function rejected(requestId: string, caller = fixture.core.staff()) {
    const answer = await fixture.core.call(requests.rejectOrderRequest, {
      params: { requestId },
      body: { reason: 'other' },
      caller,
    });
    return { status: answer.status, message: answer.body.message ?? '' };
  }

  it('tells people who decided, and when', async () => {
    const requestId = await fixture.submit();
    const first = fixture.core.staff();
    await approve(requestId, {}, first);
    const { status, message } = await rejected(requestId);
    expect(status).toBe(409);
    expect(message).toContain(`already approved by pharmacist at ${new Date().getUTCFullYear()}-`);
    expect(message).toMatch(/at \d{4}-\d\d-\d\d \d\d:\d\d UTC; that is final\.$/);
  });

  it('is the answer to an approval of what a colleague approved, with who and when as fields', async () => {
    const requestId = await fixture.submit();
    await approve(requestId);
    const { status, body } = await approve(requestId);
    expect(status).toBe(409);
    expect(body).toMatchObject({
      error: 'already_decided',
      details: [
        { field: 'status', message: 'approved' },
        { field: 'decided_by', message: 'pharmacist' },
        { field: 'decided_at', message: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) },
      ],
    });
  });

  it('is not an answer to the same person, nor to an API key: the same decision again is the same order', async () => {
    const requestId = await fixture.submit();
    const person = fixture.core.staff();
    const first = await approve(requestId, {}, person);
    for (const caller of [person, fixture.core.againSignedIn(person), fixture.core.key()]) {
      const again = await approve(requestId, {}, caller);
      expect([again.status, again.body.order_id]).toEqual([200, first.body.order_id]);
    }
  });

  it('names an API key to people', async () => {
    const requestId = await fixture.submit();
    await approve(requestId, {}, fixture.core.key());
    expect((await rejected(requestId)).message).toContain('already approved by API key ERP at ');
  });

  it('tells an API key nothing about people', async () => {
    const requestId = await fixture.submit();
    await approve(requestId);
    const { message } = await rejected(requestId, fixture.core.key());
    expect(message).toBe('The request is already approved; that is final.');
  });

  it('is the answer to the slower of two opposite decisions', async () => {
    const requestId = await fixture.submit();
    const answers = await Promise.all([approve(requestId), rejected(requestId)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

it('is in the list of its day in Berlin, with the lines of the order', async () => {
  const { core } = fixture;
  const items = Array.from({ length: 51 }, (_, at) => ({ name: `Salbe ${at}`, quantity: at + 1, price: 1 }));
  const [night, id, rejected] = [
    await fixture.submit(),
    await fixture.submit({ items }),
    await fixture.submit(),
  ];
  await approve(night);
  const corrected = [
    { name: 'Creme', qty: 7, price: 1 },
    ...items.map(({ quantity: qty, ...line }) => ({ ...line, qty })),
  ];
  expect((await approve(id, { items: corrected })).status).toBe(200);
  await fixture.reject(rejected);
  const today = new Date().toLocaleDateString('sv', { timeZone: 'Europe/Berlin' });
  // The day before in UTC, and after midnight in Berlin.
  const atNight = new Date(Date.parse(today) - 59 * 60_000);
  await test.database.rows(decidedAt, night, atNight);
  const dayOf = async (on: string, of = core) =>
    (await of.call(listDay, { query: `on=${on}`, caller: of.staff() })).body;
  const { data, total } = await dayOf(today);
  expect([total, data.map((row) => row.id)]).toEqual([2, [night, id]]);
  expect(data[1]).toMatchObject({ customer_name: 'Jörg Möller', first_approved_by: null, line_count: 52 });
  expect(data[1]?.lines).toHaveLength(50);
  expect(data[1]?.lines[0]).toEqual({ name: 'Creme', p1_id: null, quantity: 7 });
  expect(await dayOf(atNight.toISOString().slice(0, 10))).toEqual({ data: [], total: 0 });
  const other = await ReviewFixture.make(test.database, test.bus);
  expect(await dayOf(today, other.core)).toEqual({ data: [], total: 0 });

  expect(data.map(({ checked }) => checked)).toEqual([null, null]);
  const tick = async (requestId: string, checked: boolean, of = core) =>
    of.call(checkDay, { params: { requestId }, body: { checked }, caller: of.staff() });
  const { checked } = (await tick(id, true)).body;
  expect(checked).toEqual({ by: expect.any(String), at: expect.any(String) });
  // The first of two people stays, and a repeat is not a second entry.
  expect((await tick(id, true)).body.checked).toEqual(checked);
  expect((await dayOf(today)).data.find((row) => row.id === id)?.checked).toEqual(checked);
  for (const [requestId, of] of [[rejected], [newId()], ['x'], [id, other.core]] as const)
    expect((await tick(requestId, true, of)).status).toBe(404);
  expect((await tick(id, false)).body.checked).toBeNull();
  const ticks = (await core.actionsOn(`order-request:${id}`)).filter((action) => action.includes('.day-'));
  expect(ticks).toEqual(['order-request.day-check', 'order-request.day-uncheck']);
  await tick(id, true);
  expect((await dayOf(today)).data.find((row) => row.id === id)?.checked).not.toBeNull();
  expect((await core.call(listDay, { query: 'on=yesterday', caller: core.staff() })).status).toBe(400);
});
