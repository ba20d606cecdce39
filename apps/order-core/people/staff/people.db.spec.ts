import type { Caller } from '@offizin/contracts/calls/caller';
import * as api from '@offizin/contracts/people/sessions';
import * as staff from '@offizin/contracts/people/staff';
import { createApiKey, revokeApiKey } from '@offizin/contracts/people/directory';
import { patchOrderStatus, upsertOrder } from '@offizin/contracts/orders/orders';
import { ANSWER_WITHIN_MS } from '@offizin/operations/serve-operation';
import { statement } from '@offizin/pg/database';
import { eventually } from '@offizin/testkit/eventually';
import { race } from '@offizin/testkit/race';
import { newId } from '@offizin/pg/ids';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { DirectoryHandlers } from '../directory/directory.handlers';
import { DirectoryProjection } from '../directory/projection';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { ageConfirmation, anyone, PASSWORD, staffDoor, staffHandlers } from '../../spec/staff-fixture';
import { forgetEnded } from './ended-sessions.store';
import { hashToken } from './session-token';
import { brokerSpec } from '../../spec/core-spec';

const actions = statement<{ action: string; actor: string }, [string]>(
  'spec_actions',
  'SELECT action, actor FROM core.audit_log WHERE org_id = $1 ORDER BY position',
);
const ageUse = statement<never, [string, number]>(
  'spec_age_use',
  'UPDATE core.staff_sessions SET last_used_at = now() - make_interval(mins => $2) WHERE id = $1',
);
const ageLock = statement<never, [string]>(
  'spec_age_lock',
  `UPDATE core.staff_lockouts SET locked_until = now() WHERE email_hash = $1`,
);
const ageLink = statement<never, [string]>(
  'spec_age_link',
  'UPDATE core.staff_links SET expires_at = now() WHERE staff_id = $1',
);
const lockLinks = statement<never, []>(
  'spec_lock_links',
  'LOCK TABLE core.staff_links IN ACCESS EXCLUSIVE MODE',
);
const lockStaff = statement<never, [string]>(
  'spec_lock_staff',
  'SELECT FROM core.staff WHERE id = $1 FOR UPDATE',
);
const tickOf = statement<never, [string, number]>(
  'spec_tick_of_the_day',
  `INSERT INTO core.day_checks VALUES ($1, $1, $1, now() - make_interval(days => $2))`,
);
const ticks = statement<{ days: number }, []>(
  'spec_ticks_of_the_day',
  'SELECT extract(day FROM now() - checked_at)::int AS days FROM core.day_checks',
);
const sessionIds = statement<{ id: string }, [string]>(
  'spec_sessions',
  'SELECT id FROM core.staff_sessions WHERE staff_id = $1',
);

const test = brokerSpec();
let core: OrderCoreFixture;
let other: OrderCoreFixture;

beforeAll(async () => {
  const connection = await test.broker.connect('order-core');
  const directory = new DirectoryHandlers(test.database, new DirectoryProjection(test.database, connection));
  const handlers = [...staffHandlers(test.database, connection), ...handlersIn(directory)];
  core = await OrderCoreFixture.make(test.database, handlers);
  other = await OrderCoreFixture.make(test.database, staffHandlers(test.database, connection));
});

const { invited, joined, accept, signIn, callerOf } = staffDoor(() => core, {
  scopes: ['staff.read', 'staff.write', 'settings.write', 'orders.write'],
});

async function isLive(caller: Caller): Promise<boolean> {
  return (await core.call(api.getSession, { caller })).status === 200;
}

function tally(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const times = <T>(number: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: number }, (_, index) => work(index)));

