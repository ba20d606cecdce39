import { Secret } from 'otpauth';
import type { Caller } from '@offizin/contracts/calls/caller';
import * as api from '@offizin/contracts/people/second-factor';
import { findSession } from '@offizin/contracts/people/session-records';
import { changePassword, getSession } from '@offizin/contracts/people/sessions';
import { createLink, listStaff, removeSecondFactor } from '@offizin/contracts/people/staff';
import { removeSecondFactorOf } from '@offizin/contracts/people/staff-operator';
import { statement } from '@offizin/pg/database';
import { codeOfApp } from '@offizin/testkit/second-factors';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import {
  ageConfirmation,
  anyone,
  PASSWORD,
  platform,
  staffDoor,
  staffHandlers,
} from '../../spec/staff-fixture';
import { hashToken } from './session-token';
import { brokerSpec } from '../../spec/core-spec';

const ageSignIns = statement<never, [string]>(
  'spec_age_sign_ins',
  'UPDATE core.staff_sign_ins SET expires_at = now() WHERE staff_id = $1',
);
const storedSecrets = statement<{ secret: Buffer; hash: Buffer }, [string]>(
  'spec_secrets',
  `SELECT t.secret, c.hash FROM core.staff_totp t JOIN core.staff_recovery_codes c USING (staff_id) WHERE staff_id = $1`,
);
const begunSetUps = statement<{ staff_id: string }, [string]>(
  'spec_begun_set_ups',
  'SELECT staff_id FROM core.staff_totp_set_ups WHERE staff_id = $1',
);
const forgetSteps = statement<never, [string]>(
  'spec_forget_steps',
  'UPDATE core.staff_totp SET last_step = 0 WHERE staff_id = $1',
);

const test = brokerSpec();
let core: OrderCoreFixture;

/** Each test has an organization, because the roles that need a second factor are its setting. */
beforeEach(async () => {
  const connection = await test.broker.connect('order-core');
  core = await OrderCoreFixture.make(test.database, staffHandlers(test.database, connection));
});

const { joined, accept, signIn, callerOf } = staffDoor(() => core, {
  usualRole: 'pharmacist',
  scopes: ['staff.read', 'staff.write'],
});

const give = (pending: string | null, code: string) =>
  core.call(api.giveSecondFactor, { caller: anyone, body: { pending, code } });
const requireFor = (caller: Caller, ...second_factor_roles: string[]) =>
  core.call(api.setSignInRules, { caller, body: { second_factor_roles } });

async function withTotp(role?: string) {
  const person = await joined(role);
  const { body: totp } = await core.call(api.beginTotp, { caller: person.caller });
  const body = { code: codeOfApp(totp.secret) };
  expect((await core.call(api.confirmTotp, { caller: person.caller, body })).status).toBe(204);
  return { ...person, totp };
}

const actionsOn = (staffId: string) => core.actionsOn(`staff:${staffId}`);

