import type { Caller } from '@offizin/contracts/calls/caller';
import { notFound, Refused } from '@offizin/contracts/calls/errors';
import { type AuditedChange, buildAuditRecord } from '@offizin/events/audit-outbox';
import type { Sql } from '@offizin/pg/database';
import { type RequestedAdjustment, StockInTurn } from './stock-adjustment';
import { changeStocks, entriesOfReferences, lockStocks } from './stock.store';

export interface Adjustment extends RequestedAdjustment {
  caller: Caller;
  /** The caller's. */
  traceparent: string | null;
}

export interface Adjusted {
  /** Of the entry in the stock log; of an earlier one where the adjustment repeats it. */
  id: string;
  stock_quantity: number;
  /** False for a repeat, and for a count that confirms the stock. */
  isChanged: boolean;
}

/**
 * Adjustments that share a transaction: racing ones of a product, those that wait with them, and those of a batch. Each is
 * decided in its turn and has its own outcome.
 */
export async function adjustTogether(
  tx: Sql,
  members: readonly Adjustment[],
): Promise<(Adjusted | Refused)[]> {
  const stocks = await stocksInTurn(tx, members);
  const changes: Parameters<typeof changeStocks>[1][number][] = [];
  const outcomes = members.map((member): Adjusted | Refused => {
    const { caller, request, logId, traceparent } = member;
    const { orgId, actorId } = caller;
    const decision = stocks.get(productKey(orgId, request.p1_id))?.decide(member) ?? notFound('product');
    if (decision instanceof Refused) return decision;
    const { stock } = decision;
    if (decision.kind === 'repeat')
      return { id: decision.entry.id, stock_quantity: stock.stock_quantity, isChanged: false };
    const { delta } = decision;
    const { reference = null, note = null, reason } = request;
    const auditRecord = buildAuditRecord(caller, auditedChange(caller, 'inventory.adjust', request.p1_id));
    const cause = { actor: actorId, note, reference, auditRecord, traceparent };
    changes.push({ orgId, stock, delta, reservedDelta: 0, reason, logId, cause });
    return { id: logId, stock_quantity: stock.stock_quantity + delta, isChanged: delta !== 0 };
  });
  await changeStocks(tx, changes);
  return outcomes;
}

/** Locks the products of the adjustments, by productKey. */
async function stocksInTurn(tx: Sql, members: readonly Adjustment[]): Promise<Map<string, StockInTurn>> {
  const requested = members.map(({ caller: { orgId }, request: { p1_id: p1Id, reference } }) => ({
    orgId,
    p1Id,
    reference,
  }));
  const products = new Map(requested.map((product) => [productKey(product.orgId, product.p1Id), product]));
  const stocks = new Map<string, StockInTurn>();
  for (const { org_id, ...stock } of await lockStocks(tx, [...products.values()]))
    stocks.set(productKey(org_id, stock.p1_id), new StockInTurn(stock));
  const references = requested.flatMap(({ reference, ...product }) =>
    typeof reference === 'string' ? [{ ...product, reference }] : [],
  );
  for (const { org_id, p1_id, reference, ...entry } of await entriesOfReferences(tx, references))
    stocks.get(productKey(org_id, p1_id))?.note(reference, entry);
  return stocks;
}

export function productKey(orgId: string, p1Id: string): string {
  return `${orgId} ${p1Id}`;
}

export function auditedChange({ orgId }: Caller, action: string, p1Id: string): AuditedChange {
  return { orgId, action, object: `product:${p1Id}` };
}
