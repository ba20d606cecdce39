import type { Caller } from '@offizin/contracts/calls/caller';
import type { Refused } from '@offizin/contracts/calls/errors';
import type { OrderRequestStatus, RequestReason } from '@offizin/contracts/requests/order-requests';
import { type Sql, statement } from '@offizin/pg/database';
import { joinPerson } from '../../audit/audit.store';
import type { OrderRequestEntity } from '../../db/request-entities';
import { alreadyDecided, type Decider } from './decision';
import { senderOf } from '../intake/integrations.store';
import { NO_FIRST_APPROVAL, NO_OPEN_OFFER } from '../intake/order-requests.store';

/** The first attempt keeps its number; an attempt with different lines gets the next number. */
const start = statement<
  Pick<OrderRequestEntity, 'attempt'>,
  { orgId: string; id: string; attempt: number; before: Buffer | null; lines: Buffer | null }
>(
  'order_request_start_attempt',
  `UPDATE core.order_requests SET attempt = CASE WHEN attempt_lines IS NULL THEN attempt ELSE attempt + 1 END,
          attempt_lines = $lines
   WHERE org_id = $orgId AND id = $id AND status = 'pending' AND attempt = $attempt
     AND attempt_lines IS NOT DISTINCT FROM $before
   RETURNING attempt`,
);
const close = statement<Pick<OrderRequestEntity, 'sequence'>, Closing & { orgId: string }>(
  'order_request_close',
  // An erased request keeps no text. Documents and earlier versions have who withdrew them for checks.store.ts.
  `WITH closed AS (
     UPDATE core.order_requests r SET status = $status, reason = $reason, decided_by = $decidedBy,
            note = CASE WHEN erased_at IS NULL THEN $note END,
            partner_message = CASE WHEN erased_at IS NULL THEN $message END,
            ${NO_FIRST_APPROVAL}, ${NO_OPEN_OFFER}, sequence = sequence + 1, updated_at = now()
     WHERE org_id = $orgId AND id = $requestId AND status IN ('pending', 'needs_clarification')
     RETURNING id, status, sequence, ${senderOf('r')} AS sender
   ), documents AS (
     UPDATE core.documents d SET withdrawn_by = c.sender FROM closed c
     WHERE d.order_request_id = c.id AND c.status = 'cancelled'
   ), versions AS (
     UPDATE core.order_request_versions v SET withdrawn_by = c.sender FROM closed c
     WHERE v.order_request_id = c.id AND c.status = 'cancelled'
   )
   SELECT sequence FROM closed`,
);
const voidAttempt = statement<Pick<OrderRequestEntity, 'id'>, [string, number]>(
  'order_request_void_attempt',
  `UPDATE core.order_requests SET attempt = greatest(attempt, $2 + 1)
   WHERE id = $1 AND status <> 'approved' RETURNING id`,
);
const approvedUnder = statement<Pick<OrderRequestEntity, 'order_id'>, [string, number]>(
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
  return (await sql.rows(start, { orgId, id, attempt, before, lines }))[0]?.attempt ?? null;
}

interface Closing {
  requestId: string;
  status: 'rejected' | 'cancelled';
  reason: RequestReason;
  note: string | null;
  message: string | null;
  decidedBy: string;
}

/** The new sequence, or null when the request was decided before. */
export async function markClosed(tx: Sql, orgId: string, decision: Closing): Promise<number | null> {
  const [closed] = await tx.rows(close, { ...decision, orgId });
  return closed?.sequence ?? null;
}

const decider = statement<Decider, [string, string]>(
  'order_request_decider',
  `SELECT coalesce(person.name, 'API key ' || k.name, a.actor) AS name, a.actor, a.at FROM core.audit_log a
   ${joinPerson('a')}
   LEFT JOIN core.api_keys k ON k.org_id = $1 AND a.actor IN ('key:' || k.id, 'integration:' || k.id)
   WHERE a.org_id = $1 AND a.object ~>=~ $2 AND a.object ~<=~ $2
     AND a.action IN ('order-request.approve', 'order-request.reject', 'order-request.cancel')
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

/** By the audit log; null for a request that expired, or when the caller is not a person of the organization. */
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
