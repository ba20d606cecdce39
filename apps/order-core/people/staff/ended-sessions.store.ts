import { DAY_CHECK_DAYS } from '@offizin/contracts/requests/day';
import type { Database } from '@offizin/pg/database';
import { countOf } from '@offizin/pg/queries';
import { PeriodicWork } from '@offizin/runtime/periodic-work';

const PAUSE_MS = 10 * 60_000;
/** Keeps each statement short. */
const BATCH_ROWS = 500;
/** How long a session that ended stays in the table. */
const ENDED_SESSION_DAYS = 30;
/** Wrong passwords are forgotten after this; longer than a lock. */
const FAILURE_HOURS = 24;

/** Table and key, and which of its rows are over. */
const OVER = [
  [
    'staff_sessions',
    'id',
    `least(ended_at, ends_at, last_used_at + make_interval(secs => idle_seconds))
       < now() - make_interval(days => ${ENDED_SESSION_DAYS})`,
  ],
  ['staff_sign_ins', 'hash', 'expires_at < now()'],
  ['staff_sign_ons', 'hash', 'expires_at < now()'],
  ['staff_challenges', 'owner, purpose', 'expires_at < now()'],
  ['staff_links', 'staff_id', 'expires_at < now()'],
  ['day_checks', 'order_request_id', `checked_at < now() - make_interval(days => ${DAY_CHECK_DAYS})`],
  ['staff_lockouts', 'email_hash', `failed_at < now() - make_interval(hours => ${FAILURE_HOURS})`],
] as const;

const forgetting = OVER.map(([table, key, isOver]) =>
  countOf<[limit: number]>(
    `${table}_forget`,
    `DELETE FROM core.${table} WHERE (${key}) IN (SELECT ${key} FROM core.${table} WHERE ${isOver} LIMIT $1)
     RETURNING true`,
  ),
);

/**
 * Deletes old sessions, sign-ins, links, counts of wrong passwords, and ticks of the day's check; replicas may run it
 * concurrently.
 */
export function sessionForgetting(database: Database): PeriodicWork {
  return new PeriodicWork('forget sessions', PAUSE_MS, () => forgetEnded(database));
}

/** Returns the number of deleted rows. */
export async function forgetEnded(database: Database): Promise<number> {
  let total = 0;
  for (const forget of forgetting) {
    let deleted: number;
    do {
      deleted = await forget(database, BATCH_ROWS);
      total += deleted;
    } while (deleted === BATCH_ROWS);
  }
  return total;
}
