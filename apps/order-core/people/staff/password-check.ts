import type { Caller } from '@offizin/contracts/calls/caller';
import { Refused } from '@offizin/contracts/calls/errors';
import type { Database } from '@offizin/pg/database';
import { appendAudit } from '../../audit/audit.store';
import { assertNotLocked, countWrongPassword } from './lockout.store';
import { inPasswordSlot, passwordMatches } from './password';
import { findPersonByEmail, type Person } from './staff.store';

const WRONG = 'E-mail or password is wrong.';

/**
 * The active person of this e-mail and password. Unknown, switched-off and wrong cost the same, count the same and
 * answer the same; only failures of known people are audited. Lock and password are read in the slot, so that attempts
 * that waited for it see the lock. `countedFor`: whose failures count together. Throws `Refused` (unauthorized, rate_limited).
 */
export async function personByPassword(
  database: Database,
  caller: Caller,
  { email, password, countedFor = email }: { email: string; password: string; countedFor?: string },
): Promise<Person & { password_hash: string }> {
  return inPasswordSlot(async () => {
    await assertNotLocked(database, countedFor);
    const person = await findPersonByEmail(database, email);
    const matches = await passwordMatches(person?.password_hash ?? null, password);
    if (matches && person?.is_active && person.password_hash !== null) {
      return { ...person, password_hash: person.password_hash };
    }
    await database.transaction(async (tx) => {
      const locks = await countWrongPassword(tx, countedFor);
      if (!person) return;
      const entry = { orgId: person.org_id, object: `staff:${person.id}` };
      await appendAudit(tx, caller, { ...entry, action: 'session.refuse' });
      if (locks) await appendAudit(tx, caller, { ...entry, action: 'session.lock' });
    });
    throw new Refused('unauthorized', WRONG);
  });
}
