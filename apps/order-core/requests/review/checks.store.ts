import type { PrescriptionUse } from '@offizin/contracts/requests/prescription-checks';
import { rowsOf, valueOf } from '@offizin/pg/queries';
import type { ReviewFlag } from '@offizin/contracts/requests/review';
import { senderOf } from '../intake/integrations.store';

/**
 * Compares a request with the organization's other requests, within test shops or within real ones. Computed on each
 * read, so the result is never stale. SQL compares the times because a JavaScript Date drops microseconds.
 */

/** SQL: the sender that has withdrawn the request; null for one that counts for all. As in an index. */
const withdrawnBy = (request: string): string =>
  `(CASE WHEN ${request}.status = 'cancelled' THEN ${senderOf(request)} END)`;
/** SQL: the sender of `mine` has withdrawn its request `other`. */
const isWithdrawn = (other: string, mine: string): string =>
  `coalesce(${withdrawnBy(other)} = ${senderOf(mine)}, false)`;
/** SQL: the request `other` is one that `mine` may repeat. */
const counts = (other: string, mine: string): string =>
  `${other}.is_test = ${mine}.is_test AND NOT ${isWithdrawn(other, mine)}`;

const JUST_BEFORE = `other.created_at > mine.created_at - interval '24 hours'`;
const isOpen = (request: string): string => `${request}.status IN ('pending', 'needs_clarification')`;
/** SQL: `mine` is not decided and `other` was approved, whichever came first: its prescription is used up. */
const isUsedUp = (other: string, mine: string): string =>
  `(${other}.status = 'approved' AND ${isOpen(mine)})`;
/** SQL: `other` is a document with the same content as `mine`. Both belong to one organization. */
const SAME_CONTENT = 'other.sha256 = mine.sha256 AND other.order_request_id <> mine.order_request_id';
const IS_EARLIER = '(other.created_at, other.id) < (mine.created_at, mine.id)';
/** SQL: `other` is a request with the e-prescription of `mine`. Both belong to one organization. */
const SAME_TOKEN = 'other.e_prescription_digest = mine.e_prescription_digest AND other.id <> mine.id';
/** SQL: `v` is an earlier version, with that token, of another request. */
const HAD_TOKEN = 'v.e_prescription_digest = mine.e_prescription_digest AND v.order_request_id <> mine.id';
/** SQL: it was there before the present version of `mine`, whichever version of it brought the token. */
const WAS_EARLIER = '(other.created_at, other.id) < (coalesce(mine.version_at, mine.created_at), mine.id)';
/** SQL: the request `other` of `mine`'s customer came within the 24 hours before. Both belong to one organization. */
const SAME_CUSTOMER_JUST_BEFORE = `other.customer_digest = mine.customer_digest AND other.id <> mine.id AND ${counts('other', 'mine')}
      AND ${JUST_BEFORE} AND ${IS_EARLIER}`;

/** SQL of its request; no join, since PostgreSQL would read all requests for each row where many have one content. */
const asRequest = (condition: string): string =>
  `(SELECT ${condition} FROM core.order_requests before WHERE before.id = other.order_request_id)`;

/**
 * SQL: the newest uses for `own`, of those that its sender has withdrawn and of the others. Each is the end of a range of an
 * index, so that no more are read, however many there are. Of those that other senders have withdrawn, one sender's come first.
 */
const newestOf = (found: string, by: string, order: string): string =>
  ['IS NULL', `= ${senderOf('own')}`, `< ${senderOf('own')}`, `> ${senderOf('own')}`]
    .map((range) => `(${found} AND ${by} ${range} ORDER BY ${by} DESC, ${order} LIMIT $3::int)`)
    .join(' UNION ALL ');
const isUse = (other: string, earlier: string): string =>
  `${other}.is_test = own.is_test AND (${earlier} OR ${isUsedUp(other, 'own')})`;
const WAS_BEFORE_OWN = WAS_EARLIER.replaceAll('mine.', 'own.');
const RECENT = JUST_BEFORE.replaceAll('mine.', 'own.');

/**
 * The requests of the organization, in any shop, with the same PDF or e-prescription, that came earlier or were approved while
 * this one was open. Withdrawn ones are last: they must not take the places of those that count. Of the present prescriptions of
 * the request.
 */
