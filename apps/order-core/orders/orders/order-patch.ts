import { invalid, Refused } from '@offizin/contracts/calls/errors';
import type { MetadataChange } from '@offizin/contracts/calls/metadata';
import { fromCents, MAX_MONEY, toCents } from '@offizin/contracts/calls/money';
import { MAX_LINES_BYTES, type OrderUpdateBody, type UpsertItem } from '@offizin/contracts/orders/orders';
import type { HeldStock } from '../stock/stock-lines';

/** The columns that a caller sets; an absent column keeps its value. */
export type OrderPatch = Partial<{
  order_number: string | null;
  order_datetime: string | null;
  customer_name: string | null;
  customer_email: string | null;
  address_street: string | null;
  address_city: string | null;
  address_postal_code: string | null;
  address_phone: string | null;
  /** Null: the sum of the lines. */
  total_amount: number | null;
  /** Null: computed from now on. */
  total_is_given: boolean | null;
  /** Null: the default of a new order. */
  payment_status: string | null;
  payment_reference: string | null;
  shipping_option: string | null;
  shipped: boolean;
  picked_up: boolean;
  cash_on_pickup: boolean;
  items: StoredItem[];
  /** Merged into the stored values; null removes all. */
  metadata: MetadataChange | null;
  /** The claim that holds the stock of the lines, and whether it holds any; set by stock-claimed-orders.ts only. */
  stock_claim_id: string | null;
  stock: HeldStock;
  /** Set by an erasure only. */
  erased_at: string;
}>;

/** What an erasure empties, and what the order does not take afterwards. */
export const DROPPED_WHEN_ERASED = [
  'customer_name',
  'customer_email',
  'address_street',
  'address_city',
  'address_postal_code',
  'address_phone',
  'metadata',
] as const satisfies readonly (keyof OrderPatch)[];

/** Throws `Refused` (conflict) for a text about the customer of an erased order or request. */
export function refuseText({ erased_at: erasedAt }: { erased_at: Date | null }): void {
  if (erasedAt === null) return;
  throw new Refused(
    'conflict',
    'Its customer was erased, so it takes no text about a person: read it again, and leave out name, e-mail, address, question and note.',
  );
}

/** A line as stored and as the order detail shows it. */
export interface StoredItem {
  p1_id: string | null;
  name: string | null;
  quantity: number;
  price: number;
}

/** The body of an upsert or PUT as a patch. Throws `Refused` for lines that are too large. One literal without spreads, which is much faster. */
export function patchOf(body: OrderUpdateBody): OrderPatch {
  const items = body.items === null ? [] : body.items?.map(storedItem);
  if (items) requireFittingLines(items);
  const { total_amount, total_is_given } = totalOf(body.total_amount, items);
  return {
    order_number: body.order_number,
    order_datetime: body.order_datetime,
    customer_name: body.customer_name,
    customer_email: body.customer_email,
    address_street: body.address_street,
    address_city: body.address_city,
    address_postal_code: body.address_postal_code,
    address_phone: body.address_phone,
    payment_status: body.payment_status,
    payment_reference: body.payment_reference,
    shipping_option: body.shipping_option,
    shipped: cleared(body.shipped),
    picked_up: cleared(body.picked_up),
    cash_on_pickup: cleared(body.cash_on_pickup),
    items,
    total_amount,
    total_is_given,
    metadata: body.metadata,
  };
}

/** Defaults of a new order for fields that the patch leaves out, or sets to null where the column is NOT NULL. */
export function restOf(patch: OrderPatch) {
  const { items, total_amount: total, total_is_given: isGiven, payment_status: payment } = patch;
  return {
    status: 'pending',
    items: items ? undefined : [],
    total_amount: typeof total === 'number' ? undefined : total === null ? sumOfLines(items ?? []) : 0,
    total_is_given: typeof isGiven === 'boolean' ? undefined : false,
    payment_status: payment ? undefined : defaultPaymentStatus(patch.cash_on_pickup ?? false),
    shipped: patch.shipped === undefined ? false : undefined,
    picked_up: patch.picked_up === undefined ? false : undefined,
    cash_on_pickup: patch.cash_on_pickup === undefined ? false : undefined,
  };
}

/** Whether new values follow from the stored ones: a NOT NULL column is set to null, or metadata are merged. */
export function needsStored(patch: OrderPatch): boolean {
  return patch.payment_status === null || patch.total_is_given === null || patch.metadata !== undefined;
}

function cleared(flag: boolean | null | undefined): boolean | undefined {
  return flag === null ? false : flag;
}

/**
 * A given total is stored as is (it may include shipping); otherwise it is the sum of the lines and follows them. Null
 * returns to the sum; without lines in the body, the statement computes it from the stored lines.
 */
function totalOf(given: number | null | undefined, items: StoredItem[] | undefined): OrderPatch {
  if (typeof given === 'number') return { total_amount: fromCents(toCents(given)), total_is_given: true };
  if (!items) return given === null ? { total_amount: null, total_is_given: null } : {};
  return { total_amount: sumOfLines(items), total_is_given: given === null ? null : false };
}

/** Sum of quantity × price in EUR. Throws `Refused` above MAX_MONEY. */
export function sumOfLines(items: readonly StoredItem[], field = 'items'): number {
  const total = fromCents(items.reduce((cents, item) => cents + item.quantity * toCents(item.price), 0));
  if (total <= MAX_MONEY) return total;
  throw sumTooLarge(field);
}

export function sumTooLarge(field: string): Refused {
  return invalid([{ field, message: `the sum of quantity × price is more than ${MAX_MONEY} EUR` }]);
}

/** The only place where an upsert's `qty` becomes the stored `quantity`. */
export function storedItem(item: UpsertItem): StoredItem {
  return { p1_id: item.p1_id ?? null, name: item.name ?? null, quantity: item.qty, price: item.price };
}

/** See docs/contract.md#orders */
function defaultPaymentStatus(cashOnPickup: boolean): 'cash_on_pickup' | 'pending' {
  return cashOnPickup ? 'cash_on_pickup' : 'pending';
}

/** This many lines always fit: a text of 255 characters has at most 1,530 bytes of JSON. */
export const SMALL_ORDER_LINES = 100;

/**
 * Throws `Refused` (payload_too_large) for lines above MAX_LINES_BYTES, as answered. An order is answered whole: with
 * such lines and the largest values of all other fields it has at most 512 KiB, so every stored order can be read.
 */
export function requireFittingLines(items: readonly StoredItem[]): void {
  const bytes = bytesOfLines(items);
  if (bytes <= MAX_LINES_BYTES) return;
  throw new Refused(
    'payload_too_large',
    `The lines would have ${bytes} bytes of JSON as answered, and the lines of an order have at most ${MAX_LINES_BYTES}: send fewer lines, or shorter texts.`,
  );
}

/** 0 for lines that always fit. */
export function bytesOfLines(items: readonly StoredItem[]): number {
  return items.length <= SMALL_ORDER_LINES ? 0 : Buffer.byteLength(JSON.stringify(items));
}
