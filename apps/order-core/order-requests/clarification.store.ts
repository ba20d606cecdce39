import { type Sql, statement } from '@offizin/pg/database';

/**
 * Question, taking it back, and expiry. Each raises the attempt, so that an approval that read the request before
 * cannot commit, and what it holds of the stock is given back.
 */

const ask = statement<{ sequence: number }, [string, string, string]>(
  'order_request_ask',
  `UPDATE core.order_requests SET status = 'needs_clarification', question = $3, attempt = attempt + 1,
          sequence = sequence + 1, updated_at = now()
   WHERE org_id = $1 AND id = $2 AND status = 'pending'
   RETURNING sequence`,
);
/** No event is made of it, so the sequence of events does not rise. */
const withdraw = statement<{ id: string }, [string, string]>(
  'order_request_withdraw_question',
  `UPDATE core.order_requests SET status = 'pending', question = NULL, attempt = attempt + 1, updated_at = now()
   WHERE org_id = $1 AND id = $2 AND status = 'needs_clarification'
   RETURNING id`,
);
/**
 * A request whose row is locked is being decided: it is skipped, and looked at again the next time. The audit entry is
 * written in the same statement.
 */
const expire = statement<{ id: string }, [number, number, string, string]>(
  'order_request_expire',
  `WITH old AS (
     SELECT id FROM core.order_requests
     WHERE status IN ('pending', 'needs_clarification') AND created_at < now() - make_interval(days => $1)
     ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
   ), expired AS (
     UPDATE core.order_requests r SET status = 'expired', attempt = r.attempt + 1, updated_at = now()
     FROM old WHERE r.id = old.id
     RETURNING r.id, r.org_id
   ), audit AS (
     INSERT INTO core.audit_log (org_id, actor, action, object, request_id)
     SELECT org_id, $3, 'order-request.expire', 'order-request:' || id, $4 FROM expired
   )
   SELECT id FROM expired`,
);

/** The new sequence, or null when the request is not pending. */
export async function markAsked(
  tx: Sql,
  orgId: string,
  requestId: string,
  question: string,
): Promise<number | null> {
  return (await tx.rows(ask, orgId, requestId, question))[0]?.sequence ?? null;
}

/** False when no question is open. */
export async function markWithdrawn(tx: Sql, orgId: string, requestId: string): Promise<boolean> {
  return (await tx.rows(withdraw, orgId, requestId)).length === 1;
}

/** Of all organizations, oldest first; resolves with how many expired. `by` is who writes the audit log. */
export async function expireOlderThan(
  sql: Sql,
  age: { days: number },
  batchRows: number,
  by: { actor: string; requestId: string },
): Promise<number> {
  return (await sql.rows(expire, age.days, batchRows, by.actor, by.requestId)).length;
}
