import { Refused } from '@offizin/contracts/errors';
import { MAX_ORDER_BYTES } from '@offizin/contracts/orders';
import { orderDetail } from './order-detail';
import type { StoredItem } from './order-patch';
import type { OrderRow } from './orders.store';

/**
 * An order is answered whole, so its JSON is limited to MAX_ORDER_BYTES; a change that would exceed it is refused before
 * the commit. Orders that cannot reach the limit are not measured: few lines, or short ones.
 */

/** This many lines always fit: 255 characters have at most 1,530 bytes of JSON. */
export const SMALL_ORDER_LINES = 100;
/** Upper bound of all other fields together. */
const FURTHER_FIELDS_BYTES = 128 * 1024;
/** Lines up to this size leave space for all other fields. PostgreSQL's JSON is never shorter than JSON.stringify's. */
export const SMALL_ITEMS_BYTES = MAX_ORDER_BYTES - FURTHER_FIELDS_BYTES;

/** Whether an order with these lines must be measured. Throws `Refused` when the lines alone are too large. */
export function mustBeMeasured(items: readonly StoredItem[]): boolean {
  if (items.length <= SMALL_ORDER_LINES) return false;
  const bytes = bytesOf(items);
  if (bytes > MAX_ORDER_BYTES) throw tooLarge(bytes);
  return bytes > SMALL_ITEMS_BYTES;
}

/** Throws `Refused` (payload_too_large) for an order above MAX_ORDER_BYTES. */
export function requireAnswerable(order: OrderRow): void {
  if (order.items.length <= SMALL_ORDER_LINES) return;
  const bytes = bytesOf(orderDetail(order));
  if (bytes > MAX_ORDER_BYTES) throw tooLarge(bytes);
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function tooLarge(bytes: number): Refused {
  return new Refused(
    'payload_too_large',
    `The order would have ${bytes} bytes of JSON as answered, and an order has at most ${MAX_ORDER_BYTES}: send fewer lines, or shorter texts.`,
  );
}
