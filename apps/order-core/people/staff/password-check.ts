import type { Caller } from '@offizin/contracts/calls/caller';
import { Refused } from '@offizin/contracts/calls/errors';
import type { Database } from '@offizin/pg/database';
import { appendAudit } from '../../audit/audit.store';
import { assertNotLocked, countWrongPassword } from './lockout.store';
import { inPasswordSlot, passwordMatches } from './password';
import { peopleByEmail, type Person } from './staff.store';

const WRONG = 'E-mail or password is wrong.';

interface Given {
  email: string;
  password: string;
  /** Whose failures count together; by default those of the e-mail. */
  countedFor?: string;
  /** Of this organization only. */
  orgId?: string;
}

/**
 * The active person of this e-mail and password; with one password in several organizations, the person seen last.
 * Unknown, switched-off and wrong cost the same, count the same and answer the same; only failures of known people are
 * audited, where the person was seen last. Lock and password are read in the slot, so that attempts that waited for it see
 * the lock. Throws `Refused` (unauthorized, rate_limited).
 */
export async function personByPassword(
  database: Database,
  caller: Caller,
  { email, password, countedFor = email, orgId }: Given,
): Promise<Person & { password_hash: string }> {
  return inPasswordSlot(async () => {
    await assertNotLocked(database, countedFor);
    const people = await peopleByEmail(database, email, orgId);
    const matching: (Person & { password_hash: string })[] = [];
    const joined = people.filter((one) => one.password_hash !== null);
    for (const one of joined.length > 0 ? joined : [null]) {
      const stored = one?.password_hash ?? null;
      const matches = await passwordMatches(stored, password);
      if (matches && one?.is_active && stored !== null) matching.push({ ...one, password_hash: stored });
    }
    const [person] = matching.sort(bySeenLast);
    if (person) return person;
    // Audited in one organization: another one that invited the e-mail must not see where else the person signs in.
    const [refused] = (joined.length > 0 ? joined : people).sort(bySeenLast);
    await database.transaction(async (tx) => {
      const locks = await countWrongPassword(tx, countedFor);
      if (!refused) return;
      const { org_id: orgId, id } = refused;
      const there = { ...caller, orgId };
      await appendAudit(tx, there, 'session.refuse', `staff:${id}`);
      if (locks) await appendAudit(tx, there, 'session.lock', `staff:${id}`);
    });
    throw new Refused('unauthorized', WRONG);
  });
}

function bySeenLast(one: Person, other: Person): number {
  return seenMs(other) - seenMs(one);
}

function seenMs({ last_seen_at: seen, created_at: made }: Person): number {
  return (seen ?? made).getTime();
}
