import type { Caller } from '@offizin/contracts/calls/caller';
import { CHANGED_SUBJECT } from '@offizin/contracts/console/live';
import {
  checkPrescriber,
  noteView,
  readEPrescription,
  readReviewDocument,
  setReviewMarks,
} from '@offizin/contracts/requests/review';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { eventually } from '@offizin/testkit/eventually';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { makePdf } from '@offizin/testkit/pdf';
import { getReviewSettings, setReviewSettings } from '@offizin/contracts/requests/review-settings';
import { ReviewFixture } from '../../spec/review-fixture';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { ReviewSettingsHandlers } from './review-settings.handlers';
import { brokerSpec } from '../../spec/core-spec';

const ageConfirmation = statement<never, [string]>(
  'spec_age_confirmation',
  `UPDATE core.staff_sessions SET confirmed_at = 'epoch' WHERE id = $1`,
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
  `SELECT encode(note_ciphertext, 'escape') || n::text AS row FROM core.review_notes n WHERE order_request_id = $1`,
);

const test = brokerSpec();
let fixture: ReviewFixture;
let caller: Caller;
beforeEach(async () => {
  const settings = handlersIn(new ReviewSettingsHandlers(test.database));
  fixture = await ReviewFixture.make(test.database, test.bus, () => settings);
  caller = fixture.core.staff();
});

async function audited(requestId: string, action: string): Promise<number> {
  const actions = await fixture.core.actionsOn(`order-request:${requestId}`);
  return actions.filter((one) => one === action).length;
}

const view = (requestId: string, by = caller) =>
  fixture.core.call(noteView, { params: { requestId }, caller: by });
const TOKEN = { task_id: '160.000.033.491.280.78', access_code: '0123456789abcdef'.repeat(4) };
const token = (requestId: string, by = caller) =>
  fixture.core.call(readEPrescription, { params: { requestId }, caller: by });
const check = (requestId: string) =>
  fixture.core.call(checkPrescriber, { params: { requestId }, body: { checked: true, version: 1 }, caller });
const mark = (requestId: string, body: object, by = caller) =>
  fixture.core.call(setReviewMarks, { params: { requestId }, body, caller: by });

/** Every operation about one prescription, with the answers that it gives to a foreign or an unknown request. */
const calls = [
  [
    'review.document',
    (id: string) => fixture.core.call(readReviewDocument, { params: { requestId: id }, caller }),
  ],
  ['review.e-prescription', (id: string) => token(id)],
  ['review.viewed', (id: string) => view(id)],
  ['review.prescriber', check],
  ['review.marks', (id: string) => mark(id, { signature_seen: true })],
] as const;

it.each(calls)('%s answers the request of another organization like an unknown one', async (_name, call) => {
  const other = await ReviewFixture.make(test.database, test.bus);
  const foreign = await other.submit({ e_prescription: TOKEN }, { pdf: makePdf() });
  for (const requestId of [foreign, newId(), 'none']) {
    expect(await call(requestId)).toMatchObject({ status: 404, body: { error: 'not_found' } });
  }
  expect(await audited(foreign, 'prescription.view')).toBe(0);
});

it('rings at the gateways for a mark, and not for a body without one', async () => {
  const requestId = await fixture.submit();
  const rings: string[] = [];
  const gateway = await test.broker.connectAs('gateway');
  gateway.subscribe(CHANGED_SUBJECT, {
    callback: (_, { data }) => rings.push(Buffer.from(data).toString()),
  });
  await gateway.flush();
  expect((await mark(requestId, { version: 1 })).status).toBe(200);
  expect((await mark(requestId, { signature_seen: true })).status).toBe(200);
  const ring = JSON.stringify({ orgId: caller.orgId, kind: 'order_request', id: requestId });
  await eventually('a ring', () => rings.includes(ring));
  expect(rings.filter((one) => one === ring)).toHaveLength(1);
});

