import type { ApproveBody, OrderRequestCorrections } from '@offizin/contracts/order-request-review';
import type { OrderRequestPayload } from '@offizin/contracts/order-requests';
import { canonicalJson } from '@offizin/runtime/canonical-json';
import { type ApprovedOrder, approvedOrder } from './approval';

const CORRECTABLE = ['customer_name', 'customer_email', 'shipping_option', 'total_amount', 'items'] as const;

/**
 * What staff changed while approving, beside what the order would hold without: both versions are kept. Null when the
 * order is what the partner sent.
 */
export function correctionsOf(
  payload: OrderRequestPayload,
  body: ApproveBody,
  approved: ApprovedOrder,
): OrderRequestCorrections | null {
  const given = CORRECTABLE.some((field) => body[field] !== undefined);
  if (!given) return null;
  const sent = approvedOrder(payload, {}).fields;
  const changed = CORRECTABLE.filter(
    (field) => canonicalJson(sent[field] ?? null) !== canonicalJson(approved.fields[field] ?? null),
  );
  if (changed.length === 0) return null;
  const pick = (fields: ApprovedOrder['fields']): Record<string, unknown> =>
    Object.fromEntries(changed.map((field) => [field, fields[field] ?? null]));
  return { sent: pick(sent), approved: pick(approved.fields) };
}

/** Under this name corrections are encrypted, so that they open in no other place. */
export function correctionsRowId(requestId: string): string {
  return `${requestId}:corrections`;
}
