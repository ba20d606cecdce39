import { type Sql, statement } from '@offizin/pg/database';
import type { OrderRequestEntity } from '../../db/request-entities';
import { newRequestId } from '@offizin/runtime/request-id';

/**
 * Offers whose time has passed. They are expired, and their requests pending, at each read and change of one request;
 * lists follow within a second, when the background work has written it (expiry.ts).
 */

/** SQL over `r`. */
const IS_LATE = `r.offer_state = 'open' AND r.offer_valid_until <= now()`;

/** SQL over `r`: the values of a request as it is now. */
export const STATUS = `CASE WHEN ${IS_LATE} THEN 'pending' ELSE r.status END`;
export const QUESTION = `CASE WHEN (${IS_LATE}) IS NOT TRUE THEN r.question END`;
export const OFFER_STATE = `CASE WHEN ${IS_LATE} THEN 'expired' ELSE r.offer_state END`;

const ACTOR = 'service:order-core';

type Expired = Pick<OrderRequestEntity, 'id' | 'org_id'>;
interface ExpiredBy {
  actor: string;
  requestId: string;
}

/** SQL: the requests that `late` finds wait for a decision as they were sent. Appends the audit entries. */
const expiring = (late: string): string => `WITH late AS (${late}), expired AS (
     UPDATE core.order_requests r SET status = 'pending', question = NULL, offer_state = 'expired', parked_until = NULL,
            attempt = r.attempt + 1, updated_at = now()
     FROM late WHERE r.id = late.id
     RETURNING r.id, r.org_id
   ), audit AS (
     INSERT INTO core.audit_log (org_id, actor, action, object, request_id)
     SELECT org_id, $actor, 'order-request.expire-offer', 'order-request:' || id, $requestId FROM expired
   )
   SELECT id, org_id FROM expired`;
const expireAny = statement<Expired, ExpiredBy & { limit: number }>(
  'order_request_expire_offers',
  expiring(`
     SELECT r.id FROM core.order_requests r WHERE ${IS_LATE} AND r.status = 'needs_clarification'
     ORDER BY r.offer_valid_until LIMIT $limit FOR UPDATE SKIP LOCKED`),
);
const expireOne = statement<Expired, ExpiredBy & { id: string }>(
  'order_request_expire_offer',
  expiring(`
     SELECT r.id FROM core.order_requests r
     WHERE r.id = $id AND ${IS_LATE} AND r.status = 'needs_clarification' FOR UPDATE`),
);

/** Skips locked rows, which an answer or a decision is changing. */
export async function expireLate(tx: Sql, limit: number): Promise<Expired[]> {
  return tx.rows(expireAny, { limit, actor: ACTOR, requestId: newRequestId() });
}

/** Before a change of a request that was read. True when it has changed, so that it must be read again. */
export async function expireLateOffer(
  sql: Sql,
  { id, status, offer_state: state }: Pick<OrderRequestEntity, 'id' | 'status' | 'offer_state'>,
): Promise<boolean> {
  // The row does not say whether the expiry has been written.
  if (status !== 'pending' || state !== 'expired') return false;
  return (await sql.rows(expireOne, { id, actor: ACTOR, requestId: newRequestId() })).length > 0;
}