export const usedBefore = rowsOf<
  PrescriptionUse & { within_24_hours: boolean },
  [orgId: string, requestId: string, limit: number]
>(
  'prescription_used_before',
  `WITH own AS (
     SELECT * FROM core.order_requests WHERE org_id = $1::uuid AND id = $2::uuid
   ), used AS (
     SELECT found.* FROM own JOIN core.documents mine ON mine.org_id = $1::uuid AND mine.order_request_id = own.id
         AND mine.kind = 'prescription' AND NOT mine.is_replaced,
       LATERAL (${newestOf(
         `SELECT other.order_request_id, ${JUST_BEFORE} AS recent FROM core.documents other
          WHERE other.org_id = $1::uuid AND ${SAME_CONTENT} AND ${asRequest(isUse('before', IS_EARLIER))}`,
         'other.withdrawn_by',
         'other.created_at DESC, other.id DESC',
       )}) AS found
     UNION ALL
     SELECT found.* FROM own, LATERAL (${newestOf(
       `SELECT other.id, ${RECENT} FROM core.order_requests other
        WHERE other.org_id = $1::uuid AND ${SAME_TOKEN.replaceAll('mine.', 'own.')} AND ${isUse('other', WAS_BEFORE_OWN)}`,
       withdrawnBy('other'),
       'other.created_at DESC, other.id DESC',
     )}) AS found
     UNION ALL
     SELECT found.* FROM own, LATERAL (${newestOf(
       `SELECT other.id, ${RECENT} FROM core.order_request_versions v JOIN core.order_requests other ON other.id = v.order_request_id
        WHERE v.org_id = $1::uuid AND ${HAD_TOKEN.replaceAll('mine.', 'own.')} AND ${isUse('other', WAS_BEFORE_OWN)}`,
       'v.withdrawn_by',
       'v.created_at DESC, v.order_request_id DESC',
     )}) AS found
   )
   SELECT r.id AS order_request_id, r.shop_id, r.status, core.iso(r.created_at) AS created_at,
          ${isWithdrawn('r', 'own')} AS withdrawn, bool_or(used.recent) AS within_24_hours
   FROM used JOIN core.order_requests r ON r.id = used.order_request_id, own
   GROUP BY r.id, ${senderOf('own')} ORDER BY withdrawn, r.created_at DESC, r.id DESC LIMIT $3::int`,
);
/** True if the customer submitted another request within the 24 hours before this one. */
export const hasCustomerJustBefore = valueOf<boolean, [orgId: string, requestId: string]>(
  'order_request_same_customer',
  `SELECT EXISTS (
     SELECT FROM core.order_requests mine JOIN core.order_requests other
       ON other.org_id = $1::uuid AND ${SAME_CUSTOMER_JUST_BEFORE}
     WHERE mine.org_id = $1::uuid AND mine.id = $2::uuid) AS found`,
  false,
);

/**
 * The flags of the review list as SQL over `r`, a row of core.order_requests, and `d`, what its present documents have.
 * A filter and the shown list use the same text. They are computed on each read, like the checks of the detail, so that
 * they are never stale: an erasure or a late fetch of another request's document changes them.
 */

const PRESENT = `mine.org_id = r.org_id AND mine.order_request_id = r.id AND NOT mine.is_replaced`;
/**
 * SQL: one of the uses `found` counts for `r` by its `condition`, of those that are not withdrawn, or were withdrawn by another sender. Each
 * EXISTS is a range of an index, so that none reads those that the own sender has withdrawn, however many there are.
 */
const countsFor = (found: string, condition: string, by: string): string => {
  const [byNobody = '', ...byOthers] = ['IS NULL', `< ${senderOf('r')}`, `> ${senderOf('r')}`].map(
    (range) => `EXISTS (${found} AND ${by} ${range} AND ${condition})`,
  );
  return `(${byNobody} OR EXISTS (${found} AND ${by} IS NOT NULL) AND (${byOthers.join(' OR ')}))`;
};
/** SQL: `mine` came after one with its content, or one with it was approved. `among` narrows those by a condition. */
const isUsed = (among = ''): string =>
  countsFor(
    `SELECT FROM core.documents other WHERE other.org_id = r.org_id AND ${SAME_CONTENT}${among}`,
    asRequest(`before.is_test = r.is_test AND (${IS_EARLIER} OR ${isUsedUp('before', 'r')})`),
    'other.withdrawn_by',
  );

