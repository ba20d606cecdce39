import { getReviewSettings, setReviewSettings } from '@offizin/contracts/review-settings';
import { statement } from '@offizin/pg/database';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from '../db/schema';
import { OrderCoreFixture } from '../spec-fixture';
import { ReviewSettingsHandlers } from './review-settings.handlers';

const entries = statement<{ action: string; actor: string }, [string]>(
  'spec_review_settings_entries',
  `SELECT action, actor FROM core.audit_log WHERE object = $1 ORDER BY position`,
);

const CHOSEN = {
  marks: ['dose_plausible', 'signature_seen'],
  marks_only_for_thc: false,
  amber_days: 14,
  red_days: 60,
  templates: [{ name: 'Seite 2', text: 'Bitte senden Sie die zweite Seite.', use: 'ask' }],
  version: 0,
};

let test: TestDatabase;
let core: OrderCoreFixture;

beforeAll(async () => {
  test = await testDatabase(orderCoreSchema);
});
afterAll(() => test.close());
beforeEach(async () => {
  const handlers = new ReviewSettingsHandlers(test.database);
  core = await OrderCoreFixture.make(test.database, [
    [getReviewSettings, (call) => handlers.get(call)],
    [setReviewSettings, (call) => handlers.set(call)],
  ]);
});

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
  const other = await OrderCoreFixture.make(test.database, [
    [getReviewSettings, (call) => new ReviewSettingsHandlers(test.database).get(call)],
  ]);
  expect((await get(other)).body.version).toBe(0);
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
  expect(await test.database.rows(entries, `organization:${owner.orgId}`)).toEqual([entry]);
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
    const all = await test.database.rows(entries, `organization:${owner.orgId}`);
    if (all.slice(known).some(({ action }) => action === 'review-settings.loosen-four-eyes'))
      loosened.push(version);
    known = all.length;
  }
  expect(loosened).toEqual([1, 3, 5]);
});
