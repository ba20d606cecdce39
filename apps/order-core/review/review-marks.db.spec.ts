import { Bus } from '@offizin/bus/bus';
import type { Caller } from '@offizin/contracts/caller';
import { noteView, readReviewDocument, setReviewMarks } from '@offizin/contracts/review';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { TestBroker } from '@offizin/testkit/broker';
import { keysFor } from '@offizin/testkit/call-keys';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { makePdf } from '@offizin/testkit/pdf';
import { orderCoreSchema } from '../db/schema';
import { ReviewFixture } from './review-fixture';

const auditCount = statement<{ count: number }, [string, string]>(
  'spec_audit_count',
  `SELECT count(*)::int AS count FROM core.audit_log WHERE object = 'order-request:' || $1 AND action = $2`,
);
const ageViews = statement<never, [number]>(
  'spec_age_views',
  `UPDATE core.review_views SET viewed_at = viewed_at - make_interval(mins => $1)`,
);
const viewRows = statement<{ count: number }, []>(
  'spec_view_rows',
  `SELECT count(*)::int AS count FROM core.review_views`,
);
const marksText = statement<{ row: string }, [string]>(
  'spec_marks_text',
  `SELECT encode(note_ciphertext, 'escape') || m::text AS row FROM core.review_marks m WHERE order_request_id = $1`,
);

let test: TestDatabase;
let broker: TestBroker;
let bus: Bus;
let fixture: ReviewFixture;
let caller: Caller;

beforeAll(async () => {
  [test, broker] = await Promise.all([testDatabase(orderCoreSchema), TestBroker.start()]);
  bus = new Bus(await broker.connect('order-core'), keysFor('order-core'));
});
afterAll(async () => {
  await Promise.all([test.close(), broker.stop()]);
});
beforeEach(async () => {
  fixture = await ReviewFixture.make(test.database, bus);
  caller = fixture.core.staff();
});

async function audited(requestId: string, action: string): Promise<number> {
  return (await test.database.rows(auditCount, requestId, action))[0]?.count ?? 0;
}

const view = (requestId: string, by = caller) =>
  fixture.core.call(noteView, { params: { requestId }, caller: by });
const mark = (requestId: string, body: object) =>
  fixture.core.call(setReviewMarks, { params: { requestId }, body, caller });

/** Every operation about one prescription, with the answers that it gives to a foreign or an unknown request. */
const calls = [
  [
    'review.document',
    (id: string) => fixture.core.call(readReviewDocument, { params: { requestId: id }, caller }),
  ],
  ['review.viewed', (id: string) => view(id)],
  ['review.marks', (id: string) => mark(id, { signature_seen: true })],
] as const;

