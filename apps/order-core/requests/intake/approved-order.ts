import { createHash } from 'node:crypto';
import type { ShippingOption } from '@offizin/contracts/orders/orders';
import type { ApproveBody } from '@offizin/contracts/requests/order-request-review';
import type { OrderRequestPayload } from '@offizin/contracts/requests/order-requests';
import type { ReservationLine } from '@offizin/contracts/products/reservations';
import { patchOf, requireFittingLines, sumOfLines } from '../../orders/orders/order-patch';
import type { OrderRow } from '../../orders/orders/order-row';
import { linesOf } from './submission';

type ApprovedColumn =
  | ('customer_name' | 'customer_email' | 'shipping_option' | 'payment_status' | 'payment_reference')
  | ('address_street' | 'address_city' | 'address_postal_code' | 'address_phone')
  | ('cash_on_pickup' | 'total_amount' | 'items');

/** The partner's fields with the corrections of staff. */
export interface ApprovedOrder {
  fields: Pick<OrderRow, ApprovedColumn> & { total_is_given: boolean };
  status: 'awaiting_packing' | 'awaiting_payment';
}

/** A correction wins, even null; undefined keeps the partner's value. */
function staffOrPartner<Value>(correction: Value | null | undefined, sent: Value | undefined): Value | null {
  return (correction === undefined ? sent : correction) ?? null;
}

function isPickedUp(option: ShippingOption | null): boolean {
  return option === null || option === 'Abholung';
}

/**
 * The only place that converts a request's lines (`quantity`) to order lines. An order that is paid, or will be paid
 * at pick-up, can be packed now; any other waits for its payment. Throws `Refused` for lines that are too large.
 */
export function approvedOrder(payload: OrderRequestPayload, corrections: ApproveBody): ApprovedOrder {
  const corrected = patchOf(corrections);
  const items = corrected.items ?? linesOf(payload);
  requireFittingLines(items);
  const shippingOption = staffOrPartner(corrections.shipping_option, payload.shipping_option);
  const saysCash = payload.payment_status === 'cash_on_pickup';
  // By default only for goods that are picked up: delivered ones would be sent before they are paid.
  const cashOnPickup = payload.cash_on_pickup ?? (saysCash || isPickedUp(shippingOption));
  const paymentStatus = payload.payment_status ?? (cashOnPickup ? 'cash_on_pickup' : 'pending');
  const total = corrections.total_amount ?? (corrections.items ? null : payload.total_amount) ?? undefined;
  const fields = {
    customer_name: corrected.customer_name ?? payload.customer_name ?? null,
    customer_email: corrected.customer_email ?? payload.customer_email ?? null,
    address_street: staffOrPartner(corrections.address_street, payload.address_street),
    address_city: staffOrPartner(corrections.address_city, payload.address_city),
    address_postal_code: staffOrPartner(corrections.address_postal_code, payload.address_postal_code),
    address_phone: staffOrPartner(corrections.address_phone, payload.address_phone),
    shipping_option: shippingOption,
    payment_status: paymentStatus,
    payment_reference: payload.payment_reference ?? null,
    cash_on_pickup: cashOnPickup,
    total_amount: total ?? sumOfLines(items),
    total_is_given: total !== undefined,
    items,
  };
  return { fields, status: paymentStatus === 'pending' ? 'awaiting_payment' : 'awaiting_packing' };
}

/** Hash of products and quantities, independent of their order; null for no lines. */
export function hashOfLines(lines: readonly ReservationLine[]): Buffer | null {
  if (lines.length === 0) return null;
  const pairs = lines.map(({ p1_id, quantity }) => [p1_id, quantity] as const);
  const sorted = pairs.sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest();
}
