import type { OrderLot } from '@offizin/contracts/orders/lots';
import type { OutboxEvent } from '@offizin/contracts/webhooks/events';
import type { Sql } from '@offizin/pg/database';
import { rowOf, valueOf } from '@offizin/pg/queries';
import type { OrderEntity } from '../../db/entities';
import { lotsText } from '../orders/order-lots';

/**
 * In a statement after the lock of the order: one that waited for the lock has the lots of before it, because a function reads
 * by the snapshot of its statement.
 */
export const lotsOfOrder = valueOf<OrderLot[] | null, [orderId: string]>(
  'order_lots_read',
  `SELECT core.lots_of($1::uuid) AS lots`,
  null,
);

interface Written extends Pick<OrderEntity, 'sequence'> {
  topic: OutboxEvent['topic'];
}

/**
 * The next version of the order, its lots and its entry in the history. Rows of before have an earlier sequence, so no keys
 * collide. A lot keeps whether its customer was informed.
 */
const write = rowOf<Written, { orderId: string; lots: string; text: string | null; actor: string }>(
  'order_lots_write',
  `WITH written AS (
     UPDATE core.orders SET has_lots = $lots::jsonb <> '[]', sequence = sequence + 1, updated_at = now()
     WHERE id = $orderId RETURNING id, org_id, sequence, core.order_topic(is_test, order_request_id, stock_claim_id) AS topic
   ), replaced AS (
     DELETE FROM core.order_lots WHERE order_id = $orderId
   ), lots AS (
     INSERT INTO core.order_lots (order_id, sequence, number, org_id, line, p1_id, name, lot, expires_on, test_number, quantity,
       told_at)
     SELECT w.id, w.sequence, l.number, w.org_id, l.line, l.p1_id, l.name, l.lot, l.expires_on, l.test_number, l.quantity,
       (SELECT min(b.told_at) FROM core.order_lots b
        WHERE b.order_id = w.id AND b.lot = l.lot AND b.p1_id IS NOT DISTINCT FROM l.p1_id)
     FROM written w, jsonb_to_recordset($lots::jsonb) AS l (number integer, line integer, p1_id text, name text, lot text,
       expires_on date, test_number text, quantity integer)
   ), history AS (
     INSERT INTO core.order_history (order_id, sequence, actor, action, fields)
     SELECT id, sequence, $actor, 'updated', jsonb_build_object('lots', $text::text) FROM written
   )
   SELECT sequence, topic FROM written`,
);

/** The order must be locked before (lockOrder). Returns the new version, and the topic of its event. */
export async function writeLots(
  tx: Sql,
  orderId: string,
  lots: readonly OrderLot[],
  actor: string,
): Promise<Written> {
  const rows = lots.map((lot, index) => ({ ...lot, number: index + 1 }));
  const written = await write(tx, { orderId, lots: JSON.stringify(rows), text: lotsText(lots), actor });
  if (!written) throw new Error('the locked order is gone');
  return written;
}
