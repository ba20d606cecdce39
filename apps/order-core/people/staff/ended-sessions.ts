import type { Database, Sql } from '@offizin/pg/database';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { forgetSignIns, forgetSignOns } from './sign-ins.store';
import { forgetChallenges } from './passkeys.store';
import { forgetLinks } from './links.store';
import { forgetFailures } from './lockout.store';
import { forgetSessions } from './sessions.store';

const PAUSE_MS = 10 * 60_000;
/** Keeps each statement short. */
const BATCH_ROWS = 500;

/** Deletes old sessions, sign-ins, links and counts of wrong passwords; replicas may run it concurrently. */
export function sessionForgetting(database: Database): PeriodicWork {
  return new PeriodicWork('forget sessions', PAUSE_MS, () => forgetEnded(database));
}

/** Returns the number of deleted rows. */
export async function forgetEnded(database: Database): Promise<number> {
  let total = 0;
  const everyKind = [
    forgetSessions,
    forgetSignIns,
    forgetSignOns,
    forgetChallenges,
    forgetLinks,
    forgetFailures,
  ];
  for (const forget of everyKind) total += await inBatches(database, forget);
  return total;
}

async function inBatches(sql: Sql, forget: (sql: Sql, limit: number) => Promise<number>): Promise<number> {
  let total = 0;
  let deleted: number;
  do {
    deleted = await forget(sql, BATCH_ROWS);
    total += deleted;
  } while (deleted === BATCH_ROWS);
  return total;
}
