import type { PrescriptionUse } from '@offizin/contracts/prescription-checks';
import { type Sql, statement } from '@offizin/pg/database';

/**
 * Compares a request with the organization's other requests. Computed on each read, so the result is never stale. SQL
 * compares the times because a JavaScript Date drops microseconds.
 */

export const JUST_BEFORE = `other.created_at > mine.created_at - interval '24 hours'`;
/** SQL: `other` is an earlier document with the same content as `mine`. Both belong to one organization. */
export const EARLIER_USE = `other.sha256 = mine.sha256 AND other.order_request_id <> mine.order_request_id
      AND (other.created_at, other.id) < (mine.created_at, mine.id)`;
/** SQL: the request `other` of `mine`'s customer came within the 24 hours before. Both belong to one organization. */
export const SAME_CUSTOMER_JUST_BEFORE = `other.customer_digest = mine.customer_digest AND other.id <> mine.id
      AND ${JUST_BEFORE} AND (other.created_at, other.id) < (mine.created_at, mine.id)`;

/** Uses the newest document of the request: an answer to a question may add one. */
const uses = statement<PrescriptionUse & { within_24_hours: boolean }, [string, string, number]>(
  'prescription_used_before',
  `WITH mine AS (
     SELECT id, order_request_id, sha256, created_at FROM core.documents
     WHERE org_id = $1::uuid AND order_request_id = $2::uuid ORDER BY version DESC LIMIT 1
   ), used AS (
     SELECT other.order_request_id, bool_or(${JUST_BEFORE}) AS recent
     FROM mine JOIN core.documents other ON other.org_id = $1::uuid AND ${EARLIER_USE}
     GROUP BY other.order_request_id
   )
   SELECT r.id AS order_request_id, r.shop_id, r.status, core.iso(r.created_at) AS created_at,
          used.recent AS within_24_hours
   FROM used JOIN core.order_requests r ON r.id = used.order_request_id
   ORDER BY r.created_at DESC, r.id DESC LIMIT $3::int`,
);
const sameCustomer = statement<{ found: boolean }, [string, string]>(
  'order_request_same_customer',
  `SELECT EXISTS (
     SELECT FROM core.order_requests mine JOIN core.order_requests other
       ON other.org_id = $1::uuid AND ${SAME_CUSTOMER_JUST_BEFORE}
     WHERE mine.org_id = $1::uuid AND mine.id = $2::uuid) AS found`,
);

/** The newest earlier requests of the organization, in any shop, with the same PDF. */
export async function usedBefore(
  sql: Sql,
  orgId: string,
  requestId: string,
  limit: number,
): Promise<(PrescriptionUse & { within_24_hours: boolean })[]> {
  return sql.rows(uses, orgId, requestId, limit);
}

/** True if the customer submitted another request within the 24 hours before this one. */
export async function hasCustomerJustBefore(sql: Sql, orgId: string, requestId: string): Promise<boolean> {
  return (await sql.rows(sameCustomer, orgId, requestId))[0]?.found ?? false;
}
