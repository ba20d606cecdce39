import { Refused } from '@offizin/contracts/calls/errors';
import { type Sql, statement } from '@offizin/pg/database';
import type { StaffLockoutEntity } from '../../db/people-entities';
import { hashToken } from './session-token';

/** Wrong passwords and codes in a row. See docs/contract.md#people */
export const MAX_FAILURES = 10;
export const LOCK_MINUTES = 15;

const findLock = statement<{ seconds: number }, [string]>(
  'lockout_find',
  `SELECT ceil(extract(epoch FROM locked_until - now()))::integer AS seconds FROM core.staff_lockouts
   WHERE email_hash = $1 AND locked_until > now()`,
);
const holdLock = statement<Pick<StaffLockoutEntity, 'email_hash'>, [string]>(
  'lockout_hold',
  `SELECT email_hash FROM core.staff_lockouts WHERE email_hash = $1 FOR UPDATE`,
);
/**
 * Where several organizations have the e-mail, the password of one must not lift the lock before those of the others.
 */
const clear = statement<never, [string, string]>(
  'lockout_clear',
  `DELETE FROM core.staff_lockouts WHERE email_hash = $1 AND (SELECT count(*) FROM core.staff WHERE email = $2) < 2`,
);
/** Changes nothing while the e-mail is locked; a failure after a lock is the first one again. */
const countFailure = statement<{ is_locked: boolean }, [string]>(
  'lockout_count',
  `INSERT INTO core.staff_lockouts AS l (email_hash, failures) VALUES ($1, 1)
   ON CONFLICT (email_hash) DO UPDATE SET failed_at = now(),
     failures = CASE WHEN l.locked_until IS NULL THEN l.failures + 1 ELSE 1 END,
     locked_until = CASE WHEN l.locked_until IS NULL AND l.failures + 1 >= ${MAX_FAILURES}
                      THEN now() + make_interval(mins => ${LOCK_MINUTES}) END
   WHERE l.locked_until IS NULL OR l.locked_until <= now()
   RETURNING locked_until IS NOT NULL AS is_locked`,
);

/** Throws `Refused` (rate_limited) with the time that is left. */
export async function assertNotLocked(sql: Sql, email: string): Promise<void> {
  const [lock] = await sql.rows(findLock, hashToken(email));
  if (lock) throw locked(lock.seconds);
}

/**
 * In the transaction of the sign-in, after the person is locked: a lock that came while the password was being checked
 * holds. Throws `Refused` (rate_limited).
 */
export async function assertStillNotLocked(tx: Sql, email: string): Promise<void> {
  await tx.rows(holdLock, hashToken(email));
  await assertNotLocked(tx, email);
}

/** As `assertStillNotLocked`; then the count begins again. */
export async function clearFailures(tx: Sql, email: string): Promise<void> {
  await assertStillNotLocked(tx, email);
  await tx.rows(clear, hashToken(email), email);
}

/** By a link, which is proof enough also while the e-mail is locked, or after the last step of a sign-in. */
export async function liftLock(tx: Sql, email: string): Promise<void> {
  await tx.rows(clear, hashToken(email), email);
}

/** Whether this failure locks the e-mail. Throws `Refused` (rate_limited) when it is locked already. */
export async function countWrongPassword(tx: Sql, email: string): Promise<boolean> {
  const [counted] = await tx.rows(countFailure, hashToken(email));
  if (counted) return counted.is_locked;
  throw locked(LOCK_MINUTES * 60);
}

function locked(seconds: number): Refused {
  const message = `Too many wrong passwords or codes: wait ${Math.ceil(seconds / 60)} minutes, or use a reset link.`;
  return new Refused('rate_limited', message, undefined, { 'retry-after': String(Math.max(1, seconds)) });
}
