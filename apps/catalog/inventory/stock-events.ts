import type { AdjustReason } from '@offizin/contracts/inventory';
import type { NewEvent } from '@offizin/events/outbox';
import type { Stock } from './stock-adjustment';

export interface StockChange {
  /** Of its log entry. */
  logId: string;
  orgId: string;
  /** Before the change, locked. */
  stock: Stock;
  delta: number;
  /** Change of the reserved part; a sale reduces both. */
  reservedDelta: number;
  reason: AdjustReason;
}

export type UnnumberedEvent = Omit<NewEvent, 'sequence'>;

/** The event of a stock change: none, an adjustment, or an adjustment that made the stock low. */
export function stockEvents(change: StockChange): UnnumberedEvent[] {
  const { logId, orgId, stock, delta, reason } = change;
  if (delta === 0) return [];
  const p1Id = stock.p1_id;
  const after = stock.stock_quantity + delta;
  const about = { orgId, aggregateId: `product:${orgId}:${p1Id}`, topic: 'plain' as const };
  const adjusted: UnnumberedEvent = {
    ...about,
    eventType: 'inventory_adjusted',
    title: 'Stock adjusted',
    description: `The stock of product ${p1Id} is now ${after}.`,
    metadata: { p1_id: p1Id, log_id: logId, delta, stock_quantity: after, reason },
  };
  const threshold = stock.low_stock_threshold;
  if (stock.stock_quantity <= threshold || after > threshold) return [adjusted];
  const low: UnnumberedEvent = {
    ...about,
    eventType: 'inventory_low',
    title: 'Stock low',
    description: `The stock of product ${p1Id} fell to ${after}.`,
    metadata: { p1_id: p1Id, stock_quantity: after, low_stock_threshold: threshold },
  };
  return [adjusted, low];
}
