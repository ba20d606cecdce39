import { type Sql, statement } from '@offizin/pg/database';
import { columnsOf, type ColumnsOf, isHitOf } from '@offizin/pg/queries';
import { isLiveSql } from '../../callers/live-caller.store';
import type { OrderRequestEntity } from '../../db/request-entities';
import { ORDER_COLUMNS, type OrderRow } from '../../orders/orders/order-row';
import { senderOf } from '../intake/integrations.store';
import type { HeldStock } from '../../orders/stock/stock-lines';
import type { GivenRow } from '../shared-writes/shared-writes';
import type { ApprovedOrder } from '../intake/approved-order';

/** An approval whose stock is held under `attempt`. */
export interface Approval {
  /** Of the order request. */
  id: string;
  orderId: string;
  /** What the decision was made on; an approval of anything else is not written. */
  version: number;
  attempt: number;
  lines: Buffer | null;
  status: ApprovedOrder['status'];
  fields: ApprovedOrder['fields'];
  decidedBy: string;
  /** The second of two: the first one stays with the request. Any other approval does not need one. */
  isSecond: boolean;
  /** Of the order. */
  stock: HeldStock;
  /** What staff adds to its decision, and what the sender reads of it, encrypted. */
  corrections: Buffer | null;
  override: Buffer | null;
  answer: Buffer;
}

/** The order, and what its request's event says. */
export type ApprovedRow = Pick<OrderRequestEntity, 'id' | 'integration_id'> & {
  request_sequence: OrderRequestEntity['sequence'];
  order: OrderRow;
};

/** SQL: the order `o` of another sender's request has the reference of `r`, a request of the same shop. */
const OTHERS_ORDER = `core.orders o JOIN core.order_requests other ON other.id = o.order_request_id
  WHERE o.shop_id = r.shop_id AND o.external_id = r.external_reference AND ${senderOf('other')} <> ${senderOf('r')}`;

export const UUID = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
/** SQL: the reference of `r` is the id of another sender's request, whose order may need it as external id. */
const IS_OTHERS_ID = `CASE WHEN r.external_reference ~ '${UUID}' THEN EXISTS (
  SELECT FROM core.order_requests other
  WHERE other.id = r.external_reference::uuid AND other.shop_id = r.shop_id AND ${senderOf('other')} <> ${senderOf('r')}) END`;

/**
 * Approves requests and creates their orders with history. Leaves out a request that is not pending in this version and
 * attempt, and one of a caller that is not live. Leaves it out, too, when the shop has an order with its external id.
 * The external id is the reference, or the request's id where an order of another sender has the reference or a request
 * of another sender has it as id.
 */
const approve = statement<
  OrderRow &
    Pick<ApprovedRow, 'request_sequence' | 'integration_id'> & { approved_id: OrderRequestEntity['id'] },
  ColumnsOf<GivenRow<Omit<Approval, 'fields'> & { fields: string }>>
