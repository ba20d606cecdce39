import type { OrderDetail } from '@offizin/contracts/orders';
import { DEFAULT_WORKFLOW, nextStatuses } from './order-status';
import type { OrderRow } from './orders.store';

/** The order as the contract shows it. */
export function orderDetail(row: OrderRow): OrderDetail {
  return {
    id: row.id,
    external_id: row.external_id,
    status: row.status,
    shop_id: row.shop_id,
    customer_name: row.customer_name,
    total_amount: row.total_amount,
    payment_status: row.payment_status,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    customer_email: row.customer_email,
    payment_reference: row.payment_reference,
    shipped: row.shipped,
    picked_up: row.picked_up,
    cash_on_pickup: row.cash_on_pickup,
    shipping_address: {
      street: row.address_street,
      city: row.address_city,
      postal_code: row.address_postal_code,
      phone: row.address_phone,
    },
    items: row.items,
    order_number: row.order_number,
    order_datetime: row.order_datetime?.toISOString() ?? null,
    shipping_option: row.shipping_option,
    order_request_id: row.order_request_id,
    next_statuses: nextStatuses(row.workflow ?? DEFAULT_WORKFLOW, row.status),
  };
}

/** ETag of an order: its version, which rises by one with every change. */
export function orderTag(row: Pick<OrderRow, 'sequence'>): string {
  return `"${row.sequence}"`;
}

/** A version that no order has. */
export const NO_VERSION = -1;

/** The version named by If-Match; null when there is none or it is `*`. A tag that is none of ours matches nothing. */
export function sequenceOf(ifMatch: string | undefined): number | null {
  if (ifMatch === undefined || ifMatch === '*') return null;
  const tag = /^"(\d{1,9})"$/.exec(ifMatch);
  return tag?.[1] === undefined ? NO_VERSION : Number(tag[1]);
}
