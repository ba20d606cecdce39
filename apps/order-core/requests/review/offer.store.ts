import { isHitOf, valueOf } from '@offizin/pg/queries';
import type { OrderRequestEntity } from '../../db/request-entities';
import { NO_FIRST_APPROVAL } from '../intake/order-requests.store';

/**
 * The last offer of a request, in its row: the row lock that serializes decisions also serializes offers, and reading a
 * request needs no further statement.
 */

/** The new sequence, or null when the request is not pending. It expires with its request at the latest. */
export const markOffered = valueOf<
  OrderRequestEntity['sequence'] | null,
  { orgId: string; id: string; question: string | null; offer: Buffer; hours: number; days: number }
>(
  'order_request_offer',
  `UPDATE core.order_requests SET status = 'needs_clarification', question = $question, offer_ciphertext = $offer,
          offer_state = 'open', offer_version = version,
          offer_valid_until = date_trunc('milliseconds',
            least(now() + make_interval(hours => $hours), created_at + make_interval(days => $days))),
          ${NO_FIRST_APPROVAL}, attempt = attempt + 1, sequence = sequence + 1, updated_at = now()
   WHERE org_id = $orgId AND id = $id AND status = 'pending'
   RETURNING sequence`,
  null,
);
/** Back among the open ones, as after a new version. False when no offer is open. The caller has locked the row. Publishes no event, so `sequence` does not rise. */
export const markDeclined = isHitOf<[orgId: string, requestId: string, offer: Buffer]>(
  'order_request_decline_offer',
  `UPDATE core.order_requests SET status = 'pending', question = NULL, offer_ciphertext = $3, offer_state = 'declined',
          parked_until = NULL, attempt = attempt + 1, updated_at = now()
   WHERE org_id = $1 AND id = $2 AND status = 'needs_clarification' AND offer_state = 'open'
   RETURNING id`,
);
