import type { Database } from '@offizin/pg/database';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { clearFolded, foldCounts } from './counts.store';

/** Totals are always exact; a short pause keeps few open deltas for lists to add up. */
const PAUSE_MS = 1_000;
const BATCH_DELTAS = 10_000;
/** Lists scan past folded deltas until a vacuum (decision 0017). */
const CLEARED_FROM = 500;

/** Folds the deltas of counted rows into the counters. Runs in every replica, one at a time. */
export function countFolding(database: Database): PeriodicWork {
  let folded = 0;
  return new PeriodicWork('fold row counts', PAUSE_MS, async () => {
    for (let taken = BATCH_DELTAS; taken === BATCH_DELTAS; folded += taken) {
      taken = await foldCounts(database, BATCH_DELTAS);
    }
    if (folded < CLEARED_FROM) return;
    await clearFolded(database);
    folded = 0;
  });
}
