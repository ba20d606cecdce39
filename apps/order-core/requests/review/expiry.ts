import { actorOf, type Caller } from '@offizin/contracts/calls/caller';
import { appendEvents, type NewEvent } from '@offizin/events/outbox';
import type { Database } from '@offizin/pg/database';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { newRequestId } from '@offizin/runtime/request-id';
import { log } from '@offizin/runtime/log';
import { SCHEMA } from '../../db/schema';
import { type EventRow, requestEvent } from '../intake/order-requests.store';
import { expireOlderThan, expireRequest } from './clarification.store';

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
      await appendEvents(tx, SCHEMA, rows.map(expiredEvent));
      return rows.length;
    });
    total += expired;
  } while (expired === BATCH_ROWS);
  if (total > 0) log.info({ expired: total }, 'order requests expired');
  return total;
}

/** Before its time, for a test shop. Does nothing to a decided request, and to one that has another version. */
export async function expireNow(
  database: Database,
  caller: Caller,
  request: { id: string; version: number },
): Promise<void> {
  const by = { actor: actorOf(caller), requestId: caller.requestId };
  await database.transaction(async (tx) => {
    const rows = await expireRequest(tx, caller.orgId, request, by);
    await appendEvents(tx, SCHEMA, rows.map(expiredEvent));
  });
}

const expiredEvent = (row: EventRow): NewEvent => requestEvent(row, EXPIRED, { status: 'expired' });

const EXPIRED = {
  eventType: 'order_request_expired',
  title: 'Order request expired',
  description: 'An order request expired before it was decided.',
} as const;
