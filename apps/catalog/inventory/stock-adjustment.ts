import { type Problem, Refused } from '@offizin/contracts/calls/errors';
import type { AdjustReason, InventoryAdjustRequest } from '@offizin/contracts/products/inventory';
import { MAX_STOCK } from '@offizin/contracts/products/products';
import type { NewEvent } from '@offizin/events/outbox';
import type { InventoryItemRow, StockLogRow } from '../db/entities';

/** Stock of one product, with its row locked. */
export type Stock = Pick<
  InventoryItemRow,
  'p1_id' | 'stock_quantity' | 'reserved_quantity' | 'low_stock_threshold'
>;

/** Problems of a request that are independent of the stock; empty if it is valid. */
export function adjustmentProblems(request: InventoryAdjustRequest): Problem[] {
  const { delta, quantity, expected_quantity: expected } = request;
  const problems: Problem[] = [];
  if (delta === undefined && quantity === undefined) {
    problems.push({ field: 'delta', message: 'is required unless quantity is given' });
  }
  if (delta !== undefined && quantity !== undefined) {
    problems.push({ field: 'delta', message: 'must not be given together with quantity' });
  }
  if (delta === 0) problems.push({ field: 'delta', message: 'must not be 0' });
  if (expected !== undefined && quantity === undefined) {
    problems.push({ field: 'expected_quantity', message: 'must only be given together with quantity' });
  }
  return problems;
}

/**
 * The change of the stock, or the reason for a refusal. A count that confirms the stock is a logged change by 0. Stock
 * reserved for approved orders cannot be removed.
 */
export function decideAdjustment(stock: Stock, request: InventoryAdjustRequest): number | Refused {
  const { stock_quantity: present, reserved_quantity: reserved } = stock;
  const { expected_quantity: expected } = request;
  if (expected !== undefined && expected !== present) {
    const message = `The stock is ${present}, not ${expected}: read it again, then repeat with what it is.`;
    return new Refused('stale_quantity', message);
  }
  const delta = request.quantity === undefined ? (request.delta ?? 0) : request.quantity - present;
  if (present + delta < reserved) {
    const message = `Only ${present - reserved} of ${present} pieces can be taken away; ${reserved} are reserved.`;
    return new Refused('out_of_stock', message);
  }
  if (present + delta > MAX_STOCK) {
    const message = `would raise the stock over ${MAX_STOCK}`;
    return new Refused('invalid_request', `delta: ${message}`, [{ field: 'delta', message }]);
  }
  return delta;
}

/** A log entry with a caller's reference. */
export type ReferencedEntry = Pick<StockLogRow, 'id' | 'delta' | 'stock_after' | 'reason'>;

/** True if the entry resulted from an equal request: the request is a repeat. */
export function isRepetition(entry: ReferencedEntry, request: InventoryAdjustRequest): boolean {
  if (entry.reason !== request.reason) return false;
  return request.quantity === undefined
    ? entry.delta === request.delta
    : entry.stock_after === request.quantity;
}

/** An adjustment of a product, among others. */
export interface RequestedAdjustment {
  logId: string;
  request: InventoryAdjustRequest;
}

/** The stock before the change, or the entry of the same reference that makes the request a repeat, with the stock. */
type Decision =
  | { kind: 'change'; stock: Stock; delta: number }
  | { kind: 'repeat'; stock: Stock; entry: ReferencedEntry }
  | Refused;

/**
 * The stock of one product, for adjustments that share a transaction: each is decided on the stock and the references
 * that those before it leave.
 */
export class StockInTurn {
  private readonly entries = new Map<string, ReferencedEntry>();

  constructor(private stock: Stock) {}

  note(reference: string, entry: ReferencedEntry): void {
    this.entries.set(reference, entry);
  }

  decide({ logId, request }: RequestedAdjustment): Decision {
    const { stock } = this;
    const { reference = null, reason } = request;
    const entry = reference === null ? undefined : this.entries.get(reference);
    if (entry) return isRepetition(entry, request) ? { kind: 'repeat', stock, entry } : referenceTaken();
    const delta = decideAdjustment(stock, request);
    if (delta instanceof Refused) return delta;
    const stock_after = stock.stock_quantity + delta;
    this.stock = { ...stock, stock_quantity: stock_after };
    if (reference !== null) this.note(reference, { id: logId, delta, stock_after, reason });
    return { kind: 'change', stock, delta };
  }
}

function referenceTaken(): Refused {
  const message = 'This reference belongs to another adjustment of the product: use a new one.';
  return new Refused('reference_conflict', message);
}

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

type UnnumberedEvent = Omit<NewEvent, 'sequence'>;

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
