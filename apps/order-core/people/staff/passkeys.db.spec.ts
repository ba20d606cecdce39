import * as api from '@offizin/contracts/people/passkeys';
import { getSecondFactor, setSignInRules } from '@offizin/contracts/people/second-factor';
import { confirmSession, getSession } from '@offizin/contracts/people/sessions';
import { statement } from '@offizin/pg/database';
import { SoftAuthenticator } from '@offizin/testkit/second-factors';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { ageConfirmation, anyone, PASSWORD, staffDoor, staffHandlers } from '../../spec/staff-fixture';
import { brokerSpec } from '../../spec/core-spec';

/** Of the console in staff-fixture.ts. */
const ORIGIN = 'https://console.example';

const ageChallenges = statement<never, []>(
  'spec_age_challenges',
  'UPDATE core.staff_challenges SET expires_at = now()',
);
const switchOff = statement<never, [string]>(
  'spec_switch_off',
  'UPDATE core.staff SET is_active = false WHERE id = $1',
);
const test = brokerSpec();
let core: OrderCoreFixture;
let other: OrderCoreFixture;

beforeAll(async () => {
  const handlers = staffHandlers(test.database, await test.broker.connect('order-core'));
  core = await OrderCoreFixture.make(test.database, handlers);
  other = await OrderCoreFixture.make(test.database, handlers);
});

const { joined, callerOf, signIn } = staffDoor(() => core, {
  usualRole: 'pharmacist',
  scopes: ['staff.write'],
});

async function withPasskey(orgId?: string, role?: string) {
  const person = await joined(role, orgId);
  const key = new SoftAuthenticator(ORIGIN);
  const { caller } = person;
  const { body: asked } = await core.call(api.requestPasskey, { caller });
  const made = await core.call(api.createPasskey, { caller, body: key.create(asked) });
  expect(made.status).toBe(201);
  return { ...person, key, passkeyId: made.body.id };
}

const request = async (pending?: string | null) =>
  (await core.call(api.requestPasskeySignIn, { caller: anyone, body: pending ? { pending } : {} })).body;
const give = (body: object) => core.call(api.givePasskey, { caller: anyone, body });

it('a passkey is listed with its name, signs in alone, and then shows its last use', async () => {
  const { key, caller, staffId } = await withPasskey();
  const mine = async () => (await core.call(api.listPasskeys, { caller })).body;
  expect(await mine()).toMatchObject({
    rp_id: 'console.example',
    data: [{ name: 'Telefon', last_used_at: null }],
  });
  const asked = await request();
  expect(asked.credential_ids).toEqual([]);
  const answer = await give({ ...key.answer(asked), pending: asked.pending });
  expect(answer).toMatchObject({ status: 200, body: { staff: { id: staffId } } });
  expect((await callerOf(answer.headers)).sessionId).not.toBe(caller.sessionId);
  expect((await mine()).data[0]?.last_used_at).not.toBeNull();
});

it('after a password the passkey of the same person is asked for, and no other counts', async () => {
  const { email, key, staffId } = await withPasskey();
  const stranger = await withPasskey();
  const begun = (await signIn(email)).body;
  expect(begun).toMatchObject({ next: 'second_factor', methods: ['passkey'], session: null });
  const wrong = await request(begun.pending);
  expect((await give({ ...stranger.key.answer(wrong), pending: wrong.pending })).status).toBe(401);
  const asked = await request(begun.pending);
  expect(asked.credential_ids).toEqual([key.credentialId.toString('base64url')]);
  const answer = await give({ ...key.answer(asked), pending: asked.pending });
  expect(answer).toMatchObject({ status: 200, body: { staff: { id: staffId } } });
  expect(
    (await core.call(api.requestPasskeySignIn, { caller: anyone, body: { pending: begun.pending } })).status,
  ).toBe(404);
});

