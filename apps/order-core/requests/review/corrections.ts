import { type Answer, answerOf } from '@offizin/contracts/requests/answer-changes';
import type { ApproveBody, OrderRequestCorrections } from '@offizin/contracts/requests/order-request-review';
import type { OrderRequestPayload } from '@offizin/contracts/requests/order-requests';
import { canonicalJson } from '@offizin/runtime/canonical-json';
import { decrypt } from '../../crypto/encryption';
import type { OrderRequestEntity } from '../../db/request-entities';
import type { StoredItem } from '../../orders/orders/order-patch';
import { type ApprovedOrder, approvedOrder } from '../intake/approved-order';
import type { ReviewOverride } from '@offizin/contracts/requests/review';

const OF_CUSTOMER = [
  'customer_name',
  'customer_email',
  'customer_id',
  'address_street',
  'address_city',
  'address_postal_code',
  'address_phone',
] as const;
const CORRECTABLE: readonly string[] = [...OF_CUSTOMER, 'shipping_option', 'total_amount', 'items'];

/** Whether the approval says a text about the customer. */
export function namesCustomer(body: ApproveBody): boolean {
  return OF_CUSTOMER.some((field) => (body[field] ?? '') !== '');
}

/** What staff changed while approving: `corrections` for staff, null when nothing, and `answer` for the sender. */
export interface Corrected {
  corrections: OrderRequestCorrections | null;
  answer: Answer;
}

export function correctedIn(
  payload: OrderRequestPayload,
  body: ApproveBody,
  approved: ApprovedOrder,
): Corrected {
  const correctedFields = new Map<string, unknown>(Object.entries(body));
  if (CORRECTABLE.every((field) => correctedFields.get(field) === undefined))
    return { corrections: null, answer: { corrected: false, changes: [] } };
  const { customer_id = payload.customer_id } = body;
  const before = { ...approvedOrder(payload, {}).fields, customer_id: payload.customer_id };
  const after = { ...approved.fields, customer_id };
  const answer = answerOf({ ...before, fields: before }, { ...after, fields: after });
  return { corrections: correctionsOf(fieldsOf(before), fieldsOf(after)), answer };
}

/** The fields that differ, with both values; null when none does. */
function correctionsOf(
  sent: Map<string, unknown>,
  approvedFields: Map<string, unknown>,
): OrderRequestCorrections | null {
  const changed = CORRECTABLE.filter(
    (field) => canonicalJson(sent.get(field)) !== canonicalJson(approvedFields.get(field)),
  );
  if (changed.length === 0) return null;
  const pick = (fields: Map<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(changed.map((field) => [field, fields.get(field)]));
  return { sent: pick(sent), approved: pick(approvedFields) };
}

/** The lines, when staff changed them. */
export function correctedItems(corrections: OrderRequestCorrections | null): StoredItem[] | null {
  const items = corrections?.approved['items'];
  return Array.isArray(items) ? (items as StoredItem[]) : null;
}

/** What an approval makes of a request, field by field. */
export function approvedContent(
  payload: OrderRequestPayload,
  body: ApproveBody,
  approved: ApprovedOrder,
): Record<string, unknown> {
  const { customer_id = payload.customer_id } = body;
  return Object.fromEntries(fieldsOf({ ...approved.fields, customer_id }));
}

function fieldsOf(fields: object): Map<string, unknown> {
  const values = new Map<string, unknown>(Object.entries(fields));
  return new Map(CORRECTABLE.map((field) => [field, values.get(field) ?? null]));
}

/** Row id for encrypting corrections: their ciphertext cannot be decrypted as another column. */
export function correctionsRowId(requestId: string): string {
  return `${requestId}:corrections`;
}

/** The checks that an approval overrides, and why; null when it says neither. */
export function overrideOf({ acknowledged = [], reason }: ApproveBody): ReviewOverride | null {
  if (acknowledged.length === 0 && !reason) return null;
  return { acknowledged, reason: reason ?? null };
}

/** Row id for encrypting an override: its ciphertext cannot be decrypted as another column. */
export function overrideRowId(requestId: string): string {
  return `${requestId}:override`;
}

/** Null where an approval overrode nothing, and after an erasure. */
export function openedOverride(
  key: Buffer,
  { id, override_ciphertext: ciphertext }: Pick<OrderRequestEntity, 'id' | 'override_ciphertext'>,
): ReviewOverride | null {
  return ciphertext
    ? (JSON.parse(decrypt(key, ciphertext, overrideRowId(id)).toString()) as ReviewOverride)
    : null;
}
