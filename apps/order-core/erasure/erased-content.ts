import { DROPPED_WHEN_ERASED } from '../orders/orders/order-patch';

/** The content that an erasure leaves: amounts, lines, payment and shipping options, but no personal data. */

/** Null clears a column. The payment reference stays: accounting needs it, and it names no person. */
export const ERASED_ORDER: Partial<Record<(typeof DROPPED_WHEN_ERASED)[number], null>> = Object.fromEntries(
  DROPPED_WHEN_ERASED.map((name) => [name, null]),
);

/** The reason of a change is free text, so that it may name the customer; a parcel number leads to a person. */
export const ERASED_HISTORY_FIELDS: readonly string[] = [...DROPPED_WHEN_ERASED, 'reason', 'parcels'];

const KEPT_PAYLOAD = ['items', 'total_amount', 'payment_status', 'cash_on_pickup', 'shipping_option'];
const KEPT_LINE = ['p1_id', 'product_id', 'name', 'quantity', 'price'];

export function erasedPayload(payload: Record<string, unknown>): Record<string, unknown> {
  const kept = pick(payload, KEPT_PAYLOAD);
  const { items } = kept;
  return Array.isArray(items) ? { ...kept, items: items.map((item) => pick(item, KEPT_LINE)) } : kept;
}

const KEPT_PRESCRIPTION =
  /^(?:External Id|Shop Id|Order Total Amount|Product [123] (?:Service Product Id|Quantity|Price))$/;

export function erasedPrescription(data: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).filter(([key]) => KEPT_PRESCRIPTION.test(key)));
}

function pick(from: unknown, keys: readonly string[]): Record<string, unknown> {
  const entries = typeof from === 'object' && from !== null ? Object.entries(from) : [];
  return Object.fromEntries(entries.filter(([key]) => keys.includes(key)));
}
