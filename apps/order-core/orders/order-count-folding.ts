import type { Database } from '@offizin/pg/database';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { foldCounts } from './order-counts.store';

/** Totals are exact whatever the pause; a short one keeps few deltas open, which every list adds up. */
const PAUSE_MS = 1_000;
const BATCH_DELTAS = 10_000;

/** Folds what changed in the number of orders into the counters, in every replica; one at a time does it. */
export function orderCountFolding(database: Database): PeriodicWork {
  return new PeriodicWork('fold order counts', PAUSE_MS, async () => {
    while ((await foldCounts(database, BATCH_DELTAS)) === BATCH_DELTAS);
  });
}