describe('wrong passwords', () => {
  it('answer the same for unknown people, and lock after ten, also under 50 concurrent tries', async () => {
    const { email } = await joined();
    const [known, unknown] = [await signIn(email, 'wrong'), await signIn('nobody@example.org', 'wrong')];
    expect(known.status).toBe(401);
    expect(unknown).toMatchObject({ status: 401, body: known.body });
    const before = (await test.database.rows(actions, core.orgId)).length;
    const answers = await times(50, () => signIn(email, 'wrong'));
    // 503: the machine is too slow for all of them within the time of a call.
    expect(Object.keys(tally(answers)).filter((status) => !/401|429|503/.test(status))).toEqual([]);
    let locked = await signIn(email, 'wrong');
    for (let round = 0; round < 10 && locked.status !== 429; round++) locked = await signIn(email, 'wrong');
    expect((await signIn(email)).status).toBe(429);
    expect(Number(locked.headers['retry-after'])).toBeGreaterThan(800);
    const added = (await test.database.rows(actions, core.orgId)).slice(before).map(({ action }) => action);
    expect(added.filter((action) => action === 'session.refuse')).toHaveLength(9);
    expect(added.filter((action) => action === 'session.lock')).toHaveLength(1);
    await test.database.rows(ageLock, hashToken(email.toLowerCase()));
    expect((await signIn(email)).status).toBe(200);
  }, 30_000);

  it('of nobody lock as well and leave no entry', async () => {
    const before = (await test.database.rows(actions, core.orgId)).length;
    const wrong = () => signIn('ghost@example.org', 'wrong');
    for (let failure = 0; failure < 10; failure++) expect((await wrong()).status).toBe(401);
    expect((await wrong()).status).toBe(429);
    expect(await test.database.rows(actions, core.orgId)).toHaveLength(before);
  }, 30_000);
});

describe('links', () => {
  it('work once when four accept concurrently', async () => {
    const { token } = await invited();
    expect(tally(await race(4, () => accept(token)))).toEqual({ 200: 1, 404: 3 });
  }, 30_000);

  it('end with a newer link, with their time, and when the person is switched off', async () => {
    const { caller } = await owner();
    const { token, staffId } = await invited('clerk');
    const again = await core.call(staff.createLink, {
      caller,
      params: { orgId: core.orgId, staffId },
      body: { kind: 'invitation' },
    });
    const newer = again.body.url?.split('#')[1] ?? '';
    const read = (text: string) => core.call(api.readLink, { caller: anyone, body: { token: text } });
    expect((await read(token)).status).toBe(404);
    expect(await read(newer)).toMatchObject({
      status: 200,
      body: { kind: 'invitation', org_name: 'Apotheke' },
    });
    await test.database.rows(ageLink, staffId);
    expect([(await read(newer)).status, (await accept(newer)).status]).toEqual([404, 404]);
  });

  it('are not used up by an acceptance that ends too late to be answered', async () => {
    const { token, staffId } = await invited();
    const startedAtMs = performance.now();
    const passed = (ms: number) => eventually('time to pass', () => performance.now() > startedAtMs + ms);
    // Each wait alone is shorter than a transaction may last.
    const late = await test.database.transaction(async (holder) => {
      await holder.rows(lockStaff, staffId);
      const accepted = test.database.transaction(async (links) => {
        await links.rows(lockLinks);
        const answer = accept(token);
        await passed(ANSWER_WITHIN_MS - 1_000);
        return { answer };
      });
      await passed(ANSWER_WITHIN_MS + 200);
      return accepted;
    }, 3 * ANSWER_WITHIN_MS);
    expect((await late.answer).status).toBe(503);
    expect((await accept(token)).status).toBe(200);
  }, 30_000);

  it('refuse short and common passwords', async () => {
    const { token } = await invited();
    for (const password of ['short', 'Passwort12345']) {
      expect(await accept(token, password)).toMatchObject({
        status: 400,
        body: { details: [{ field: 'password' }] },
      });
    }
  });
});

async function owner(orgId = core.orgId) {
  const person = await joined('owner', orgId);
  return { ...person, caller: await callerOf((await signIn(person.email)).headers) };
}