it.each(calls)('%s answers the request of another organization like an unknown one', async (_name, call) => {
  const other = await ReviewFixture.make(test.database, bus);
  const foreign = await other.submit({}, { pdf: makePdf() });
  for (const requestId of [foreign, newId(), 'none']) {
    expect(await call(requestId)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  }
  expect(await audited(foreign, 'prescription.view')).toBe(0);
});

it('takes no mark and no look of an ended session', async () => {
  const requestId = await fixture.submit({}, { pdf: makePdf() });
  const ended = { ...caller, sessionId: newId() };
  const params = { requestId };
  const marked = await fixture.core.call(setReviewMarks, { params, body: { note: 'x' }, caller: ended });
  expect([marked.status, (await view(requestId, ended)).status]).toEqual([401, 401]);
  expect(await audited(requestId, 'order-request.mark')).toBe(0);
  expect(await audited(requestId, 'prescription.view')).toBe(0);
});

describe('document', () => {
  it('is an attachment that no cache keeps, and leaves an entry of its own', async () => {
    const requestId = await fixture.submit({}, { pdf: makePdf('Rezept') });
    const answer = await fixture.bytes(requestId, caller);
    expect(answer.body.equals(makePdf('Rezept'))).toBe(true);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="prescription-${requestId}.pdf"`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(await audited(requestId, 'prescription.fetch')).toBe(1);
    expect(await audited(requestId, 'prescription.view')).toBe(0);
  });

  it('is missing without an entry when none was handed in', async () => {
    const requestId = await fixture.submit();
    const read = await fixture.core.call(readReviewDocument, { params: { requestId }, caller });
    expect([read.status, (await view(requestId)).status]).toEqual([404, 404]);
    expect(await audited(requestId, 'prescription.fetch')).toBe(0);
    expect(await audited(requestId, 'prescription.view')).toBe(0);
  });
});

describe('looks', () => {
  it('leave one entry per session and 15 minutes', async () => {
    const requestId = await fixture.submit({}, { pdf: makePdf() });
    const answers = await Promise.all([1, 2, 3, 4].map(() => view(requestId)));
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204]);
    expect(await audited(requestId, 'prescription.view')).toBe(1);
    await view(requestId, fixture.core.againSignedIn(caller));
    expect(await audited(requestId, 'prescription.view')).toBe(2);
    await test.database.rows(ageViews, 14);
    await view(requestId);
    expect(await audited(requestId, 'prescription.view')).toBe(2);
    await test.database.rows(ageViews, 2);
    await view(requestId);
    expect(await audited(requestId, 'prescription.view')).toBe(3);
  });

  it('keep no row longer than they need', async () => {
    const [first, second] = [
      await fixture.submit({}, { pdf: makePdf() }),
      await fixture.submit({}, { pdf: makePdf() }),
    ];
    await view(first);
    await test.database.rows(ageViews, 16);
    await view(second);
    expect(await test.database.rows(viewRows)).toEqual([{ count: 1 }]);
  });
});

describe('marks', () => {
  it('keep the fields that are left out, also when two people mark at once', async () => {
    const requestId = await fixture.submit();
    await Promise.all([
      mark(requestId, { signature_seen: true }),
      mark(requestId, { prescriber_checked: true, note: 'Praxis angerufen' }),
      mark(requestId, { issued_on: '2026-11-01' }),
      mark(requestId, { dose_plausible: true }),
    ]);
    const { status, body } = await mark(requestId, { dose_plausible: false });
    expect([status, body]).toMatchObject([
      200,
      {
        issued_on: '2026-11-01',
        signature_seen: true,
        prescriber_checked: true,
        dose_plausible: false,
        note: 'Praxis angerufen',
        by: 'pharmacist',
      },
    ]);
    const cleared = await mark(requestId, { issued_on: null, note: null });
    expect(cleared.body).toMatchObject({ issued_on: null, note: null, signature_seen: true });
    expect(await audited(requestId, 'order-request.mark')).toBe(6);
  });

  it('change and log nothing without a field', async () => {
    const requestId = await fixture.submit();
    expect((await mark(requestId, {})).body).toMatchObject({ signature_seen: false, by: null });
    expect(await audited(requestId, 'order-request.mark')).toBe(0);
  });

  it('keep the note encrypted', async () => {
    const requestId = await fixture.submit();
    await mark(requestId, { note: 'Diagnose' });
    const [stored] = await test.database.rows(marksText, requestId);
    expect(stored?.row).toContain('staff:');
    expect(stored?.row).not.toContain('Diagnose');
    expect(stored?.row).not.toContain(Buffer.from('Diagnose').toString('hex'));
  });

  it('are refused after the decision', async () => {
    const requestId = await fixture.submit();
    await fixture.reject(requestId);
    const answer = await mark(requestId, { signature_seen: true });
    expect([answer.status, answer.body.error]).toEqual([409, 'already_decided']);
    expect(await audited(requestId, 'order-request.mark')).toBe(0);
  });

  it('are refused for a version that the partner has replaced meanwhile', async () => {
    const requestId = await fixture.submit({}, { external_reference: 'r' });
    expect((await mark(requestId, { signature_seen: true, version: 1 })).status).toBe(200);
    await fixture.ask(requestId);
    await fixture.submit({ customer_name: 'Zoë' }, { external_reference: 'r' });
    const answer = await mark(requestId, { signature_seen: true, version: 1 });
    expect([answer.status, answer.body.error]).toEqual([409, 'conflict']);
    expect((await mark(requestId, { dose_plausible: true, version: 2 })).body).toMatchObject({
      signature_seen: false,
      dose_plausible: true,
    });
  });

  it.each([
    { issued_on: '2026-02-30' },
    { issued_on: 'today' },
    { signature_seen: null },
    { note: 'x'.repeat(10_001) },
    { version: 0 },
    { other: true },
  ])('refuse %j', async (body) => {
    const requestId = await fixture.submit();
    expect((await mark(requestId, body)).status).toBe(400);
  });
});
