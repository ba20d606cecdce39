import type { Caller } from '@offizin/contracts/calls/caller';
import { Refused } from '@offizin/contracts/calls/errors';
import type { Database, Sql } from '@offizin/pg/database';
import { appendAudit } from '../../audit/audit.store';
import { assertCallerIsLive, assertConfirmed, callerNotLive } from '../../callers/live-caller.store';
import { needsSecondFactor } from './sign-in-step';
import { findPerson, lockPerson, type Person } from './staff.store';

/**
 * A change of the own second factor, after a recent confirmation. The person is locked, so that changes run one after the
 * other. `action` of the audit log is null for a first step that changes nothing yet.
 */
export async function changeOwnFactors<T>(
  database: Database,
  caller: Caller,
  action: string | null,
  work: (tx: Sql, person: Person) => Promise<T>,
): Promise<T> {
  const { orgId, actorId } = caller;
  return database.transaction(async (tx) => {
    const person = await lockPerson(tx, orgId, actorId);
    await assertCallerIsLive(tx, caller);
    await assertConfirmed(tx, caller);
    if (!person) throw callerNotLive(caller);
    const result = await work(tx, person);
    if (action !== null) await appendAudit(tx, caller, action, `staff:${actorId}`);
    return result;
  });
}

/** After a removal. Throws `Refused` (conflict). */
export async function requireFactorLeft(tx: Sql, person: Person): Promise<void> {
  const left = await findPerson(tx, person.org_id, person.id);
  if (left?.has_second_factor || !(await needsSecondFactor(tx, person))) return;
  throw new Refused('conflict', 'Your role needs a second factor: set up another one first.');
}
