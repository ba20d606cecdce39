import { Refused } from '@offizin/contracts/errors';
import { MAX_ORDER_BYTES } from '@offizin/contracts/orders';
import { orderDetail } from './order-detail';
import type { StoredItem } from './order-patch';
import type { OrderRow } from './orders.store';

/**
 * An order is answered whole, so its JSON has a limit (MAX_ORDER_BYTES), and a change that would exceed it is refused
 * before it is committed. Measuring costs time, so orders that cannot reach the limit are not measured: few lines, or
 * lines that leave room for the longest further fields.
 */

/** So many lines are within the limit whatever they hold: 255 characters have at most 1,530 bytes of JSON. */
export const SMALL_ORDER_LINES = 100;
/** Every further field at its longest has less. */
const FURTHER_FIELDS_BYTES = 64 * 1024;
/** Lines with as much, as PostgreSQL writes them (no shorter than JSON.stringify), leave room for all further fields. */
export const SMALL_ITEMS_BYTES = MAX_ORDER_BYTES - FURTHER_FIELDS_BYTES;

/** Whether an order with these lines has to be measured before it is committed. Throws `Refused` when they alone are too large. */
export function mustBeMeasured(items: readonly StoredItem[]): boolean {
  if (items.length <= SMALL_ORDER_LINES) return false;
  const bytes = bytesOf(items);
  if (bytes > MAX_ORDER_BYTES) throw tooLarge(bytes);
  return bytes > SMALL_ITEMS_BYTES;
}

/** Throws `Refused` (payload_too_large) for an order that has more bytes as answered than an order may have. */
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
