import type { Caller } from '@offizin/contracts/caller';
import type { Refused } from '@offizin/contracts/errors';
import type { OrderRequestStatus } from '@offizin/contracts/order-requests';
import { type Sql, statement } from '@offizin/pg/database';
import { joinPerson } from '../audit/audit.store';
import type { OrderPatch } from '../orders/order-patch';
import { alreadyDecided, type Decider } from './decision';

/** The first attempt keeps its number; an attempt with different lines gets the next number. */
const start = statement<{ attempt: number }, [string, string, number, Buffer | null, Buffer | null]>(
  'order_request_start_attempt',
  `UPDATE core.order_requests SET attempt = CASE WHEN attempt_lines IS NULL THEN attempt ELSE attempt + 1 END,
          attempt_lines = $5
   WHERE org_id = $1 AND id = $2 AND status = 'pending' AND attempt = $3 AND attempt_lines IS NOT DISTINCT FROM $4
   RETURNING attempt`,
);
const approve = statement<
  { sequence: number },
  [string, string, string, string, number, Buffer | null, Buffer | null, Buffer | null]
>(
  'order_request_approve',
  `UPDATE core.order_requests SET status = 'approved', order_id = $3, decided_by = $4, sequence = sequence + 1,
          corrections_ciphertext = $6, override_ciphertext = $8, updated_at = now()
   WHERE org_id = $1 AND id = $2 AND status = 'pending' AND attempt = $5 AND attempt_lines IS NOT DISTINCT FROM $7
   RETURNING sequence`,
);
const reject = statement<
  { sequence: number },
  [string, string, string, string | null, string | null, string]
>(
  'order_request_reject',
  `UPDATE core.order_requests SET status = 'rejected', reason = $3, note = $4, partner_message = $5, decided_by = $6,
          sequence = sequence + 1, updated_at = now()
   WHERE org_id = $1 AND id = $2 AND status IN ('pending', 'needs_clarification')
   RETURNING sequence`,
);
const voidAttempt = statement<{ id: string }, [string, number]>(
  'order_request_void_attempt',
  `UPDATE core.order_requests SET attempt = greatest(attempt, $2 + 1)
   WHERE id = $1 AND status <> 'approved' RETURNING id`,
);
const approvedUnder = statement<{ order_id: string | null }, [string, number]>(
  'order_request_approved_under',
  `SELECT order_id FROM core.order_requests WHERE id = $1 AND status = 'approved' AND attempt = $2`,
);

/**
 * Returns the attempt under which these lines may be reserved and committed, or null when the request has changed
 * since it was read. Approvals with different lines never share an attempt, so an order always gets the stock of its
 * lines.
 */
export async function startAttempt(
  sql: Sql,
  orgId: string,
  request: { id: string; attempt: number; attempt_lines: Buffer | null },
  lines: Buffer | null,
): Promise<number | null> {
  const { id, attempt, attempt_lines: before } = request;
  if (lines === null ? before === null : before?.equals(lines)) return attempt;
  return (await sql.rows(start, orgId, id, attempt, before, lines))[0]?.attempt ?? null;
}

/** Returns the new sequence, or null when the request is not pending or the attempt is void. */
export async function markApproved(
  tx: Sql,
  orgId: string,
  decision: {
    requestId: string;
    orderId: string;
    decidedBy: string;
    attempt: number;
    lines: Buffer | null;
    corrections: Buffer | null;
    override: Buffer | null;
  },
): Promise<number | null> {
  const { requestId, orderId, decidedBy, attempt, corrections, lines, override } = decision;
  const by = [decidedBy, attempt] as const;
  const [row] = await tx.rows(approve, orgId, requestId, orderId, ...by, corrections, lines, override);
  return row?.sequence ?? null;
}

export async function markRejected(
  tx: Sql,
  orgId: string,
  decision: {
    requestId: string;
    reason: string;
    note: string | null;
    message: string | null;
    decidedBy: string;
  },
): Promise<number | null> {
  const { requestId, reason, note, message, decidedBy } = decision;
  return (await tx.rows(reject, orgId, requestId, reason, note, message, decidedBy))[0]?.sequence ?? null;
}