it('takes no mark and no look of an ended session', async () => {
  const requestId = await fixture.submit({}, { pdf: makePdf() });
  const ended = { ...caller, sessionId: newId() };
  const params = { requestId };
  const marked = await fixture.core.call(setReviewMarks, { params, body: { note: 'x' }, caller: ended });
  const looks = [await view(requestId, ended), await token(requestId, ended)];
  expect([marked, ...looks].map(({ status }) => status)).toEqual([401, 401, 401]);
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
  it('keep the fields that are left out, also when two people mark concurrently', async () => {
    const requestId = await fixture.submit();
    await Promise.all([
      mark(requestId, { signature_seen: true }),
      mark(requestId, { prescriber_checked: true, note: 'Praxis angerufen' }),
      mark(requestId, { issued_on: '2026-11-01' }),
      mark(requestId, { dose_plausible: true }),
      mark(requestId, { document_kind: 'narcotic', rest_not_needed: true }),
    ]);
    const { status, body } = await mark(requestId, { dose_plausible: false });
    expect([status, body]).toMatchObject([
      200,
      {
        issued_on: '2026-11-01',
        signature_seen: true,
        prescriber_checked: true,
        dose_plausible: false,
        document_kind: 'narcotic',
        rest_not_needed: true,
        note: 'Praxis angerufen',
        colleagues: [],
      },
    ]);
    const none = { issued_on: null, note: null, document_kind: null };
    expect((await mark(requestId, none)).body).toMatchObject({ ...none, signature_seen: true });
    expect(await audited(requestId, 'order-request.mark')).toBe(7);
  });

  it('belong to the person: a colleague sees them by name and time, and has to look, too', async () => {
    const requestId = await fixture.submit();
    const colleague = fixture.core.staff();
    await mark(requestId, { signature_seen: true, rest_not_needed: true, note: 'Praxis angerufen' });
    const { body } = await mark(requestId, { dose_plausible: true }, colleague);
    const own = {
      signature_seen: false,
      rest_not_needed: false,
      dose_plausible: true,
      note: 'Praxis angerufen',
    };
    const at: unknown = expect.stringMatching(/Z$/);
    expect(body).toMatchObject({
      ...own,
      colleagues: [{ by: 'pharmacist', at, marks: ['signature_seen', 'rest_not_needed'] }],
    });
    await mark(requestId, { signature_seen: false, rest_not_needed: false });
    expect((await mark(requestId, {}, colleague)).body).toMatchObject({ ...own, colleagues: [] });
  });

  it('change and log nothing without a field', async () => {
    const requestId = await fixture.submit();
    expect((await mark(requestId, {})).body).toMatchObject({ signature_seen: false, note: null });
    expect(await audited(requestId, 'order-request.mark')).toBe(0);
  });

  it('keep the note encrypted', async () => {
    const requestId = await fixture.submit();
    await mark(requestId, { note: 'Diagnose' });
    const [stored] = await test.database.rows(marksText, requestId);
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
    { document_kind: 'green' },
    { signature_seen: null },
    { note: 'x'.repeat(10_001) },
    { version: 0 },
    { other: true },
  ])('refuse %j', async (body) => {
    const requestId = await fixture.submit();
    expect((await mark(requestId, body)).status).toBe(400);
  });
});

