import type { Database } from '@offizin/pg/database';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { clearFolded, foldDailySums, isWorthFolding } from './daily-sums.store';

const PAUSE_MS = 1_000;
const BATCH_DELTAS = 10_000;
/** A fold rewrites a row of gaps per organization, shop and day. So few deltas wait for more; a report adds them up. */
const FOLDED_FROM = 500;
const LONGEST_WAIT_MS = 30_000;

/** Folds the deltas of orders into the daily sums. Runs in every replica, one at a time. */
export function dailySumFolding(database: Database): PeriodicWork {
  let foldedAtMs = -Infinity;
  return new PeriodicWork('fold daily sums', PAUSE_MS, async () => {
    const isDue = performance.now() - foldedAtMs >= LONGEST_WAIT_MS;
    if (!isDue && !(await isWorthFolding(database, FOLDED_FROM))) return;
    foldedAtMs = performance.now();
    let folded = 0;
    for (let taken = BATCH_DELTAS; taken === BATCH_DELTAS; folded += taken) {
      taken = await foldDailySums(database, BATCH_DELTAS);
    }
    if (folded >= FOLDED_FROM) await clearFolded(database);
  });
}
