import type { Caller } from '@offizin/contracts/calls/caller';
import { findSession, sessionsUsed } from '@offizin/contracts/people/session-records';
import * as api from '@offizin/contracts/people/sessions';
import { inviteStaffFor } from '@offizin/contracts/people/staff-operator';
import { readRecords } from '../directory/directory.store';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { staffHandlers } from '../../spec/staff-fixture';
import { hashToken } from './session-token';
import { brokerSpec } from '../../spec/core-spec';

const PASSWORD = 'a long password of somebody';

const anyone: Caller = {
  kind: 'service',
  orgId: '',
  shopId: null,
  actorId: 'gateway',
  scopes: [],
  requestId: 'spec',
};
const platform: Caller = { ...anyone, kind: 'platform', actorId: 'operator' };

const test = brokerSpec();
let core: OrderCoreFixture;

beforeEach(async () => {
  const connection = await test.broker.connect('order-core');
  core = await OrderCoreFixture.make(test.database, staffHandlers(test.database, connection));
});

let count = 0;
async function invited(role = 'owner') {
  const email = `Person${(count += 1)}@Example.org`;
  const body = { org_id: core.orgId, email, name: 'Anna', role };
  const { status, body: reply } = await core.call(inviteStaffFor, { caller: platform, body });
  expect(status).toBe(201);
  expect(reply.url).toMatch(/^https:\/\/console\.example\/console\/welcome#[\w-]{43}$/);
  return { email, token: reply.url.split('#')[1] ?? '', staffId: reply.staff.id };
}

async function joined(role = 'owner') {
  const person = await invited(role);
  const body = { token: person.token, password: PASSWORD };
  const answer = await core.call(api.acceptLink, { caller: anyone, body });
  expect(answer.status).toBe(200);
  return { ...person, answer };
}

async function callerOf(headers: Readonly<Record<string, string>>): Promise<Caller> {
  const token = /^__Host-offizin=([\w-]{43});/.exec(headers['set-cookie'] ?? '')?.[1] ?? '';
  const { body } = await core.call(findSession, { caller: anyone, body: { hash: hashToken(token) } });
  const { staff_id: actorId = '', session_id: sessionId = '' } = body.session ?? {};
  return { ...anyone, kind: 'staff', orgId: core.orgId, actorId, sessionId };
}

async function signIn(email: string, password = PASSWORD) {
  return core.call(api.signIn, { caller: anyone, body: { email, password } });
}

it('an invitation sets the password and signs in; then e-mail and password do', async () => {
  const { email, answer } = await joined();
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
