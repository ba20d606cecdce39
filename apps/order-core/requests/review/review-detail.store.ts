import type { ReviewCustomer, ReviewHistoryEntry } from '@offizin/contracts/requests/review';
import { type Sql, statement } from '@offizin/pg/database';
import { rowsOf } from '@offizin/pg/queries';
import { formsOfEmail, isSameEmail } from '@offizin/pg/emails';
import { joinPerson } from '../../audit/audit.store';
import type { OrderEntity } from '../../db/entities';
import type { OrderRequestEntity, ReviewViewEntity } from '../../db/request-entities';
import { integrationName, senderOf } from '../intake/integrations.store';
import { linesText } from '../intake/list-columns';
import { UUID } from './approval.store';
import { LOOK } from './decision';

/** What the organization's other records say about a request: those of the same e-mail address, and the audit log. */

export const NO_CUSTOMER: ReviewCustomer = {
  requests: 0,
  orders: 0,
  rejected: 0,
  last_at: null,
  last_order: null,
};
const MAX_ACTS = 70;
const MAX_LOOKS = 30;

/** A request of another sender beside one with its reference. The customer is that of its order, if it has one. */
type OtherOfReference = Pick<OrderRequestEntity, 'customer_name' | 'customer_digest' | 'status'> &
  Pick<OrderEntity, 'customer_email'> & {
    order_request_id: OrderRequestEntity['id'];
    order_id: OrderEntity['id'] | null;
    integration: string | null;
  };

/**
 * The requests of other senders at the shop that the reference of a request may mean: approved under this reference, or
 * with this id. The one whose order has the reference as external id comes first. A sender has one approved request of it.
 */
export const othersOfReference = rowsOf<OtherOfReference, [orgId: string, requestId: string]>(
  'review_others_of_reference',
  `SELECT other.id AS order_request_id, other.status, other.order_id, ${integrationName('other')} AS integration,
     CASE WHEN o.id IS NULL THEN other.customer_name ELSE o.customer_name END AS customer_name, o.customer_email,
     CASE WHEN o.id IS NULL THEN other.customer_digest END AS customer_digest
   FROM core.order_requests r, LATERAL (
     SELECT a.id FROM core.order_requests a
     WHERE a.shop_id = r.shop_id AND a.external_reference = r.external_reference AND a.status = 'approved'
     UNION SELECT n.id FROM core.order_requests n WHERE n.shop_id = r.shop_id
       AND n.id = CASE WHEN r.external_reference ~ '${UUID}' THEN r.external_reference::uuid END) found
     JOIN core.order_requests other ON other.id = found.id LEFT JOIN core.orders o ON o.id = other.order_id
   WHERE r.org_id = $1 AND r.id = $2 AND ${senderOf('other')} <> ${senderOf('r')}
   ORDER BY o.external_id = r.external_reference DESC NULLS LAST, o.created_at DESC, other.id LIMIT 100`,
);
const earlierRequests = statement<
  { requests: number; rejected: number; last_at: string | null },
  [string, string, Buffer]
>(
  'review_earlier_requests',
  `SELECT count(*)::int AS requests, (count(*) FILTER (WHERE other.status = 'rejected'))::int AS rejected,
     core.iso(max(other.created_at)) AS last_at
   FROM core.order_requests mine JOIN core.order_requests other
     ON other.org_id = $1 AND other.customer_digest = $3 AND other.is_test = mine.is_test
     AND (other.created_at, other.id) < (mine.created_at, mine.id)
   WHERE mine.org_id = $1 AND mine.id = $2`,
);
const ordersOfEmail = statement<
  Pick<ReviewCustomer, 'orders' | 'last_order'>,
  [string, string, string[], boolean]
>(
  'review_orders_of_email',
  `WITH theirs AS (
     SELECT id, created_at, status FROM core.orders
     WHERE org_id = $1 AND is_test = $4 AND ${isSameEmail('customer_email', '$3')} AND order_request_id IS DISTINCT FROM $2)
   SELECT (SELECT count(*) FROM theirs)::int AS orders,
     (SELECT jsonb_build_object('id', o.id, 'created_at', core.iso(o.created_at), 'lines_text', ${linesText('o')})
      FROM core.orders o WHERE o.id = (SELECT id FROM theirs WHERE status <> 'cancelled' ORDER BY created_at DESC, id DESC LIMIT 1)
     ) AS last_order`,
);

