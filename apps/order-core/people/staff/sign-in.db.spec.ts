import { sessionsUsed } from '@offizin/contracts/people/session-records';
import * as api from '@offizin/contracts/people/sessions';
import { readRecords } from '../directory/records.store';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { anyone, staffDoor, staffHandlers } from '../../spec/staff-fixture';
import { brokerSpec } from '../../spec/core-spec';

const test = brokerSpec();
let core: OrderCoreFixture;

beforeEach(async () => {
  const connection = await test.broker.connect('order-core');
  core = await OrderCoreFixture.make(test.database, staffHandlers(test.database, connection));
});

const { joined, signIn, callerOf } = staffDoor(() => core);

it('an invitation sets the password and signs in; then e-mail and password do', async () => {
  const { email, url, answer } = await joined();
  expect(url).toMatch(/^https:\/\/console\.example\/console\/welcome#[\w-]{43}$/);
  const { session, ...step } = answer.body;
  expect(step).toEqual({ next: null, methods: [], pending: null });
  expect(session?.staff).toMatchObject({ email: email.toLowerCase(), name: 'Anna', role: 'owner' });
  expect(session?.shops).toHaveLength(2);
  expect(session?.scopes).toContain('staff.write');
  expect(session?.settings).toEqual({
    language: 'de',
    time_zone: 'Europe/Berlin',
    theme: 'system',
    undo_seconds: 5,
    single_keys: 'on',
    order_columns: [],
    hides_first_steps: false,
  });
  const { status, headers } = await signIn(email);
  expect(status).toBe(200);
  expect(headers['set-cookie']).toMatch(
    /^__Host-offizin=[\w-]{43}; HttpOnly; Secure; SameSite=Strict; Path=\/$/,
  );
  const caller = await callerOf(headers);
  expect(await core.call(api.getSession, { caller })).toMatchObject({
    status: 200,
    body: { idle_seconds: 1800 },
  });
});

it('a live session is a record of the directory until it ends', async () => {
  const { answer } = await joined('clerk');
  const caller = await callerOf(answer.headers);
  const key = `session.${caller.sessionId ?? ''}`;
  const mine = async () => (await readRecords(test.database, [key])).get(key) ?? null;
  const record: unknown = JSON.parse((await mine()) ?? '');
  expect(record).toMatchObject({ staff_id: caller.actorId, org_id: core.orgId, role: 'clerk' });
  const { status, headers } = await core.call(api.signOut, { caller });
  expect(status).toBe(204);
  expect(headers['set-cookie']).toMatch(/^__Host-offizin=; .*Max-Age=0$/);
  expect(headers['clear-site-data']).toBe('"cache", "storage"');
  expect(await mine()).toBeNull();
  expect(await core.call(api.getSession, { caller })).toMatchObject({ status: 401 });
});

it('uses move the last use forward only', async () => {
  const { answer } = await joined();
  const { sessionId = '' } = await callerOf(answer.headers);
  const use = (at: Date) =>
    core.call(sessionsUsed, {
      caller: anyone,
      body: { uses: [{ session_id: sessionId, at: at.toISOString() }] },
    });
  expect((await use(new Date(Date.now() - 60_000))).body).toEqual({ updated: 0 });
  expect((await use(new Date(Date.now() + 3_600_000))).body).toEqual({ updated: 1 });
});

it('preferences are checked and stored', async () => {
  const { answer } = await joined();
  const caller = await callerOf(answer.headers);
  const put = (body: Record<string, unknown>) => core.call(api.changePreferences, { caller, body });
  for (const [field, value] of [
    ['time_zone', 'Europe/Nowhere'],
    ['time_zone', '+01:00'],
    ['undo_seconds', 7],
    ['theme', 'pink'],
    ['order_columns', ['age']],
    ['order_columns', ['number', 'secret']],
  ] as const) {
    expect(await put({ [field]: value })).toMatchObject({ status: 400, body: { details: [{ field }] } });
  }
  const { body } = await put({
    time_zone: 'America/New_York',
    undo_seconds: 0,
    order_columns: ['age', 'number', 'age'],
    hides_first_steps: true,
  });
  expect(body.settings).toMatchObject({
    time_zone: 'America/New_York',
    undo_seconds: 0,
    language: 'de',
    order_columns: ['number', 'age'],
    hides_first_steps: true,
  });
});