>(
  'order_request_approve_together',
  `WITH given AS MATERIALIZED (
     SELECT * FROM unnest($id::uuid[], $orgId::uuid[], $orderId::uuid[], $version::int[], $attempt::int[], $lines::bytea[],
            $status::text[], $fields::jsonb[], $decidedBy::text[], $corrections::bytea[], $override::bytea[], $keyId::uuid[],
            $sessionId::uuid[], $isSecond::boolean[], $stock::text[], $answer::bytea[])
       AS m(id, org_id, order_id, version, attempt, lines, status, fields, decided_by, corrections, override, key_id,
            session_id, is_second, stock, answer)
   ), pending AS MATERIALIZED (
     SELECT r.id, r.org_id, r.shop_id, r.integration_id, r.metadata, r.is_test, r.erased_at,
            CASE WHEN EXISTS (SELECT FROM ${OTHERS_ORDER}) OR ${IS_OTHERS_ID}
              THEN r.id::text ELSE coalesce(r.external_reference, r.id::text) END AS external_id
     FROM given m JOIN core.order_requests r ON r.org_id = m.org_id AND r.id = m.id
     WHERE r.status = 'pending' AND r.version = m.version AND r.attempt = m.attempt
       AND r.attempt_lines IS NOT DISTINCT FROM m.lines AND ${isLiveSql('m')}
     -- In one order, so that two statements cannot deadlock; the insert below, too.
     ORDER BY r.id FOR UPDATE OF r
   ), written AS (
     INSERT INTO core.orders AS o (id, org_id, shop_id, external_id, status, order_request_id, customer_name,
        customer_email, address_street, address_city, address_postal_code, address_phone, total_amount, total_is_given,
        payment_status, payment_reference, shipping_option, cash_on_pickup, items, order_datetime, metadata, is_test, erased_at, stock,
        unpaid_since, integration_id)
     SELECT m.order_id, r.org_id, r.shop_id, r.external_id, m.status, r.id, f.customer_name,
        f.customer_email, f.address_street, f.address_city, f.address_postal_code, f.address_phone, f.total_amount,
        f.total_is_given, f.payment_status, f.payment_reference, f.shipping_option, f.cash_on_pickup, f.items, now(), r.metadata,
        r.is_test, r.erased_at, m.stock,
        CASE WHEN m.status = 'awaiting_payment' THEN now() END, r.integration_id
     FROM pending r JOIN given m ON m.id = r.id, jsonb_to_record(m.fields) AS f(customer_name text, customer_email text,
        address_street text, address_city text, address_postal_code text, address_phone text, total_amount numeric(12,2),
        total_is_given boolean, payment_status text, payment_reference text, shipping_option text,
        cash_on_pickup boolean, items jsonb)
     ORDER BY r.shop_id, r.external_id
     ON CONFLICT ON CONSTRAINT orders_shop_external DO NOTHING
     RETURNING o.*
   ), history AS (
     INSERT INTO core.order_history (order_id, sequence, actor, action, fields)
     SELECT o.id, o.sequence, m.decided_by, 'created', m.fields || jsonb_build_object('status', o.status)
            || CASE WHEN o.metadata = '{}' THEN '{}' ELSE jsonb_build_object('metadata', o.metadata) END
     FROM written o JOIN given m ON m.id = o.order_request_id
   ), approved AS (
     UPDATE core.order_requests r SET status = 'approved', order_id = m.order_id, decided_by = m.decided_by,
            sequence = r.sequence + 1, corrections_ciphertext = m.corrections, override_ciphertext = m.override,
            answer_ciphertext = m.answer,
            first_approved_by = CASE WHEN m.is_second THEN r.first_approved_by END,
            first_approved_at = CASE WHEN m.is_second THEN r.first_approved_at END,
            first_approval_digest = CASE WHEN m.is_second THEN r.first_approval_digest END,
            first_approval_ciphertext = CASE WHEN m.is_second THEN r.first_approval_ciphertext END,
            first_approval_email_hash = NULL,
            updated_at = now()
     FROM written o JOIN given m ON m.id = o.order_request_id
     WHERE r.org_id = m.org_id AND r.id = m.id
     RETURNING r.id, r.sequence, r.integration_id
   )
   SELECT a.id AS approved_id, a.sequence AS request_sequence, a.integration_id, ${ORDER_COLUMNS}
   FROM written o JOIN approved a ON a.id = o.order_request_id`,
);

/** Whether an order of another sender's request has its reference as external id. */
export const isReferenceTaken = isHitOf<[orgId: string, requestId: string]>(
  'order_request_reference_taken',
  `SELECT r.id FROM core.order_requests r
   WHERE r.org_id = $1 AND r.id = $2 AND EXISTS (SELECT FROM ${OTHERS_ORDER})`,
);

export async function approveRequests(
  tx: Sql,
  given: readonly GivenRow<Approval>[],
): Promise<readonly ApprovedRow[]> {
  const rows = await tx.rows(approve, {
    ...columnsOf(given, 'id', 'orgId', 'orderId', 'version', 'attempt', 'lines', 'status'),
    fields: given.map(({ fields }) => JSON.stringify(fields)),
    ...columnsOf(given, 'decidedBy', 'corrections', 'override', 'answer', 'keyId', 'sessionId', 'isSecond'),
    ...columnsOf(given, 'stock'),
  });
  return rows.map(({ approved_id: id, request_sequence, integration_id, ...order }) => ({
    id,
    request_sequence,
    integration_id,
    order,
  }));
}
