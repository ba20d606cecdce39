import type { Caller } from '@offizin/contracts/calls/caller';
import { findSession } from '@offizin/contracts/people/session-records';
import { acceptLink, signIn } from '@offizin/contracts/people/sessions';
import { inviteStaffFor } from '@offizin/contracts/people/staff-operator';
import type { BusConnection } from '@offizin/bus/key-value';
import { type Database, statement } from '@offizin/pg/database';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { DirectoryProjection } from '../people/directory/projection';
import { DataKeys } from '../crypto/data-keys.store';
import type { HandlerTable, OrderCoreFixture } from './spec-fixture';
import { PasskeyAddress } from '../people/staff/passkeys';
import { PasskeySignInHandlers } from '../people/staff/passkey-sign-in.handlers';
import { PasskeysHandlers } from '../people/staff/passkeys.handlers';
import { SecondFactorHandlers } from '../people/staff/second-factor.handlers';
import { SignInStepsHandlers } from '../people/staff/sign-in-steps.handlers';
import { hashToken } from '../people/staff/session-token';
import { SessionLimits } from '../people/staff/open-sessions';
import { SessionHandlers, SessionRecordsHandlers } from '../people/staff/session.handlers';
import { SignInHandlers } from '../people/staff/sign-in.handlers';
import { ConsoleAddress } from '../people/staff/staff-links';
import { StaffOperatorHandlers } from '../people/staff/staff-operator.handlers';
import { StaffHandlers } from '../people/staff/staff.handlers';

/** For specs only: the handlers of staff, sessions and links. */
export function staffHandlers(database: Database, connection: BusConnection): HandlerTable {
  const projection = new DirectoryProjection(database, connection);
  const address = new ConsoleAddress('https://console.example');
  const limits = new SessionLimits(12, 30);
  const dataKeys = new DataKeys(database, [Buffer.alloc(32, 7)]);
  const passkeys = new PasskeyAddress('https://console.example');
  return handlersIn(
    new SignInHandlers(database, projection, limits),
    new SignInStepsHandlers(database, projection, limits, dataKeys),
    new SecondFactorHandlers(database, dataKeys),
    new SessionHandlers(database, projection, passkeys),
    new PasskeysHandlers(database, passkeys),
    new PasskeySignInHandlers(database, projection, limits, passkeys),
    new SessionRecordsHandlers(database),
    new StaffHandlers(database, projection, address),
    new StaffOperatorHandlers(database, projection, address),
  );
}

export const PASSWORD = 'a long password of somebody';

/** The gateway, before anybody has signed in. */
export const anyone: Caller = {
  kind: 'service',
  orgId: '',
  shopId: null,
  actorId: 'gateway',
  scopes: [],
  requestId: 'spec',
};
export const platform: Caller = { ...anyone, kind: 'platform', actorId: 'operator' };

export const ageConfirmation = statement<never, [string]>(
  'spec_age_confirmation',
  `UPDATE core.staff_sessions SET confirmed_at = now() - interval '11 minutes' WHERE id = $1`,
);
function tokenIn(headers: Readonly<Record<string, string>>): string {
  return /^__Host-offizin=([\w-]{43});/.exec(headers['set-cookie'] ?? '')?.[1] ?? '';
}

let people = 0;

/** For specs only: how a person comes in; `core` is the organization of the running test. */
export function staffDoor(
  core: () => OrderCoreFixture,
  { usualRole = 'owner', scopes = [] }: { usualRole?: string; scopes?: Caller['scopes'] } = {},
) {
  async function invited(role = usualRole, orgId = core().orgId) {
    const email = `Person${(people += 1)}@Example.org`;
    const body = { org_id: orgId, email, name: 'Anna', role };
    const { body: reply } = await core().call(inviteStaffFor, { caller: platform, body });
    return { email, url: reply.url, token: reply.url.split('#')[1] ?? '', staffId: reply.staff.id };
  }
  const accept = (token: string, password = PASSWORD) =>
    core().call(acceptLink, { caller: anyone, body: { token, password } });
  async function callerOf(headers: Readonly<Record<string, string>>): Promise<Caller> {
    const body = { hash: hashToken(tokenIn(headers)) };
    const { session } = (await core().call(findSession, { caller: anyone, body })).body;
    const { staff_id: actorId = '', session_id: sessionId = '', org_id: orgId = '' } = session ?? {};
    return { ...anyone, kind: 'staff', orgId, actorId, sessionId, scopes };
  }
  async function joined(role?: string, orgId?: string) {
    const person = await invited(role, orgId);
    const answer = await accept(person.token);
    return { ...person, answer, caller: await callerOf(answer.headers) };
  }
  return {
    invited,
    accept,
    joined,
    callerOf,
    signIn: (email: string, password = PASSWORD) =>
      core().call(signIn, { caller: anyone, body: { email, password } }),
  };
}