/** Adds `d` to `r`: one look at the documents for all flags. */
export const JOIN_DOCUMENTS = `LEFT JOIN LATERAL (
    SELECT bool_or(mine.kind = 'prescription') AS prescribed, bool_or(mine.state = 'failed') AS failed,
           bool_or(mine.kind = 'prescription' AND mine.signature = 'altered') AS altered,
           bool_or(mine.kind = 'prescription' AND ${isUsed()}) AS used
    FROM core.documents mine WHERE ${PRESENT}) d ON true`;

/** A request with less time left expires soon. Source: design of the review list. */
const SOON_DAYS = 3;

/** SQL: another request has the token of `r`, or had it in an earlier version. `among` narrows these by a condition. */
const isTokenUsed = (among = ''): string => {
  const condition = `other.is_test = r.is_test AND (${WAS_EARLIER} OR ${isUsedUp('other', 'r')})`;
  const present = `SELECT FROM core.order_requests other WHERE other.org_id = r.org_id AND ${SAME_TOKEN}${among}`;
  const former = `SELECT FROM core.order_request_versions v JOIN core.order_requests other ON other.id = v.order_request_id
    WHERE v.org_id = r.org_id AND ${HAD_TOKEN}${among}`;
  const found = [
    countsFor(present, condition, withdrawnBy('other')),
    countsFor(former, condition, 'v.withdrawn_by'),
  ];
  return `(${found.join(' OR ').replaceAll('mine.', 'r.')})`;
};

const USED_JUST_BEFORE = `d.used AND EXISTS (SELECT FROM core.documents mine
  WHERE ${PRESENT} AND mine.kind = 'prescription' AND ${isUsed(` AND ${JUST_BEFORE}`)})`;

const SAME_CUSTOMER = `EXISTS (SELECT FROM core.order_requests other
  WHERE other.org_id = r.org_id AND ${SAME_CUSTOMER_JUST_BEFORE.replaceAll('mine.', 'r.')})`;

/** SQL that is true for rows with the flag; `expiryDays` is the age at which undecided requests expire. */
export function flagSql(flag: ReviewFlag, expiryDays: number): string {
  switch (flag) {
    case 'used_before':
      return `(d.used OR ${isTokenUsed()})`;
    case 'duplicate':
      return `r.external_reference IS NULL AND (${SAME_CUSTOMER} OR ${USED_JUST_BEFORE}
        OR ${isTokenUsed(` AND ${JUST_BEFORE}`)})`;
    case 'signature_altered':
      return `d.altered`;
    case 'document_missing':
      return `NOT r.document_erased AND d.prescribed IS NOT TRUE AND r.e_prescription_ciphertext IS NULL`;
    case 'document_failed':
      return `d.failed`;
    case 'express':
      return `r.shipping_option = 'Express'`;
    case 'new_version':
      return `r.version > 1 AND r.status = 'pending'`;
    case 'expires_soon':
      return `${isOpen('r')}
        AND r.created_at < now() - make_interval(days => ${expiryDays - SOON_DAYS})`;
    case 'due_again':
      return `r.status = 'pending' AND r.parked_until <= now()`;
    case 'offer_open':
      return `r.status = 'needs_clarification' AND r.offer_state = 'open'`;
    case 'offer_accepted':
    case 'offer_declined':
    case 'offer_expired':
      return `r.status = 'pending' AND r.offer_state = '${flag.slice('offer_'.length)}' AND r.offer_version = r.version`;
  }
}

/** SQL over `r` alone. */
export function flagCondition(flag: ReviewFlag, expiryDays: number): string {
  const sql = flagSql(flag, expiryDays);
  return /\bd\./.test(sql)
    ? `EXISTS (SELECT FROM (SELECT) AS one ${JOIN_DOCUMENTS} WHERE ${sql})`
    : `(${sql})`;
}
