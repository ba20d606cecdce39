import type { OrderStatus } from '@offizin/contracts/orders';
import type { ReservationLine } from '@offizin/contracts/reservations';

/** The line of an order as far as stock is concerned; without a p1_id it is not. */
export interface StockedItem {
  p1_id: string | null;
  quantity: number;
}

/** What to reserve: the sum per product over the lines that name one. */
export function stockLines(items: readonly StockedItem[]): ReservationLine[] {
  const quantityByProduct = new Map<string, number>();
  for (const { p1_id, quantity } of items) {
    if (p1_id !== null) quantityByProduct.set(p1_id, (quantityByProduct.get(p1_id) ?? 0) + quantity);
  }
  return [...quantityByProduct].map(([p1_id, quantity]) => ({ p1_id, quantity }));
}

/** Statuses in which the goods have left, or nobody will fetch them: what such an order holds of the stock has ended. */
const ENDED: ReadonlySet<OrderStatus> = new Set(['shipped', 'picked_up', 'completed', 'cancelled']);

/** What decides whether an order has to claim stock anew. */
export interface HoldingOrder {
  status: OrderStatus;
  items: readonly StockedItem[];
  stock_claim_id: string | null;
  order_request_id: string | null;
}

/**
 * Whether an order that the stock follows has to claim it for these lines: when they want other products or quantities
 * than before, or there is no order yet. An order that has ended claims nothing.
 */
export function needsClaim(before: HoldingOrder | null, items: readonly StockedItem[]): boolean {
  const asked = stockLines(items);
  if (!before) return asked.length > 0;
  if (ENDED.has(before.status) || areSame(asked, stockLines(before.items))) return false;
  return asked.length > 0 || heldBy(before) !== null;
}

/** What holds the stock of an order: its last claim, or the request that it came from; null when nothing does. */
export function heldBy(order: HoldingOrder): string | null {
  return order.stock_claim_id ?? order.order_request_id;
}

function areSame(some: readonly ReservationLine[], others: readonly ReservationLine[]): boolean {
  const quantities = new Map(others.map((line) => [line.p1_id, line.quantity]));
  return some.length === others.length && some.every((line) => quantities.get(line.p1_id) === line.quantity);
}
