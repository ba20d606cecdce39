import { type Sql, statement } from '@offizin/pg/database';
import type { OrderEntity } from '../../db/entities';
import type { OrderRequestEntity } from '../../db/request-entities';
import { DEFAULT_WORKFLOW } from '../../orders/orders/order-status';

export interface DueRequest extends Pick<
  OrderRequestEntity,
  'id' | 'org_id' | 'version' | 'external_reference'
> {
  decision: 'approve' | 'correct' | 'reject' | 'ask' | 'offer' | 'expire';
}

/**
 * A request that was asked about once is approved with its answer, and one that had an offer as it is then; an erased one
 * takes neither. Each organization has its turn: what cannot be decided stays the oldest.
 */
const due = statement<DueRequest, [number, number]>(
  'order_request_test_due',
  `SELECT r.id, r.org_id, r.version, r.external_reference,
          CASE WHEN r.external_reference LIKE 'reject-%' THEN 'reject'
               WHEN r.external_reference LIKE 'correct-%' THEN 'correct'
               WHEN r.external_reference LIKE 'expire-%' THEN 'expire'
               WHEN r.external_reference ~ '^(ask|offer)-' AND r.erased_at IS NOT NULL THEN 'reject'
               WHEN r.external_reference LIKE 'ask-%' AND NOT EXISTS (SELECT FROM core.order_request_versions v
                 WHERE v.order_request_id = r.id AND v.question IS NOT NULL) THEN 'ask'
               WHEN r.external_reference LIKE 'offer-%' AND r.offer_state IS NULL THEN 'offer'
               ELSE 'approve' END AS decision
   FROM core.order_requests r
   WHERE r.is_test AND r.status = 'pending' AND r.external_reference ~ '^(approve|correct|reject|ask|offer|expire|ship)-'
     AND r.updated_at <= now() - make_interval(secs => $1)
   ORDER BY row_number() OVER (PARTITION BY r.org_id ORDER BY r.updated_at), r.updated_at LIMIT $2`,
);

/** Pending requests of test shops that have waited this long, oldest first. */
export function dueRequests(sql: Sql, waitSeconds: number, limit: number): Promise<DueRequest[]> {
  return sql.rows(due, waitSeconds, limit);
}

export interface DueOrder extends Pick<OrderEntity, 'id' | 'org_id' | 'sequence' | 'shipping_option'> {
  next: 'awaiting_packing' | 'ready_pickup' | 'shipped' | 'completed';
}

/** An order that is not complete by then stays as it is. It bounds what each run reads. */
const MOVED_HOURS = 1;

/** An order is first paid. Where the workflow refuses the next status, it stops. */
const dueToMove = statement<DueOrder, [number, number, string]>(
  'order_test_due',
  `SELECT o.id, o.org_id, o.sequence, o.shipping_option, m.next
   FROM core.orders o JOIN core.order_requests r ON r.id = o.order_request_id JOIN core.organizations g ON g.id = o.org_id,
     LATERAL (SELECT CASE
       WHEN o.status IN ('pending', 'awaiting_payment') THEN 'awaiting_packing'
       WHEN o.status = 'awaiting_packing' AND o.payment_status IN ('pending', 'cash_on_pickup') THEN 'awaiting_packing'
       WHEN o.status = 'awaiting_packing' AND coalesce(o.shipping_option, 'Abholung') = 'Abholung' THEN 'ready_pickup'
       WHEN o.status = 'awaiting_packing' THEN 'shipped'
       WHEN o.status IN ('ready_pickup', 'shipped', 'picked_up') THEN 'completed' END AS next) m
   WHERE o.is_test AND o.erased_at IS NULL AND r.external_reference LIKE 'ship-%'
     AND o.created_at > now() - make_interval(hours => ${MOVED_HOURS})
     AND o.updated_at <= now() - make_interval(secs => $1)
     AND (m.next = o.status OR coalesce(g.workflow, $3::jsonb) -> o.status ? m.next)
   ORDER BY row_number() OVER (PARTITION BY o.org_id ORDER BY o.updated_at), o.updated_at LIMIT $2`,
);
const DEFAULT_TEXT = JSON.stringify(DEFAULT_WORKFLOW);

/** Orders from such requests that have had their status this long, with the one that follows. */
export function dueOrders(sql: Sql, waitSeconds: number, limit: number): Promise<DueOrder[]> {
  return sql.rows(dueToMove, waitSeconds, limit, DEFAULT_TEXT);
}
