import { actorOf, type Caller } from '@offizin/contracts/calls/caller';
import { appendEvents, type NewEvent } from '@offizin/events/outbox';
import type { Database } from '@offizin/pg/database';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { newRequestId } from '@offizin/runtime/request-id';
import { log } from '@offizin/runtime/log';
import { SCHEMA } from '../../db/schema';
import { type EventRow, requestEvent } from '../intake/order-requests.store';
import { expireOlderThan, expireRequest } from './clarification.store';
import type { LiveChanges } from './first-approvals';
import { expireLate } from '../intake/late-offers.store';

const PAUSE_MS = 60_000;
/** Lists count and filter by what is written. */
const OFFERS_PAUSE_MS = 1_000;
/** Keeps each statement short, with few row locks. */
const BATCH_ROWS = 200;
const ACTOR = 'service:order-core';

type Rings = Pick<LiveChanges, 'ring'>;

/** Expires undecided requests in the background, as `offerExpiry` open offers; replicas may run both concurrently. */
export function requestExpiry(database: Database, days: number): PeriodicWork {
  return new PeriodicWork('expire order requests', PAUSE_MS, () => expireOld(database, days));
}

export function offerExpiry(database: Database, changes: Rings): PeriodicWork {
  return new PeriodicWork('expire offers', OFFERS_PAUSE_MS, () => expireOffers(database, changes));
}

/** The requests wait for a decision as they were sent. Returns the number of expired offers. */
export async function expireOffers(database: Database, changes: Rings): Promise<number> {
  let total = 0;
  let expired: number;
  do {
    const rows = await database.transaction((tx) => expireLate(tx, BATCH_ROWS));
    for (const { org_id: orgId, id } of rows) changes.ring(orgId, id);
    expired = rows.length;
    total += expired;
  } while (expired === BATCH_ROWS);
  if (total > 0) log.info({ expired: total }, 'offers expired');
  return total;
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
