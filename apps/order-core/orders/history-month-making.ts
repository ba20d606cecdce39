import { BACKGROUND_TRANSACTION_MS, type Database } from '@offizin/pg/database';
import { log } from '@offizin/runtime/log';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { makeMissingMonths } from './history-months.store';

const PAUSE_MS = 60_000;

/** Makes partitions of the order history ahead of time; replicas may run it concurrently. */
export function historyMonthMaking(database: Database): PeriodicWork {
  return new PeriodicWork('make months of the order history', PAUSE_MS, () =>
    makeHistoryMonths(database, new Date()),
  );
}

/** Resolves with the names of the partitions that were made. */
export async function makeHistoryMonths(database: Database, now: Date): Promise<string[]> {
  const made = await database.transaction((tx) => makeMissingMonths(tx, now), BACKGROUND_TRANSACTION_MS);
  if (made.length > 0) log.info({ partitions: made }, 'months of the order history made');
  return made;
}