/** `digest` is the keyed hash of `email` (crypto/encryption.ts). The order that the request became is not counted. */
export async function otherRecordsOf(
  sql: Sql,
  orgId: string,
  { requestId, email, digest, isTest }: { requestId: string; email: string; digest: Buffer; isTest: boolean },
): Promise<ReviewCustomer> {
  const [requests] = await sql.rows(earlierRequests, orgId, requestId, digest);
  const [counted] = await sql.rows(ordersOfEmail, orgId, requestId, formsOfEmail(email), isTest);
  return { ...NO_CUSTOMER, ...requests, ...counted };
}

/** `~>=~` compares by bytes, as the index does; every entry about the object begins with `from`, none with `;`. */
const entries = (condition: string, limit: number): string =>
  `(SELECT position, org_id, at, actor, action, object FROM core.audit_log
    WHERE org_id = $1 AND object ~>=~ $2 AND object ~<~ $3 AND ${condition} ORDER BY position DESC LIMIT ${limit})`;
/** As `documentObject` writes it; null for an entry about no document. */
const DOCUMENT_NUMBER = `substring(a.object FROM ':document:(\\d+)')::int`;
/** Who only read it; many looks must not push out what was done. */
const IS_LOOK = `action ~ '${LOOK}'`;
const history = statement<ReviewHistoryEntry, [string, string, string]>(
  'review_history',
  `SELECT core.iso(a.at) AS at, coalesce(person.name, key.name, a.actor) AS who, a.action,
     ${DOCUMENT_NUMBER} AS document
   FROM (${entries(`NOT ${IS_LOOK}`, MAX_ACTS)} UNION ALL ${entries(IS_LOOK, MAX_LOOKS)}) a
   ${joinPerson('a')}
   LEFT JOIN core.api_keys key ON key.org_id = a.org_id AND a.actor IN ('key:' || key.id, 'integration:' || key.id)
   ORDER BY a.position DESC`,
);

/** The newest entries of the audit log about the request, of acts and of looks, newest first. */
export async function historyOf(sql: Sql, orgId: string, requestId: string): Promise<ReviewHistoryEntry[]> {
  const object = `order-request:${requestId}`;
  return sql.rows(history, orgId, object, `${object};`);
}

/** Each session's last audited look at a document. */

const VIEW_MINUTES = 15;
/** Bounds the work of one look; each look that is noted removes as many as it can. */
const CLEARED_VIEWS = 100;

/** Concurrent looks of one session wait here for the first. */
const noteView = statement<Pick<ReviewViewEntity, 'viewed_at'>, [string, string]>(
  'review_view_note',
  `INSERT INTO core.review_views AS v (session_id, document_id) VALUES ($1, $2)
   ON CONFLICT ON CONSTRAINT review_views_pkey DO UPDATE SET viewed_at = now()
     WHERE v.viewed_at < now() - interval '${VIEW_MINUTES} minutes'
   RETURNING viewed_at`,
);
const clearViews = statement<never, []>(
  'review_views_clear',
  `DELETE FROM core.review_views WHERE (session_id, document_id) IN (
     SELECT session_id, document_id FROM core.review_views
     WHERE viewed_at < now() - interval '${VIEW_MINUTES} minutes'
     ORDER BY viewed_at LIMIT ${CLEARED_VIEWS} FOR UPDATE SKIP LOCKED)`,
);

/** False when the session has looked at it within the last 15 minutes. */
export async function isNewView(
  tx: Sql,
  { sessionId, documentId }: { sessionId: string; documentId: string },
): Promise<boolean> {
  const isNew = (await tx.rows(noteView, sessionId, documentId)).length === 1;
  if (isNew) await tx.rows(clearViews);
  return isNew;
}
