import type { OutboxEvent } from '@offizin/contracts/events';
import { type Sql, statement } from '@offizin/pg/database';
import { SCHEMA } from '../db/schema';
import type { OrderMove } from './order-event';

/** One mutex per order, as lockOrder, taken in one order. A separate statement: the next one must see what this one waited for. */
const lockOrders = statement<never, [string[]]>(
  'confirmations_lock_orders',
  `SELECT pg_advisory_xact_lock(key)
   FROM (SELECT DISTINCT hashtextextended(id, 0) AS key FROM unnest($1::text[]) id ORDER BY key) orders`,
);

/** Confirms plain holds: not of a claim that replaces another, and of an order that no earlier event has ended. */
const confirmHolds = statement<{ event_id: string }, [string[], number[], string[], (string | null)[]]>(
  'confirmations',
  `WITH found AS MATERIALIZED (
     -- By id alone: the index of held reservations is full of dead rows.
     SELECT r.order_request_id, r.state, r.replaces, r.order_id AS order_before, g.event_id, g.sequence, g.order_id
     FROM unnest($1::uuid[], $2::int[], $3::uuid[], $4::uuid[]) AS g (event_id, sequence, order_id, request_id)
       JOIN ${SCHEMA}.reservations r ON r.order_request_id = g.request_id
     ORDER BY r.order_request_id
     FOR NO KEY UPDATE OF r
   ), held AS (
     SELECT order_request_id, event_id, sequence, order_id FROM found f
     WHERE state = 'held' AND replaces IS NULL AND order_before IS NULL
       AND NOT EXISTS (SELECT FROM ${SCHEMA}.inbox i WHERE i.event_id = f.event_id)
       AND NOT EXISTS (SELECT FROM ${SCHEMA}.inbox i WHERE i.order_id = f.order_id)
   ), entered AS (
     INSERT INTO ${SCHEMA}.inbox (event_id, sequence) SELECT event_id, sequence FROM held ORDER BY event_id
     ON CONFLICT (event_id) DO NOTHING
   ), confirmed AS (
     UPDATE ${SCHEMA}.reservations r SET state = 'confirmed', order_id = h.order_id, updated_at = clock_timestamp()
     FROM held h WHERE r.order_request_id = h.order_request_id
   )
   SELECT DISTINCT event_id FROM held`,
);

/** The ids of the events that were applied; the others are left as they were. */
export async function confirmTogether(
  tx: Sql,
  confirmations: readonly { event: OutboxEvent; order: OrderMove }[],
): Promise<Set<string>> {
  const orderIds = confirmations.map(({ order }) => order.orderId);
  await tx.rows(lockOrders, orderIds);
  const rows = await tx.rows(
    confirmHolds,
    confirmations.map(({ event }) => event.id),
    confirmations.map(({ event }) => event.sequence),
    orderIds,
    confirmations.map(({ order }) => order.orderRequestId),
  );
  return new Set(rows.map((row) => row.event_id));
}