describe('codes of an app', () => {
  it('are set up by a first code, then a sign-in asks for one and opens a new session', async () => {
    const { email, totp, caller, staffId } = await withTotp();
    expect(totp.recovery_codes).toHaveLength(10);
    const { body, headers } = await signIn(email);
    expect(body).toMatchObject({ session: null, next: 'second_factor', methods: ['totp', 'recovery_code'] });
    expect(headers['set-cookie']).toBeUndefined();
    const answer = await give(body.pending, codeOfApp(totp.secret, 1));
    expect(answer).toMatchObject({ status: 200, body: { staff: { id: staffId } } });
    expect((await callerOf(answer.headers)).sessionId).not.toBe(caller.sessionId);
    expect((await give(body.pending, codeOfApp(totp.secret, 1))).status).toBe(404);
    expect(await actionsOn(staffId)).toEqual(['staff.invite', 'staff.join', 'staff.set-up-totp']);
  });

  it('count once, also when 50 uses of one race over five sign-ins', async () => {
    const { email, totp } = await withTotp();
    const begun: (string | null)[] = [];
    for (let attempt = 0; attempt < 5; attempt++) begun.push((await signIn(email)).body.pending);
    const code = codeOfApp(totp.secret, 1);
    const uses = Array.from({ length: 50 }, (_, index) => give(begun[index % 5] ?? null, code));
    const statuses = (await Promise.all(uses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    // 503: the machine is too slow for all of them within the time of a call.
    expect(statuses.filter((status) => ![200, 401, 404, 429, 503].includes(status))).toEqual([]);
  }, 30_000);

  it('do not count before the first code, and a wrong first code sets nothing up', async () => {
    const { email, caller } = await joined();
    const { body: first } = await core.call(api.beginTotp, { caller });
    const { body: second } = await core.call(api.beginTotp, { caller });
    const confirm = (code: string) => core.call(api.confirmTotp, { caller, body: { code } });
    expect(await confirm(codeOfApp(first.secret))).toMatchObject({
      status: 400,
      body: { details: [{ field: 'code' }] },
    });
    expect((await signIn(email)).body.next).toBeNull();
    expect((await confirm(codeOfApp(second.secret))).status).toBe(204);
    expect((await signIn(email)).body.next).toBe('second_factor');
    expect((await confirm(codeOfApp(second.secret, 1))).status).toBe(409);
  });

  it('move to another app, of which nothing counts before its first code, and nothing of the old one after it', async () => {
    const { email, totp: old, caller, staffId } = await withTotp();
    await requireFor((await joined('owner')).caller, 'pharmacist');
    const { body: next } = await core.call(api.beginTotp, { caller });
    const giveOf = async (code: string) => (await give((await signIn(email)).body.pending, code)).status;
    expect(await giveOf(codeOfApp(next.secret))).toBe(401);
    expect(await giveOf(next.recovery_codes[0] ?? '')).toBe(401);
    expect(await giveOf(codeOfApp(old.secret, 1))).toBe(200);
    expect(await giveOf(old.recovery_codes[0] ?? '')).toBe(200);
    const confirm = (code: string) => core.call(api.confirmTotp, { caller, body: { code } });
    expect((await confirm(codeOfApp(old.secret))).status).toBe(400);
    expect((await confirm(codeOfApp(next.secret))).status).toBe(204);
    await test.database.rows(forgetSteps, staffId);
    expect(await giveOf(codeOfApp(old.secret, 1))).toBe(401);
    expect(await giveOf(old.recovery_codes[1] ?? '')).toBe(401);
    expect(await giveOf(codeOfApp(next.secret, 1))).toBe(200);
    expect(await giveOf(next.recovery_codes[0] ?? '')).toBe(200);
    const { body } = await core.call(api.getSecondFactor, { caller });
    expect(body).toMatchObject({ recovery_codes_left: 9, is_required: true });
    expect((await actionsOn(staffId)).filter((action) => action === 'staff.set-up-totp')).toHaveLength(2);
  });

  it('move once, when 20 first codes of the new app race', async () => {
    const { caller } = await withTotp();
    const { body: next } = await core.call(api.beginTotp, { caller });
    const body = { code: codeOfApp(next.secret) };
    const moves = Array.from({ length: 20 }, () => core.call(api.confirmTotp, { caller, body }));
    const statuses = (await Promise.all(moves)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(19);
  });

  it('and recovery codes are stored encrypted and hashed', async () => {
    const { totp, staffId } = await withTotp();
    const rows = await test.database.rows(storedSecrets, staffId);
    expect(rows).toHaveLength(10);
    const plain = Buffer.from(Secret.fromBase32(totp.secret).bytes);
    for (const { secret, hash } of rows) {
      expect(secret.includes(plain)).toBe(false);
      for (const code of totp.recovery_codes) expect(hash.toString('latin1')).not.toContain(code);
    }
  });

  it('are removed by the person, and the recovery codes with them', async () => {
    const { email, totp, caller, staffId } = await withTotp();
    const { body: next } = await core.call(api.beginTotp, { caller });
    expect((await core.call(api.removeTotp, { caller })).status).toBe(204);
    const late = await core.call(api.confirmTotp, { caller, body: { code: codeOfApp(next.secret) } });
    expect(late.status).toBe(409);
    expect((await core.call(api.removeTotp, { caller })).status).toBe(409);
    expect((await signIn(email)).body).toMatchObject({ next: null, pending: null });
    const { body } = await core.call(api.getSecondFactor, { caller });
    expect(body).toEqual({ totp_since: null, recovery_codes_left: 0, is_required: false });
    expect(await test.database.rows(storedSecrets, staffId)).toEqual([]);
    expect(totp.recovery_codes).toHaveLength(10);
    expect(await actionsOn(staffId)).toContain('staff.remove-totp');
  });
});

describe('a recovery code', () => {
  it('counts once, and the rest are counted', async () => {
    const { email, totp, staffId } = await withTotp();
    const [code = '', next = ''] = totp.recovery_codes;
    const { body } = await signIn(email);
    const answer = await give(body.pending, code.toUpperCase());
    expect(answer.status).toBe(200);
    const { body: left } = await core.call(api.getSecondFactor, { caller: await callerOf(answer.headers) });
    expect(left.recovery_codes_left).toBe(9);
    const again = (await signIn(email)).body.pending;
    expect((await give(again, code)).status).toBe(401);
    expect((await give(again, next)).status).toBe(200);
    const used = (await actionsOn(staffId)).filter((action) => action === 'staff.use-recovery-code');
    expect(used).toHaveLength(2);
  });
});

describe('wrong codes', () => {
  it('count with wrong passwords, and a right password between them does not clear the count', async () => {
    const { email, totp, staffId } = await withTotp();
    for (let failure = 0; failure < 8; failure++) {
      const { body } = await signIn(email);
      expect((await give(body.pending, '000000')).status).toBe(401);
    }
    expect((await signIn(email, 'wrong')).status).toBe(401);
    const { pending } = (await signIn(email)).body;
    expect((await give(pending, 'abcde-abcde')).status).toBe(401);
    expect((await give(pending, codeOfApp(totp.secret, 1))).status).toBe(429);
    expect((await signIn(email)).status).toBe(429);
    const seen = await actionsOn(staffId);
    expect(seen.filter((action) => action === 'session.refuse')).toHaveLength(10);
    expect(seen.filter((action) => action === 'session.lock')).toHaveLength(1);
  }, 30_000);

  it('lock at ten, also under 50 concurrent tries', async () => {
    const { email, staffId } = await withTotp();
    const { pending } = (await signIn(email)).body;
    const answers = await Promise.all(Array.from({ length: 50 }, () => give(pending, '000000')));
    expect(answers.filter(({ status }) => ![401, 429, 503].includes(status))).toEqual([]);
    let { status } = await give(pending, '000000');
    for (let round = 0; round < 10 && status !== 429; round++) ({ status } = await give(pending, '000000'));
    expect(status).toBe(429);
    expect((await actionsOn(staffId)).filter((action) => action === 'session.refuse')).toHaveLength(10);
  }, 30_000);
});

describe('a sign-in that waits for its second factor', () => {
  it('opens nothing, and ends by time and with a new password', async () => {
    const { email, totp, caller } = await withTotp();
    const { pending } = (await signIn(email)).body;
    const hash = hashToken(pending ?? '');
    expect((await core.call(findSession, { caller: anyone, body: { hash } })).body.session).toBeNull();
    await test.database.rows(ageSignIns, caller.actorId);
    expect((await give(pending, codeOfApp(totp.secret, 1))).status).toBe(404);
    const second = (await signIn(email)).body.pending;
    const change = { current: PASSWORD, new: `${PASSWORD} of today` };
    expect((await core.call(changePassword, { caller, body: change })).status).toBe(204);
    expect((await give(second, codeOfApp(totp.secret, 1))).status).toBe(404);
    expect((await give('nonsense', codeOfApp(totp.secret, 1))).status).toBe(404);
  });

  it('follows a reset link, too: a new password leaves the second factor', async () => {
    const owner = await joined('owner');
    const { email, totp, staffId } = await withTotp();
    const link = { caller: owner.caller, params: { staffId }, body: { kind: 'reset' } };
    const { body } = await core.call(createLink, link);
    const answer = await accept((body.url ?? '').split('#')[1] ?? '', `${PASSWORD} again`);
    expect(answer.body).toMatchObject({ session: null, next: 'second_factor' });
    await test.database.rows(forgetSteps, staffId);
    expect((await give(answer.body.pending, codeOfApp(totp.secret, 1))).status).toBe(200);
    expect((await signIn(email, `${PASSWORD} again`)).body.next).toBe('second_factor');
  });
});

describe('a role that needs a second factor', () => {
  it('is led to set one up, and can do nothing else before', async () => {
    const owner = await joined('owner');
    const { email, staffId } = await joined('clerk');
    expect((await requireFor(owner.caller, 'clerk', 'clerk')).body).toEqual({
      second_factor_roles: ['clerk'],
    });
    const { body, headers } = await signIn(email);
    expect(body).toMatchObject({ session: null, next: 'set_up', methods: [] });
    expect(headers['set-cookie']).toBeUndefined();
    const { pending } = body;
    const begun = await core.call(api.beginSetUp, { caller: anyone, body: { pending } });
    const finish = (code: string) => core.call(api.finishSetUp, { caller: anyone, body: { pending, code } });
    expect((await finish('000000')).status).toBe(400);
    const answer = await finish(codeOfApp(begun.body.secret));
    expect(answer.body.staff).toMatchObject({ id: staffId });
    const caller = await callerOf(answer.headers);
    expect((await core.call(getSession, { caller })).status).toBe(200);
    expect(await actionsOn(staffId)).toContain('staff.set-up-totp');
    expect((await core.call(api.removeTotp, { caller })).status).toBe(409);
    expect((await core.call(api.getSecondFactor, { caller })).body).toMatchObject({
      recovery_codes_left: 10,
      is_required: true,
    });
    expect((await signIn(email)).body.next).toBe('second_factor');
  });

  it('gives nobody who knows the password another second factor', async () => {
    const owner = await joined('owner');
    const { email } = await withTotp();
    await requireFor(owner.caller, 'pharmacist');
    const { pending } = (await signIn(email)).body;
    expect((await core.call(api.beginSetUp, { caller: anyone, body: { pending } })).status).toBe(404);
    const body = { pending, code: '000000' };
    expect((await core.call(api.finishSetUp, { caller: anyone, body })).status).toBe(404);
  });
});

describe('a lost phone', () => {
  it('is helped by the owner, who ends the sessions with it', async () => {
    const owner = await joined('owner');
    const { email, caller, staffId } = await withTotp();
    await core.call(api.beginTotp, { caller });
    const rows = async () => (await core.call(listStaff, { caller: owner.caller })).body.data;
    expect((await rows()).filter((row) => row.has_second_factor).map(({ id }) => id)).toEqual([staffId]);
    const lost = { caller: owner.caller, params: { staffId } };
    expect((await core.call(removeSecondFactor, lost)).status).toBe(204);
    expect((await rows()).filter((row) => row.has_second_factor)).toEqual([]);
    expect(await test.database.rows(begunSetUps, staffId)).toEqual([]);
    expect((await core.call(getSession, { caller })).status).toBe(401);
    expect((await signIn(email)).body.next).toBeNull();
    expect(await actionsOn(staffId)).toContain('staff.remove-second-factor');
  });

  it('is helped by the operator when it is the last owner', async () => {
    const { email, staffId } = await withTotp('owner');
    const { status, body } = await core.call(removeSecondFactorOf, { caller: platform, body: { email } });
    expect([status, body.has_second_factor]).toEqual([200, false]);
    expect((await signIn(email)).body.next).toBeNull();
    expect(await actionsOn(staffId)).toContain('staff.remove-second-factor');
  });

  it('of another organization is a person whom the owner does not know', async () => {
    const { staffId, email } = await withTotp();
    const strangers = await test.broker.connect('order-core');
    core = await OrderCoreFixture.make(test.database, staffHandlers(test.database, strangers));
    const { caller } = await joined('owner');
    expect((await core.call(removeSecondFactor, { caller, params: { staffId } })).status).toBe(404);
    expect((await requireFor(caller, 'pharmacist')).status).toBe(200);
    expect((await signIn(email)).body.next).toBe('second_factor');
  });
});

it('every change needs a recent confirmation of the password', async () => {
  const { caller, totp } = await withTotp('owner');
  await test.database.rows(ageConfirmation, caller.sessionId ?? '');
  const code = { code: codeOfApp(totp.secret, 1) };
  const refused = await Promise.all([
    core.call(api.beginTotp, { caller }),
    core.call(api.confirmTotp, { caller, body: code }),
    core.call(api.removeTotp, { caller }),
    requireFor(caller, 'clerk'),
    core.call(removeSecondFactor, { caller, params: { staffId: caller.actorId } }),
  ]);
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
});
