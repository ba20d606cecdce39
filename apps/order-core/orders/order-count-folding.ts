import type { Database } from '@offizin/pg/database';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { clearFolded, foldCounts } from './order-counts.store';

/** Totals are exact whatever the pause; a short one keeps few deltas open, which every list adds up. */
const PAUSE_MS = 1_000;
const BATCH_DELTAS = 10_000;
/** A list walks past what is folded and still lies there: 5,000 rows take 80 µs, all else of a page as much. */
const CLEARED_FROM = 500;

/** Folds what changed in the number of orders into the counters, in every replica; one at a time does it. */
export function orderCountFolding(database: Database): PeriodicWork {
  let folded = 0;
  return new PeriodicWork('fold order counts', PAUSE_MS, async () => {
    for (let taken = BATCH_DELTAS; taken === BATCH_DELTAS; folded += taken) {
      taken = await foldCounts(database, BATCH_DELTAS);
    }
    if (folded < CLEARED_FROM) return;
    await clearFolded(database);
    folded = 0;
  });
}
