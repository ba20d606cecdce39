import type { Problem } from '@offizin/contracts/calls/errors';
import { MAX_QUANTITY } from '@offizin/contracts/calls/fields';
import type { OrderStatus } from '@offizin/contracts/orders/orders';
import { CLOSED_STATUSES } from '@offizin/contracts/orders/settings';
import type { ReservationLine } from '@offizin/contracts/products/reservations';

/** The stock-related part of an order line; a line without p1_id has no stock. */
export interface StockedItem {
  p1_id: string | null;
  quantity: number;
}

/** Lines to reserve: the sum per product, without lines that name no product. */
export function stockLines(items: readonly StockedItem[]): ReservationLine[] {
  const quantityByProduct = new Map<string, number>();
  for (const { p1_id, quantity } of items) {
    if (p1_id !== null) quantityByProduct.set(p1_id, (quantityByProduct.get(p1_id) ?? 0) + quantity);
  }
  return [...quantityByProduct].map(([p1_id, quantity]) => ({ p1_id, quantity }));
}

/** Of each product the most that one of the lists needs. */
export function mostLines(lists: readonly (readonly StockedItem[])[]): ReservationLine[] {
  const most = new Map<string, number>();
  for (const { p1_id, quantity } of lists.flatMap((items) => stockLines(items)))
    most.set(p1_id, Math.max(most.get(p1_id) ?? 0, quantity));
  return [...most].map(([p1_id, quantity]) => ({ p1_id, quantity }));
}

/** The catalog holds at most MAX_QUANTITY of one product, in one line or in several. */
export function quantityProblems(items: readonly StockedItem[]): Problem[] {
  const sums = new Map<string, number>();
  return items.flatMap(({ p1_id: product, quantity }, index) => {
    if (product === null) return [];
    const sum = (sums.get(product) ?? 0) + quantity;
    sums.set(product, sum);
    if (sum <= MAX_QUANTITY) return [];
    const message = `with the lines before, the quantity of ${product} is more than ${MAX_QUANTITY}`;
    return [{ field: `items[${index}]`, message }];
  });
}

/** Final statuses for stock: the goods have left or will not be fetched, so the order holds none. */
const ENDED: ReadonlySet<OrderStatus> = new Set(CLOSED_STATUSES);

/** The stock of an open order. */
export type HeldStock = 'reserved' | null;

/** The part of an order that decides whether it needs a new claim. */
export interface HoldingOrder {
  status: OrderStatus;
  items: readonly StockedItem[];
  stock_claim_id: string | null;
  order_request_id: string | null;
  stock: 'reserved' | 'sold' | 'released' | null;
}

/**
 * True when an order must claim stock for these lines: products or quantities differ from its present lines, or the
 * order is new. An order in a final status claims nothing.
 */
export function needsClaim(before: HoldingOrder | null, items: readonly StockedItem[]): boolean {
  const asked = stockLines(items);
  if (!before) return asked.length > 0;
  if (ENDED.has(before.status) || haveSameStock(items, before.items)) return false;
  return asked.length > 0 || heldBy(before) !== null;
}

/** How the hold of a closed order ended, although the events may be in transit; one without lines counts as released. */
export function endOf({ status, stock }: HoldingOrder): 'sold' | 'released' | null {
  if (!ENDED.has(status)) return null;
  return stock === 'sold' ? stock : 'released';
}

/** Id of the order's hold: its last claim, or the order request; null when it holds nothing. */
export function heldBy(order: HoldingOrder): string | null {
  return order.stock_claim_id ?? order.order_request_id;
}

export function haveSameStock(some: readonly StockedItem[], others: readonly StockedItem[]): boolean {
  const [asked, lines] = [stockLines(some), stockLines(others)];
  const quantities = new Map(lines.map((line) => [line.p1_id, line.quantity]));
  return asked.length === lines.length && asked.every((line) => quantities.get(line.p1_id) === line.quantity);
}