const decider = statement<Decider, [string, string]>(
  'order_request_decider',
  `SELECT coalesce(person.name, 'API key ' || k.name, a.actor) AS name, a.actor, a.at FROM core.audit_log a
   ${joinPerson('a')}
   LEFT JOIN core.api_keys k ON k.org_id = $1 AND a.actor = 'key:' || k.id
   WHERE a.org_id = $1 AND a.object ~>=~ $2 AND a.object ~<=~ $2
     AND a.action IN ('order-request.approve', 'order-request.reject')
   ORDER BY a.position DESC LIMIT 1`,
);

/** The refusal of a change of a request whose status does not allow it. People read who decided, and when. */
export async function decided(
  sql: Sql,
  caller: Caller,
  { id, status }: { id: string; status: OrderRequestStatus },
): Promise<Refused> {
  return alreadyDecided(status, await deciderOf(sql, caller, id));
}

/** By the audit log; null for a request that expired, or when the caller is no person of the organization. */
export async function deciderOf(sql: Sql, caller: Caller, requestId: string): Promise<Decider | null> {
  if (caller.kind !== 'staff') return null;
  return (await sql.rows(decider, caller.orgId, `order-request:${requestId}`))[0] ?? null;
}

/**
 * Marks this attempt void, so that it cannot commit later, and returns null. If this attempt has already committed,
 * returns its order instead. The commit of a later attempt does not keep the hold of this one.
 */
export async function settle(
  sql: Sql,
  requestId: string,
  attempt: number,
): Promise<{ orderId: string | null } | null> {
  await sql.rows(voidAttempt, requestId, attempt);
  const [approved] = await sql.rows(approvedUnder, requestId, attempt);
  return approved ? { orderId: approved.order_id } : null;
}

const insertOrder = statement<
  { id: string },
  [string, string, string, string, string, string, string, string]
>(
  'order_from_request',
  `WITH written AS (
     INSERT INTO core.orders (id, org_id, shop_id, external_id, status, order_request_id, customer_name, customer_email,
        address_street, address_city, address_postal_code, address_phone, total_amount, total_is_given, payment_status,
        payment_reference, shipping_option, cash_on_pickup, items, order_datetime)
     SELECT $1, $2, $3, $4, $5, $6, f.customer_name, f.customer_email, f.address_street, f.address_city,
        f.address_postal_code, f.address_phone, f.total_amount, f.total_is_given, f.payment_status, f.payment_reference,
        f.shipping_option, f.cash_on_pickup, f.items, now()
     FROM jsonb_to_record($7::jsonb) AS f(customer_name text, customer_email text, address_street text,
        address_city text, address_postal_code text, address_phone text, total_amount numeric(12,2),
        total_is_given boolean, payment_status text, payment_reference text, shipping_option text,
        cash_on_pickup boolean, items jsonb)
     ON CONFLICT ON CONSTRAINT orders_shop_external DO NOTHING
     RETURNING id, sequence
   ), history AS (
     INSERT INTO core.order_history (order_id, sequence, actor, action, fields)
     SELECT id, sequence, $8, 'created', $7::jsonb || jsonb_build_object('status', $5::text) FROM written
   )
   SELECT id FROM written`,
);

export interface OrderFromRequest {
  id: string;
  shopId: string;
  externalId: string;
  status: 'awaiting_packing' | 'awaiting_payment';
  requestId: string;
  fields: OrderPatch;
  actor: string;
}

/** Returns false when the shop already has an order with that external id. */
export async function insertOrderFromRequest(
  tx: Sql,
  orgId: string,
  order: OrderFromRequest,
): Promise<boolean> {
  const { id, shopId, externalId, status, requestId, fields, actor } = order;
  const rows = await tx.rows(
    insertOrder,
    ...([id, orgId, shopId, externalId, status, requestId] as const),
    JSON.stringify(fields),
    actor,
  );
  return rows.length === 1;
}
