import type { OutboxEvent } from '@offizin/contracts/webhooks/events';
import type { Sql } from '@offizin/pg/database';
import { rowOf } from '@offizin/pg/queries';
import type { OrderEntity } from '../../db/entities';
import { parcelsText, type StoredParcel } from './parcel';

/** The locked order of a change of its parcels. */
export type LockedOrder = Pick<
  OrderEntity,
  | 'id'
  | 'shop_id'
  | 'external_id'
  | 'status'
  | 'order_request_id'
  | 'stock_claim_id'
  | 'is_test'
  | 'erased_at'
  | 'integration_id'
> & {
  parcels: StoredParcel[];
  topic: OutboxEvent['topic'];
  /** The time of the transaction, as `core.iso` writes it. */
  now: string;
};

/** Changes of one order, and its erasure, run one after the other. */
export const lockParcels = rowOf<LockedOrder, [orgId: string, orderId: string]>(
  'order_parcels_lock',
  `SELECT o.id, o.shop_id, o.external_id, o.status, o.order_request_id, o.stock_claim_id, o.is_test, o.erased_at, o.integration_id, o.parcels,
          core.iso(now()) AS now, core.order_topic(o.is_test, o.order_request_id, o.stock_claim_id) AS topic
   FROM core.orders o WHERE o.org_id = $1 AND o.id = $2 FOR UPDATE OF o`,
);

/** The next version of the order and its entry in the history. */
const write = rowOf<
  Pick<OrderEntity, 'sequence'>,
  { orderId: string; parcels: string; text: string | null; actor: string }
>(
  'order_parcels_write',
  `WITH written AS (
     UPDATE core.orders SET parcels = $parcels::jsonb, sequence = sequence + 1, updated_at = now()
     WHERE id = $orderId RETURNING id, sequence
   ), history AS (
     INSERT INTO core.order_history (order_id, sequence, actor, action, fields)
     SELECT id, sequence, $actor, 'updated', jsonb_build_object('parcels', $text::text) FROM written
   )
   SELECT sequence FROM written`,
);

/** The row must be locked before (lockParcels). Returns the new version. */
export async function writeParcels(
  tx: Sql,
  orderId: string,
  parcels: readonly StoredParcel[],
  actor: string,
): Promise<number> {
  const given = { orderId, parcels: JSON.stringify(parcels), text: parcelsText(parcels), actor };
  const row = await write(tx, given);
  if (!row) throw new Error('the locked order is gone');
  return row.sequence;
}
