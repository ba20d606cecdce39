import type { Caller } from '@offizin/contracts/calls/caller';
import type { ApproveBody } from '@offizin/contracts/requests/order-request-review';
import { refuseText } from '../../orders/orders/order-patch';
import { namesCustomer } from './corrections';
import { requireVersion } from './decision';
import { stepOf } from './four-eyes';
import { type ApprovableRow, type FirstColumns, firstOf } from './four-eyes.store';

/** The part of a stored request that decides what an approval does. */
export type StoredState = Pick<ApprovableRow, 'status' | 'version' | 'erased_at'> & FirstColumns;

/** What an approval makes of the request. */
export interface JudgedContent {
  needsTwoPeople: boolean;
  digest: Buffer;
}

/**
 * - `repeat`: it was approved; the answer is its order.
 * - `refuse`: no approval is possible in its status.
 * - `judge`: the content must be judged first, which may ask the catalog.
 * - `first`: the approval is stored, and waits for a second person.
 * - `second`, `alone`: the stock is reserved, then order and decision are committed.
 */
export type ApprovalStep = 'repeat' | 'refuse' | 'judge' | 'first' | 'second' | 'alone';

/**
 * What an approval does to a request as it was read. `content` is null until it is judged, which only a request that can be
 * approved needs. Throws `Refused` (conflict).
 */
export function decideStep(
  caller: Pick<Caller, 'kind' | 'actorId'>,
  sent: ApproveBody,
  stored: StoredState,
  content: JudgedContent | null,
): ApprovalStep {
  if (stored.status === 'approved') return 'repeat';
  if (stored.status !== 'pending') return 'refuse';
  requireVersion(sent.version, stored);
  if (namesCustomer(sent)) refuseText(stored);
  if (content === null) return 'judge';
  if (!content.needsTwoPeople) return 'alone';
  return stepOf(caller, firstOf(stored), { digest: content.digest, seen: sent.first_approval_at });
}
