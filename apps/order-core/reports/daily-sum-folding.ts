import type { Database } from '@offizin/pg/database';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { nextBatchSize } from './batch-size';
import { clearFolded, foldDailySums, isWorthFolding } from './daily-sums.store';

const PAUSE_MS = 1_000;
const LARGEST_BATCH = 10_000;
/** A fold rewrites a row of gaps per organization, shop and day. So few deltas wait for more; a report adds them up. */
const FOLDED_FROM = 500;
const LONGEST_WAIT_MS = 30_000;

/** Folds the deltas of orders into the daily sums. Runs in every replica, one at a time. */
export function dailySumFolding(database: Database): PeriodicWork {
  let foldedAtMs = -Infinity;
  /** A slow disk may not fold the largest batch within a statement's timeout. */
  let size = LARGEST_BATCH;
  return new PeriodicWork('fold daily sums', PAUSE_MS, async () => {
    const isDue = performance.now() - foldedAtMs >= LONGEST_WAIT_MS;
    if (!isDue && !(await isWorthFolding(database, FOLDED_FROM))) return;
    let folded = 0;
    for (let isLeft = true; isLeft;) {
      const taken = await foldDailySums(database, size).catch((error: unknown) => {
        size = nextBatchSize(size, { largest: LARGEST_BATCH, failed: true });
        throw error;
      });
      folded += taken;
      isLeft = taken === size;
      size = nextBatchSize(size, { largest: LARGEST_BATCH, failed: false });
    }
    foldedAtMs = performance.now();
    if (folded >= FOLDED_FROM) await clearFolded(database);
  });
}
