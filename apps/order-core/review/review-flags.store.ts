import type { ReviewFlag } from '@offizin/contracts/review';
import { EARLIER_USE, JUST_BEFORE, SAME_CUSTOMER_JUST_BEFORE } from '../order-requests/checks.store';

/**
 * The flags of the review list as SQL over `r`, a row of core.order_requests, and `d`, its newest document or nulls. A
 * filter and the shown list use the same text. They are computed on each read, like the checks of the detail, so that
 * they are never stale: an erasure or a late fetch of another request's document changes them.
 */

/** Adds `d` to `r`. */
export const JOIN_DOCUMENT = `LEFT JOIN LATERAL (
    SELECT id, order_request_id, state, signature, sha256, created_at FROM core.documents
    WHERE org_id = r.org_id AND order_request_id = r.id ORDER BY version DESC LIMIT 1) d ON true`;

/** A request with less time left expires soon. Source: design of the review list. */
const SOON_DAYS = 3;

const used = (condition = ''): string =>
  `EXISTS (SELECT FROM core.documents other
     WHERE other.org_id = r.org_id AND ${`${EARLIER_USE}${condition}`.replaceAll('mine.', 'd.')})`;

const SAME_CUSTOMER = `EXISTS (SELECT FROM core.order_requests other
  WHERE other.org_id = r.org_id AND ${SAME_CUSTOMER_JUST_BEFORE.replaceAll('mine.', 'r.')})`;

/** SQL that is true for rows with the flag; `expiryDays` is the age at which undecided requests expire. */
export function flagSql(flag: ReviewFlag, expiryDays: number): string {
  switch (flag) {
    case 'used_before':
      return used();
    case 'duplicate':
      return `r.external_reference IS NULL AND (${SAME_CUSTOMER} OR ${used(` AND ${JUST_BEFORE}`)})`;
    case 'signature_altered':
      return `d.signature = 'altered'`;
    case 'document_missing':
      return `NOT r.document_erased AND d.id IS NULL`;
    case 'document_failed':
      return `d.state = 'failed'`;
    case 'express':
      return `r.shipping_option = 'Express'`;
    case 'new_version':
      return `r.version > 1 AND r.status = 'pending'`;
    case 'expires_soon':
      return `r.status IN ('pending', 'needs_clarification')
        AND r.created_at < now() - make_interval(days => ${expiryDays - SOON_DAYS})`;
  }
}

/** SQL over `r` alone. */
export function flagCondition(flag: ReviewFlag, expiryDays: number): string {
  const sql = flagSql(flag, expiryDays);
  return /\bd\./.test(sql)
    ? `EXISTS (SELECT FROM (SELECT) AS one ${JOIN_DOCUMENT} WHERE ${sql})`
    : `(${sql})`;
}