describe('the owner', () => {
  it('confirms the password after ten minutes', async () => {
    const { caller } = await owner();
    await test.database.rows(ageConfirmation, caller.sessionId ?? '');
    const create = (email: string) =>
      core.call(staff.createStaff, { caller, body: { email, name: 'New', role: 'clerk' } });
    expect(await create('late@example.org')).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    const key = { caller, body: { name: 'ERP', kind: 'org', scopes: [] } };
    expect(await core.call(createApiKey, key)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    const confirm = (password: string) => core.call(api.confirmSession, { caller, body: { password } });
    expect((await confirm('wrong')).status).toBe(401);
    expect((await confirm(PASSWORD)).status).toBe(204);
    expect((await create('late@example.org')).status).toBe(201);
    expect((await create('LATE@example.org')).status).toBe(409);
    expect((await core.call(createApiKey, key)).status).toBe(201);
    const scopes = ['reports.read'];
    expect(await core.call(createApiKey, { caller, body: { ...key.body, scopes } })).toMatchObject({
      status: 403,
    });
  });

  it('confirms and revokes a key while strangers lock the e-mail; the own wrong passwords count apart', async () => {
    const { email, caller } = await owner();
    const confirm = (password: string) => core.call(api.confirmSession, { caller, body: { password } });
    const body = { name: 'Stolen', kind: 'org', scopes: [] };
    const key = await core.call(createApiKey, { caller, body });
    for (let failure = 0; failure < 10; failure++) await signIn(email, 'wrong');
    expect((await signIn(email)).status).toBe(429);
    await test.database.rows(ageConfirmation, caller.sessionId ?? '');
    const params = { orgId: core.orgId, keyId: key.body.id };
    expect((await core.call(revokeApiKey, { caller, params })).status).toBe(204);
    expect((await confirm(PASSWORD)).status).toBe(204);
    for (let failure = 0; failure < 10; failure++) expect((await confirm('wrong')).status).toBe(401);
    expect((await confirm(PASSWORD)).status).toBe(429);
  }, 30_000);

  it('ends sessions by role change, switching off and signing out', async () => {
    const { caller } = await owner();
    for (const body of [{ role: 'pharmacist' }, { is_active: false }]) {
      const { email, staffId } = await joined('clerk');
      const clerk = await callerOf((await signIn(email)).headers);
      const params = { orgId: core.orgId, staffId };
      expect(await isLive(clerk)).toBe(true);
      expect((await core.call(staff.updateStaff, { caller, params, body })).status).toBe(200);
      expect(await isLive(clerk)).toBe(false);
    }
    const { email, staffId } = await joined('clerk');
    const clerk = await callerOf((await signIn(email)).headers);
    await core.call(staff.signOutStaff, { caller, params: { orgId: core.orgId, staffId } });
    expect(await isLive(clerk)).toBe(false);
  });

  it('of another organization finds nobody', async () => {
    const { caller } = await owner();
    const { staffId } = await invited('clerk', other.orgId);
    const params = { orgId: core.orgId, staffId };
    const calls = [
      core.call(staff.updateStaff, { caller, params, body: { name: 'X' } }),
      core.call(staff.createLink, { caller, params, body: { kind: 'invitation' } }),
      core.call(staff.signOutStaff, { caller, params }),
    ];
    expect(tally(await Promise.all(calls))).toEqual({ 404: 3 });
    const { body } = await core.call(staff.listStaff, { caller });
    expect(body.data.map(({ id }) => id)).not.toContain(staffId);
  });

  it('stays as the last one, also when the last two step down concurrently', async () => {
    const callers = [await owner(other.orgId), await owner(other.orgId)].map(({ caller }) => caller);
    const stepDown = (caller: Caller) =>
      core.call(staff.updateStaff, {
        caller,
        params: { orgId: other.orgId, staffId: caller.actorId },
        body: { role: 'clerk' },
      });
    expect(tally(await Promise.all(callers.map(stepDown)))).toEqual({ 200: 1, 409: 1 });
    const last = (await isLive(callers[0] ?? anyone)) ? callers[0] : callers[1];
    const off = { params: { orgId: other.orgId, staffId: last?.actorId ?? '' }, body: { is_active: false } };
    expect((await core.call(staff.updateStaff, { caller: last, ...off })).status).toBe(409);
  });

  it('of another organization can be invited, tells nobody, and each password opens its own', async () => {
    const { email, staffId } = await joined('owner');
    const { caller } = await owner(other.orgId);
    const body = { email, name: 'Anna', role: 'clerk' };
    const answer = await other.call(staff.createStaff, { caller, body });
    expect([answer.status, answer.body.staff.has_joined]).toEqual([201, false]);
    await signIn(email, 'a wrong password');
    const seen = (await test.database.rows(actions, other.orgId)).map(({ action }) => action);
    expect(seen).not.toContain('session.refuse');
    expect((await other.call(staff.createStaff, { caller, body })).status).toBe(409);
    expect((await callerOf((await signIn(email)).headers)).actorId).toBe(staffId);
    const password = `${PASSWORD} elsewhere`;
    await accept(answer.body.invite_url?.split('#')[1] ?? '', password);
    expect((await callerOf((await signIn(email, password)).headers)).actorId).toBe(answer.body.staff.id);
    expect((await callerOf((await signIn(email)).headers)).actorId).toBe(staffId);
  });

  it('with a second organization cannot lift the lock before the first', async () => {
    const { email } = await joined('owner');
    const { caller } = await owner(other.orgId);
    const body = { email, name: 'Anna', role: 'clerk' };
    const { invite_url: url } = (await other.call(staff.createStaff, { caller, body })).body;
    const password = `${PASSWORD} elsewhere`;
    await accept(url?.split('#')[1] ?? '', password);
    for (let failures = 0; failures < 9; failures++)
      expect((await signIn(email, 'a wrong password')).status).toBe(401);
    expect((await signIn(email, password)).status).toBe(200);
    expect((await signIn(email, 'a wrong password')).status).toBe(401);
    expect((await signIn(email)).status).toBe(429);
  });
});

describe('a session', () => {
  it('that has ended or is idle writes nothing', async () => {
    const { caller } = await owner();
    const order = { shop_id: core.shopId, external_id: 'by-hand' };
    const { body, status } = await core.call(upsertOrder, { caller, body: order });
    expect(status).toBe(201);
    const patch = () =>
      core.call(patchOrderStatus, {
        caller,
        params: { orgId: core.orgId, orderId: body.id },
        body: { shipped: true },
      });
    await test.database.rows(ageUse, caller.sessionId ?? '', 31);
    expect((await core.call(upsertOrder, { caller, body: { ...order, order_number: '7' } })).status).toBe(
      401,
    );
    expect((await patch()).status).toBe(401);
    await test.database.rows(ageUse, caller.sessionId ?? '', 29);
    expect((await patch()).status).toBe(200);
    await core.call(api.signOut, { caller });
    expect((await core.call(upsertOrder, { caller, body: { ...order, order_number: '7' } })).status).toBe(
      401,
    );
  });

  it('is one of twenty at most, also when several sign-ins race', async () => {
    const { email, staffId } = await joined();
    for (let round = 0; round < 6; round++) {
      expect(tally(await times(4, () => signIn(email)))).toEqual({ 200: 4 });
    }
    const caller = await callerOf((await signIn(email)).headers);
    expect((await core.call(api.listSessions, { caller })).body.data).toHaveLength(api.MAX_SESSIONS);
    await test.database.rows(ageUse, caller.sessionId ?? '', 31 * 24 * 60);
    const before = (await test.database.rows(sessionIds, staffId)).length;
    expect(await forgetEnded(test.database)).toBeGreaterThan(0);
    expect(await test.database.rows(sessionIds, staffId)).toHaveLength(before - 1);
  }, 30_000);

  it('goes with the ticks of the day that are older than 30 days', async () => {
    for (const days of [29, 31]) await test.database.rows(tickOf, newId(), days);
    await forgetEnded(test.database);
    expect(await test.database.rows(ticks)).toEqual([{ days: 29 }]);
  });

  it('survives a change of the password alone of all', async () => {
    const { email } = await joined();
    const [mine, another] = [await signIn(email), await signIn(email)];
    const [caller, elsewhere] = [await callerOf(mine.headers), await callerOf(another.headers)];
    const change = (current: string, next: string) =>
      core.call(api.changePassword, { caller, body: { current, new: next } });
    expect((await change('wrong', 'another long password')).status).toBe(401);
    expect((await change(PASSWORD, 'passwort12345')).status).toBe(400);
    expect((await change(PASSWORD, 'another long password')).status).toBe(204);
    expect([await isLive(caller), await isLive(elsewhere)]).toEqual([true, false]);
    expect([(await signIn(email)).status, (await signIn(email, 'another long password')).status]).toEqual([
      401, 200,
    ]);
  });
});
