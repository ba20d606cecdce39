import type { Caller } from '@offizin/contracts/calls/caller';
import { Refused } from '@offizin/contracts/calls/errors';
import { type Answer, ok } from '@offizin/contracts/calls/operation';
import type { SignInResponse, SignInStep } from '@offizin/contracts/people/sessions';
import type { Sql } from '@offizin/pg/database';
import { openSession, type SessionLimits } from './open-sessions';
import { secondFactorsOf } from './second-factor';
import { readSecondFactorRoles } from './second-factors.store';
import { beginSignIn } from './sign-ins.store';
import type { Person } from './staff.store';

/**
 * After the right password or link: a session, or what is still missing for one. The person must be active, and the
 * row locked.
 */
export async function sessionOrNextStep(
  tx: Sql,
  caller: Caller,
  person: Person,
  limits: SessionLimits,
): Promise<{ answer: Answer<SignInResponse>; isSignedIn: boolean }> {
  const methods = await secondFactorsOf(tx, person);
  const next = await missingStep(tx, person);
  if (next !== null) {
    const pending = await beginSignIn(tx, person);
    return { answer: ok({ session: null, next, methods, pending }), isSignedIn: false };
  }
  const { session, headers } = await openSession(tx, caller, person, { limits });
  return { answer: ok({ session, next, methods, pending: null }, headers), isSignedIn: true };
}

async function missingStep(tx: Sql, person: Person): Promise<SignInStep | null> {
  if (person.has_second_factor) return 'second_factor';
  return (await needsSecondFactor(tx, person)) ? 'set_up' : null;
}

export async function needsSecondFactor(
  sql: Sql,
  { org_id, role }: Pick<Person, 'org_id' | 'role'>,
): Promise<boolean> {
  return (await readSecondFactorRoles(sql, org_id)).includes(role);
}

/** Unknown, finished, or out of time. */
export function signInIsOver(): Refused {
  return new Refused('not_found', 'This sign-in is over: begin again with the password.');
}