describe('the settings', () => {
  const CHOSEN = {
    marks: ['dose_plausible', 'signature_seen'],
    marks_only_for_thc: false,
    amber_days: 14,
    red_days: 60,
    templates: [{ name: 'Seite 2', text: 'Bitte senden Sie die zweite Seite.', use: 'ask' }],
    version: 0,
  };

  let core: OrderCoreFixture;
  beforeEach(() => (core = fixture.core));

  const set = (change: object = {}, caller = core.staff('owner')) =>
    core.call(setReviewSettings, { body: { ...CHOSEN, ...change }, caller });
  const get = (of = core) => of.call(getReviewSettings, { caller: of.staff() });

  it('has defaults until somebody chooses', async () => {
    expect((await get()).body).toEqual({
      marks: ['signature_seen', 'prescriber_checked', 'dose_plausible'],
      marks_only_for_thc: true,
      amber_days: 28,
      red_days: 90,
      templates: [],
      version: 0,
      by: null,
      at: null,
      four_eyes: 'off',
      four_eyes_categories: [],
    });
  });

  it('is kept with who chose it, and when, for this organization alone', async () => {
    const { status, body } = await set();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...CHOSEN,
      marks: ['signature_seen', 'dose_plausible'],
      version: 1,
      by: 'owner',
    });
    expect((await get()).body).toEqual(body);
    const settings = handlersIn(new ReviewSettingsHandlers(test.database));
    const other = await OrderCoreFixture.make(test.database, settings);
    expect((await get(other)).body.version).toBe(0);
  });

  it('takes back what it gave', async () => {
    for (const version of [1, 2]) {
      const { body: read } = await get();
      const { status, body } = await set(read);
      expect([status, body]).toEqual([200, { ...read, version, by: 'owner', at: expect.any(String) }]);
    }
    const { body: read } = await get();
    for (const [field, value] of Object.entries({ by: 'Anna', at: '2026-01-31T12:00:00Z' })) {
      const { status, body } = await set({ ...read, [field]: value });
      expect([status, body.details?.map((detail) => detail.field)]).toEqual([400, [field]]);
    }
    expect((await get()).body).toEqual(read);
  });

  it('loses no change of two people: the second one reads first', async () => {
    const answers = await Promise.all([set({ amber_days: 10 }), set({ amber_days: 20 })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await set({ version: 2 })).body).toMatchObject({ error: 'conflict' });
    expect((await set({ version: 1 })).body.version).toBe(2);
  });

  it('refuses a version of settings that nobody made', async () => {
    expect((await set({ version: 3 })).status).toBe(409);
    expect((await get()).body.version).toBe(0);
  });

  it.each([
    [{ red_days: 13 }, 'red_days'],
    [{ amber_days: 0 }, 'amber_days'],
    [{ four_eyes: 'three' }, 'four_eyes'],
    [{ four_eyes_categories: [' '] }, 'four_eyes_categories[0]'],
    [{ marks: ['horoscope'] }, 'marks'],
    [{ templates: [{ name: ' ', text: 'x', use: 'ask' }] }, 'templates[0].name'],
    [{ templates: [{ name: 'x', text: 'x'.repeat(2001), use: 'ask' }] }, 'templates[0].text'],
    [{ templates: [{ name: 'x', text: 'x', use: 'praise' }] }, 'templates[0].use'],
    [{ templates: Array.from({ length: 51 }, () => CHOSEN.templates[0]) }, 'templates'],
  ])('refuses %j at the field %s', async (change, field) => {
    const { status, body } = await set(change);
    expect(status).toBe(400);
    expect(body).toMatchObject({ details: [expect.objectContaining({ field })] });
  });

  it('leaves an entry in the audit log', async () => {
    const owner = core.staff('owner');
    await set({}, owner);
    await set({}, owner);
    const entry = { action: 'review-settings.set', actor: `staff:${owner.actorId}` };
    // The second one was refused.
    expect(await core.auditOf(`organization:${owner.orgId}`)).toMatchObject([entry]);
  });

  it('asks for a confirmation when fewer requests need two people', async () => {
    const owner = core.staff('owner');
    expect((await set({ four_eyes: 'all' }, owner)).status).toBe(200);
    await test.database.rows(ageConfirmation, owner.sessionId ?? '');
    expect((await set({ version: 1, four_eyes: 'off' }, owner)).status).toBe(403);
    expect((await get()).body.four_eyes).toBe('all');
    expect((await set({ version: 1, four_eyes: 'all', amber_days: 20 }, owner)).status).toBe(200);
  });

  it('leaves a further entry when fewer requests need two people', async () => {
    const owner = core.staff('owner');
    const steps = [
      { four_eyes: 'all' },
      { four_eyes: 'controlled', four_eyes_categories: ['Blüten'] },
      { four_eyes_categories: ['Blüten', 'Extrakte'] },
      { four_eyes_categories: ['Extrakte'] },
      { amber_days: 20 },
      { four_eyes: 'off' },
      { four_eyes_categories: [] },
    ];
    const loosened: number[] = [];
    let known = 0;
    for (const [version, step] of steps.entries()) {
      expect((await set({ ...step, version }, owner)).status).toBe(200);
      const actions = await core.actionsOn(`organization:${owner.orgId}`);
      if (actions.slice(known).includes('review-settings.loosen-four-eyes')) loosened.push(version);
      known = actions.length;
    }
    expect(loosened).toEqual([1, 3, 5]);
  });
});
