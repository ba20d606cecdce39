import { invalid, type Refused } from '@offizin/contracts/errors';
import { fromCents, MAX_MONEY, toCents } from '@offizin/contracts/money';
import type { OrderUpdateBody, UpsertItem } from '@offizin/contracts/orders';

/** What a caller sets on an order, as the columns of the table; a column that is absent keeps its value. */
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
  /** Null: computed from now on, although one was given before. */
  total_is_given: boolean | null;
  /** Null: the default of a new order. */
  payment_status: string | null;
  payment_reference: string | null;
  shipping_option: string | null;
  shipped: boolean;
  picked_up: boolean;
  cash_on_pickup: boolean;
  items: StoredItem[];
  /** The claim that holds the stock of these lines, where the stock follows them; set by stocked-orders.ts only. */
  stock_claim_id: string | null;
}>;

/** A line as it is stored and as the order detail shows it. */
export interface StoredItem {
  p1_id: string | null;
  name: string | null;
  quantity: number;
  price: number;
}

/** The body of an upsert or PUT as a patch; `items` left out on a new order means none, as null always does. */
export function patchOf(body: OrderUpdateBody): OrderPatch {
  const { total_amount, ...fields } = body;
  const items = body.items === null ? [] : body.items;
  const { order_number, order_datetime, customer_name, customer_email } = fields;
  const { address_street, address_city, address_postal_code, address_phone } = fields;
  const { payment_status, payment_reference, shipping_option } = fields;
  const [shipped, picked_up, cash_on_pickup] = [fields.shipped, fields.picked_up, fields.cash_on_pickup].map(
    (flag) => (flag === null ? false : flag),
  );
  return {
    ...{ order_number, order_datetime, customer_name, customer_email },
    ...{ address_street, address_city, address_postal_code, address_phone },
    ...{ payment_status, payment_reference, shipping_option, shipped, picked_up, cash_on_pickup },
    ...(items ? { items: items.map(storedItem) } : {}),
    ...totalOf(total_amount, items),
  };
}

/**
 * A given total is kept as it is (it may hold shipping); otherwise it is the sum of the lines and follows them. Null
 * gives it back to the lines: those of the body, or else those that the order has, which only the statement knows.
 */
function totalOf(given: number | null | undefined, items: UpsertItem[] | undefined): OrderPatch {
  if (typeof given === 'number') return { total_amount: given, total_is_given: true };
  if (!items) return given === null ? { total_amount: null, total_is_given: null } : {};
  const total_amount = sumOfLines(items.map(storedItem));
  return { total_amount, total_is_given: given === null ? null : false };
}

/** Sum of quantity × price in EUR, added in cents. Throws `Refused` when it is more than an amount may be. */
export function sumOfLines(items: readonly StoredItem[], field = 'items'): number {
  const total = fromCents(items.reduce((cents, item) => cents + item.quantity * toCents(item.price), 0));
  if (total <= MAX_MONEY) return total;
  throw sumTooLarge(field);
}

export function sumTooLarge(field: string): Refused {
  return invalid([{ field, message: `the sum of quantity × price is more than ${MAX_MONEY} EUR` }]);
}

/** The one place where an upsert's `qty` becomes the stored `quantity`. */
function storedItem(item: UpsertItem): StoredItem {
  return { p1_id: item.p1_id ?? null, name: item.name ?? null, quantity: item.qty, price: item.price };
}

/** `cash_on_pickup` where the customer pays on pick-up, else `pending`. Source: decisions.md section 4. */
export function defaultPaymentStatus(cashOnPickup: boolean): 'cash_on_pickup' | 'pending' {
  return cashOnPickup ? 'cash_on_pickup' : 'pending';
}
