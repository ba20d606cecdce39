import { type Sql, statement } from '@offizin/pg/database';
import type { AuditActor } from '../../audit/audit.store';
import type { OrderEntity } from '../../db/entities';
import type { PastOrder } from './imported-order';

/** Writes no event: what happened then sends none today. Leaves orders that are there already as they are. */
const insert = statement<
  Pick<OrderEntity, 'id'>,
  { orgId: string; orders: string; actor: string; auditActor: string; requestId: string }
>(
  'orders_import',
  `WITH given AS MATERIALIZED (
     SELECT * FROM jsonb_to_recordset($orders::jsonb) AS g(id uuid, shop_id uuid, external_id text, order_request_id uuid,
       status text, created_at timestamptz, updated_at timestamptz, fields jsonb, entries jsonb)
   ), written AS (
     INSERT INTO core.orders (id, org_id, shop_id, external_id, order_request_id, status, created_at, updated_at, sequence,
            is_test, unpaid_since, order_number, order_datetime, customer_name, customer_email, address_street, address_city,
            address_postal_code, address_phone, total_amount, total_is_given, payment_status, payment_reference,
            shipping_option, shipped, picked_up, cash_on_pickup, items)
     SELECT g.id, s.org_id, g.shop_id, g.external_id, g.order_request_id, g.status, g.created_at, g.updated_at,
            jsonb_array_length(g.entries), s.is_test,
            CASE WHEN g.status = 'awaiting_payment' AND g.order_request_id IS NOT NULL THEN g.updated_at END,
            f.order_number, f.order_datetime, f.customer_name, f.customer_email, f.address_street, f.address_city,
            f.address_postal_code, f.address_phone, f.total_amount, f.total_is_given, f.payment_status, f.payment_reference,
            f.shipping_option, f.shipped, f.picked_up, f.cash_on_pickup, f.items
     FROM given g JOIN core.shops s ON s.id = g.shop_id AND s.org_id = $orgId,
          LATERAL jsonb_populate_record(NULL::core.orders, g.fields) f
     ORDER BY g.shop_id, g.external_id
     ON CONFLICT ON CONSTRAINT orders_shop_external DO NOTHING
     RETURNING id
   ), history AS (
     INSERT INTO core.order_history (order_id, sequence, at, actor, action, fields)
     SELECT g.id, e.sequence, e.at, $actor, e.action, e.fields
     FROM written JOIN given g ON g.id = written.id,
          LATERAL jsonb_to_recordset(g.entries) AS e(sequence int, at timestamptz, action text, fields jsonb)
   ), audit AS (
     INSERT INTO core.audit_log (org_id, actor, action, object, request_id)
     SELECT $orgId, $auditActor, 'order.import', 'order:' || id, $requestId FROM written
   )
   SELECT id FROM written`,
);

/** Returns the ids of the orders that were new. `actor` is the one of the history. */
export async function insertPastOrders(
  tx: Sql,
  orgId: string,
  orders: readonly PastOrder[],
  by: { actor: string; audit: AuditActor },
): Promise<string[]> {
  if (orders.length === 0) return [];
  const { actor: auditActor, requestId } = by.audit;
  const given = { orgId, orders: JSON.stringify(orders), actor: by.actor, auditActor, requestId };
  const rows = await tx.rows(insert, given);
  return rows.map(({ id }) => id);
}
