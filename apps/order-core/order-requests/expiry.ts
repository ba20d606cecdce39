import type { Database } from '@offizin/pg/database';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { newRequestId } from '@offizin/runtime/request-id';
import { log } from '@offizin/runtime/log';
import { expireOlderThan } from './clarification.store';

const PAUSE_MS = 60_000;
/** Keeps each statement short, with few row locks. */
const BATCH_ROWS = 200;
const ACTOR = 'service:order-core';

/** Expires undecided requests in the background; replicas may run it concurrently. */
export function requestExpiry(database: Database, days: number): PeriodicWork {
  return new PeriodicWork('expire order requests', PAUSE_MS, () => expireOld(database, days));
}

/** Returns the number of expired requests. */
export async function expireOld(database: Database, days: number): Promise<number> {
  let total = 0;
  let expired: number;
  do {
    const by = { actor: ACTOR, requestId: newRequestId() };
    expired = await expireOlderThan(database, { days }, BATCH_ROWS, by);
    total += expired;
  } while (expired === BATCH_ROWS);
  if (total > 0) log.info({ expired: total }, 'order requests expired');
  return total;
}
