import { createHash } from 'node:crypto';
import type { ApproveBody } from '@offizin/contracts/order-request-review';
import type { OrderRequestPayload } from '@offizin/contracts/order-requests';
import type { ReservationLine } from '@offizin/contracts/reservations';
import { type OrderPatch, type StoredItem, patchOf, sumOfLines } from '../orders/order-fields';
import { linesOf } from './submission';

/** The order that a request becomes: the partner's fields, corrected by what staff changed while approving. */
export interface ApprovedOrder {
  fields: OrderPatch & { items: StoredItem[] };
  status: 'awaiting_packing' | 'awaiting_payment';
}

type DeliveryField =
  'address_street' | 'address_city' | 'address_postal_code' | 'address_phone' | 'shipping_option';

/**
 * The one place where a request's lines (`quantity`) become an order's. A paid order, or one that is paid at pick-up,
 * can be packed at once; any other waits for its payment.
 */
export function approvedOrder(payload: OrderRequestPayload, corrections: ApproveBody): ApprovedOrder {
  const corrected = patchOf(corrections);
  const items = corrected.items ?? linesOf(payload);
  const cashOnPickup = payload.cash_on_pickup ?? true;
  const paymentStatus = payload.payment_status ?? (cashOnPickup ? 'cash_on_pickup' : 'pending');
  const given = corrections.total_amount ?? (corrections.items ? undefined : payload.total_amount);
  const staffOrPartner = (field: DeliveryField): string | null => {
    const correction = corrections[field];
    return (correction === undefined ? payload[field] : correction) ?? null;
  };
  const fields = {
    customer_name: corrected.customer_name ?? payload.customer_name ?? null,
    customer_email: corrected.customer_email ?? payload.customer_email ?? null,
    address_street: staffOrPartner('address_street'),
    address_city: staffOrPartner('address_city'),
    address_postal_code: staffOrPartner('address_postal_code'),
    address_phone: staffOrPartner('address_phone'),
    shipping_option: staffOrPartner('shipping_option'),
    payment_status: paymentStatus,
    payment_reference: payload.payment_reference ?? null,
    cash_on_pickup: cashOnPickup,
    total_amount: given ?? sumOfLines(items),
    total_is_given: given !== undefined,
    items,
  };
  return { fields, status: paymentStatus === 'pending' ? 'awaiting_payment' : 'awaiting_packing' };
}

/** What tells the lines of two attempts apart, in whatever order they stand; null for none. */
export function hashOfLines(lines: readonly ReservationLine[]): Buffer | null {
  if (lines.length === 0) return null;
  const pairs = lines.map(({ p1_id, quantity }) => [p1_id, quantity] as const);
  const sorted = pairs.sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest();
}
