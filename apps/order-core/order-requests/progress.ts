import type { OrderRequestProgress, OrderRequestStatus } from '@offizin/contracts/order-requests';
import type { ProgressRow } from './progress.store';

/** Message to the partner for each state. */
const MESSAGES: Record<OrderRequestStatus, string> = {
  pending: 'The request was received and waits for the pharmacist.',
  approved: 'The request was approved and became an order.',
  rejected: 'The request was rejected.',
  needs_clarification:
    'The pharmacist has a question: answer it by sending the same external_reference again with the completed payload.',
  expired: 'The request expired before it was decided.',
};
const UNANSWERABLE =
  'The pharmacist has a question. The request was sent without an external_reference and cannot be completed: ' +
  'send the completed payload as a new request.';

export function messageOf({
  status,
  external_reference: reference,
}: Pick<ProgressRow, 'status' | 'external_reference'>): string {
  return status === 'needs_clarification' && reference === null ? UNANSWERABLE : MESSAGES[status];
}

/** What the partner may read, by GET and in a callback alike. */
export function progressOf(row: ProgressRow): OrderRequestProgress {
  const { id, status, external_reference, order_status, reason, question } = row;
  const message = row.partner_message ?? messageOf(row);
  const updated_at = row.updated_at.toISOString();
  return { id, status, message, external_reference, order_status, reason, question, updated_at };
}
