import { Refused } from '@offizin/contracts/errors';
import { MAX_LINES_BYTES } from '@offizin/contracts/orders';
import type { StoredItem } from './order-patch';

/** This many lines always fit: a text of 255 characters has at most 1,530 bytes of JSON. */
export const SMALL_ORDER_LINES = 100;

/**
 * Throws `Refused` (payload_too_large) for lines above MAX_LINES_BYTES, as answered. An order is answered whole: with
 * such lines and the largest values of all other fields it has at most 512 KiB, so every stored order can be read.
 */
export function requireFittingLines(items: readonly StoredItem[]): void {
  if (items.length <= SMALL_ORDER_LINES) return;
  const bytes = Buffer.byteLength(JSON.stringify(items));
  if (bytes <= MAX_LINES_BYTES) return;
  throw new Refused(
    'payload_too_large',
    `The lines would have ${bytes} bytes of JSON as answered, and the lines of an order have at most ${MAX_LINES_BYTES}: send fewer lines, or shorter texts.`,
  );
}
