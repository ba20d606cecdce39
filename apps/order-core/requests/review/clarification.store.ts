import { type Sql, statement } from '@offizin/pg/database';
import { isHitOf, valueOf } from '@offizin/pg/queries';
import type { OrderRequestEntity } from '../../db/request-entities';
import { type EventRow, NO_FIRST_APPROVAL, NO_OPEN_OFFER } from '../intake/order-requests.store';

/**
 * The new sequence, or null when the request is not pending. Question, withdrawal and expiry. Each raises the
 * attempt: an approval that read the earlier attempt then cannot commit, and the catalog releases its stock.
 */
export const markAsked = valueOf<
  OrderRequestEntity['sequence'] | null,
  [orgId: string, requestId: string, question: string]
>(
  'order_request_ask',
  `UPDATE core.order_requests SET status = 'needs_clarification', question = $3, attempt = attempt + 1,
          ${NO_FIRST_APPROVAL}, sequence = sequence + 1, updated_at = now()
   WHERE org_id = $1 AND id = $2 AND status = 'pending'
   RETURNING sequence`,
  null,
);
/** Returns false when no question is open. Publishes no event, so `sequence` does not rise. */
export const markWithdrawn = isHitOf<[orgId: string, requestId: string]>(
  'order_request_withdraw_question',
  `UPDATE core.order_requests SET status = 'pending', question = NULL, ${NO_OPEN_OFFER}, attempt = attempt + 1, updated_at = now()
   WHERE org_id = $1 AND id = $2 AND status = 'needs_clarification'
   RETURNING id`,
);
/** For the audit log: who let the requests expire, in which call. */
interface ExpiryBy {
  actor: string;
  requestId: string;
}

/** SQL: expires the undecided requests that `old` finds, with the audit entries. Takes what `ExpiryBy` names. */
const expiring = (old: string): string => `
   WITH old AS (${old}), expired AS (
     UPDATE core.order_requests r SET status = 'expired', attempt = r.attempt + 1, ${NO_FIRST_APPROVAL}, ${NO_OPEN_OFFER},
            sequence = r.sequence + 1, updated_at = now()
     FROM old WHERE r.id = old.id
     RETURNING r.id, r.org_id, r.shop_id, r.sequence, r.integration_id, r.is_test
   ), audit AS (
     INSERT INTO core.audit_log (org_id, actor, action, object, request_id)
     SELECT org_id, $actor, 'order-request.expire', 'order-request:' || id, $requestId FROM expired
   )
   SELECT id, org_id, shop_id, sequence, integration_id, is_test FROM expired`;
/** Skips locked rows, which a decision is changing; the next run checks them again. */
const expire = statement<EventRow, ExpiryBy & { days: number; limit: number }>(
  'order_request_expire',
  expiring(`
     SELECT id FROM core.order_requests
     WHERE status IN ('pending', 'needs_clarification') AND created_at < now() - make_interval(days => $days)
     ORDER BY created_at LIMIT $limit FOR UPDATE SKIP LOCKED`),
);
const expireOne = statement<EventRow, ExpiryBy & { orgId: string; id: string; version: number }>(
  'order_request_expire_one',
  expiring(`
     SELECT id FROM core.order_requests
     WHERE org_id = $orgId AND id = $id AND version = $version AND status IN ('pending', 'needs_clarification') FOR UPDATE`),
);

/** Oldest first, over all organizations. Returns the expired requests; `by` is the actor in the audit log. */
export async function expireOlderThan(
  tx: Sql,
  age: { days: number },
  batchRows: number,
  by: ExpiryBy,
): Promise<EventRow[]> {
  return tx.rows(expire, { ...by, ...age, limit: batchRows });
}

/** None when it was decided before, or has another version. */
export async function expireRequest(
  tx: Sql,
  orgId: string,
  { id, version }: Pick<OrderRequestEntity, 'id' | 'version'>,
  by: ExpiryBy,
): Promise<EventRow[]> {
  return tx.rows(expireOne, { ...by, orgId, id, version });
}
