import { setTimeout } from 'node:timers/promises';
import { EVENT_RETENTION_DAYS } from '@offizin/contracts/webhooks/webhooks';
import { type Database, type Sql, statement } from '@offizin/pg/database';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { cancelPendingOfInactive } from '../deliveries/switch-off.store';

const PAUSE_MS = 60_000;
/** Small batches with pauses, so that deliveries are not delayed. */
const BATCH_ROWS = 500;
const BATCH_PAUSE_MS = 50;

/** Deletes expired rows and cancels deliveries left pending by an interrupted switch-off. Safe in several replicas. */
export function retention(database: Database): PeriodicWork {
  return new PeriodicWork('delete old deliveries', PAUSE_MS, async (isStopped) => {
    await cancelPendingOfInactive(database);
    while (!isStopped() && (await deleteOldRows(database, BATCH_ROWS)) === BATCH_ROWS) {
      await setTimeout(BATCH_PAUSE_MS);
    }
  });
}

/**
 * Longer than deliveries: an event recovered on the last day has about three days of retries ahead, and a delivery
 * cannot be sent without its event.
 */
const EVENT_KEPT_DAYS = EVENT_RETENTION_DAYS + 5;

/** The smallest UUID v7 of that many days ago: ids rise with time, so the primary key serves as the time index. */
function bound(days: number): string {
  const millis = `(extract(epoch FROM now() - make_interval(days => ${days})) * 1000)::bigint`;
  return `rpad(lpad(to_hex(${millis}), 12, '0'), 32, '0')::uuid`;
}

interface Deleted {
  count: number;
}

const deliveriesSql = statement<Deleted, [number]>(
  'retention_deliveries',
  // A pending delivery stays as long as its event is stored.
  `WITH old AS MATERIALIZED (
     SELECT id FROM webhooks.deliveries
     WHERE id < ${bound(EVENT_RETENTION_DAYS)} AND (status <> 'pending' OR id < ${bound(EVENT_KEPT_DAYS)})
     ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
   ), attempts AS (
     DELETE FROM webhooks.attempts WHERE delivery_id IN (SELECT id FROM old)
   ), deliveries AS (
     DELETE FROM webhooks.deliveries WHERE id IN (SELECT id FROM old)
   )
   SELECT count(*)::int AS count FROM old`,
);

const eventsSql = statement<Deleted, [number]>(
  'retention_events',
  `WITH old AS MATERIALIZED (
     SELECT id FROM webhooks.events WHERE id < ${bound(EVENT_KEPT_DAYS)}
     ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
   ), events AS (
     DELETE FROM webhooks.events WHERE id IN (SELECT id FROM old)
   )
   SELECT count(*)::int AS count FROM old`,
);

const subscriptionsSql = statement<Deleted, [number]>(
  'retention_subscriptions',
  `WITH old AS MATERIALIZED (
     SELECT id FROM webhooks.subscriptions s
     WHERE deleted_at < now() - make_interval(days => ${EVENT_KEPT_DAYS})
       AND NOT EXISTS (SELECT FROM webhooks.deliveries d WHERE d.subscription_id = s.id)
     LIMIT $1 FOR UPDATE SKIP LOCKED
   ), subscriptions AS (
     DELETE FROM webhooks.subscriptions WHERE id IN (SELECT id FROM old)
   )
   SELECT count(*)::int AS count FROM old`,
);

/** Deletes at most `limit` old rows of each kind; returns the largest number deleted of one kind. */
export async function deleteOldRows(sql: Sql, limit: number): Promise<number> {
  let largest = 0;
  for (const deletion of [deliveriesSql, eventsSql, subscriptionsSql]) {
    const [row] = await sql.rows(deletion, limit);
    largest = Math.max(largest, row?.count ?? 0);
  }
  return largest;
}
