import { appendEvents } from '@offizin/events/outbox';
import type { Database } from '@offizin/pg/database';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { newRequestId } from '@offizin/runtime/request-id';
import { log } from '@offizin/runtime/log';
import { SCHEMA } from '../../db/schema';
import { requestEvent } from '../intake/order-requests.store';
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
    expired = await database.transaction(async (tx) => {
      const rows = await expireOlderThan(tx, { days }, BATCH_ROWS, by);
      if (rows.length > 0)
        await appendEvents(
          tx,
          SCHEMA,
          rows.map((row) => requestEvent(row, EXPIRED, { status: 'expired' })),
        );
      return rows.length;
    });
    total += expired;
  } while (expired === BATCH_ROWS);
  if (total > 0) log.info({ expired: total }, 'order requests expired');
  return total;
}

const EXPIRED = {
  eventType: 'order_request_expired',
  title: 'Order request expired',
  description: 'An order request expired before it was decided.',
} as const;