describe('a challenge', () => {
  it('counts once, also for 20 concurrent answers, and only where it was asked for', async () => {
    const { key } = await withPasskey();
    const [asked, elsewhere] = [await request(), await request()];
    const answer = key.answer(asked);
    expect((await give({ ...answer, pending: elsewhere.pending })).status).toBe(401);
    const all = Array.from({ length: 20 }, () => give({ ...answer, pending: asked.pending }));
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it('is over after its time', async () => {
    const { key } = await withPasskey();
    const asked = await request();
    await test.database.rows(ageChallenges);
    expect((await give({ ...key.answer(asked), pending: asked.pending })).status).toBe(401);
  });
});

describe('an answer is refused, and noted at the person,', () => {
  it.each([
    ['of a page elsewhere', { origin: 'https://console.evil.example' }],
    ['without verification of the person', { isUnverified: true }],
    ['with a count that is not above the last one', { signCount: 0 }],
  ])('%s', async (_, manner) => {
    const { key, staffId } = await withPasskey();
    const first = await request();
    expect((await give({ ...key.answer(first, { signCount: 7 }), pending: first.pending })).status).toBe(200);
    const asked = await request();
    const refused = await give({ ...key.answer(asked, { signCount: 8, ...manner }), pending: asked.pending });
    expect(refused).toMatchObject({ status: 401, body: { message: 'The passkey was not accepted.' } });
    const seen = await core.actionsOn(`staff:${staffId}`);
    expect(seen.slice(-1)).toEqual(['session.refuse']);
  });

  it('of a passkey that nobody has, after the password of a person', async () => {
    const { email, staffId } = await withPasskey();
    const asked = await request((await signIn(email)).body.pending);
    const answer = await give({ ...new SoftAuthenticator(ORIGIN).answer(asked), pending: asked.pending });
    expect(answer.status).toBe(401);
    expect((await core.actionsOn(`staff:${staffId}`)).at(-1)).toBe('session.refuse');
  });

  it('of a person who is switched off', async () => {
    const { key, staffId } = await withPasskey();
    await test.database.rows(switchOff, staffId);
    const asked = await request();
    expect((await give({ ...key.answer(asked), pending: asked.pending })).status).toBe(401);
    expect((await core.actionsOn(`staff:${staffId}`)).at(-1)).toBe('session.refuse');
  });

  it('of a passkey that nobody has', async () => {
    const asked = await request();
    const answer = await give({ ...new SoftAuthenticator(ORIGIN).answer(asked), pending: asked.pending });
    expect(answer).toMatchObject({ status: 401, body: { message: 'The passkey was not accepted.' } });
  });
});

describe('a confirmation by passkey', () => {
  it('counts as the password does; that of another organization is refused as if unknown', async () => {
    const { caller, key } = await withPasskey();
    const stranger = await withPasskey(other.orgId);
    await test.database.rows(ageConfirmation, caller.sessionId ?? '');
    expect((await core.call(api.requestPasskey, { caller })).status).toBe(403);
    const ask = async () => (await core.call(api.requestPasskeyConfirmation, { caller })).body;
    const confirm = (passkey: object) => core.call(confirmSession, { caller, body: { passkey } });
    expect((await confirm(stranger.key.answer(await ask()))).status).toBe(401);
    expect((await confirm(key.answer(await ask()))).status).toBe(204);
    expect((await core.call(api.requestPasskey, { caller })).status).toBe(200);
  });

  it('takes a password or a passkey, and not both or none', async () => {
    const { caller } = await joined();
    const confirm = (body: object) => core.call(confirmSession, { caller, body });
    expect((await confirm({})).status).toBe(400);
    const passkey = new SoftAuthenticator(ORIGIN).answer({ challenge: 'x', rp_id: 'console.example' });
    expect((await confirm({ password: PASSWORD, passkey })).status).toBe(400);
    expect((await confirm({ password: PASSWORD })).status).toBe(204);
  });
});

it('a passkey belongs to one person, and another organization can neither add nor remove it', async () => {
  const { caller, key, passkeyId } = await withPasskey();
  const stranger = await joined('pharmacist', other.orgId);
  const { body: asked } = await core.call(api.requestPasskey, { caller: stranger.caller });
  const again = { caller: stranger.caller, body: key.create(asked) };
  expect((await core.call(api.createPasskey, again)).status).toBe(409);
  const params = { passkeyId };
  expect((await core.call(api.removePasskey, { caller: stranger.caller, params })).status).toBe(404);
  expect((await core.call(api.removePasskey, { caller, params })).status).toBe(204);
  expect((await core.call(api.listPasskeys, { caller })).body.data).toEqual([]);
});

it('the last factor of a role that needs one stays', async () => {
  const { caller, passkeyId } = await withPasskey(other.orgId, 'owner');
  const body = { second_factor_roles: ['owner'] };
  expect((await core.call(setSignInRules, { caller, body })).status).toBe(200);
  expect((await core.call(api.removePasskey, { caller, params: { passkeyId } })).status).toBe(409);
  expect((await core.call(getSecondFactor, { caller })).body.is_required).toBe(true);
  expect((await core.call(getSession, { caller })).status).toBe(200);
});
