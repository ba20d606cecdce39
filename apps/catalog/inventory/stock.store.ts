import { type Sql, statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { appendEvent } from '@offizin/events/outbox';
import { SCHEMA } from '../db/schema';
import type { ReferencedEntry, Stock } from './stock-adjustment';
import { type StockChange, stockEvents } from './stock-events';

/**
 * The only statements that change stock. Guarantees:
 * - rows are locked in the order of their ids, so callers never deadlock;
 * - every change writes its log entry and its events in the same transaction;
 * - the entries of a product are numbered without gaps.
 */

const lock = statement<Stock, [string, string[]]>(
  'stock_lock',
  `SELECT p1_id, stock_quantity, reserved_quantity, low_stock_threshold
   FROM ${SCHEMA}.inventory WHERE org_id = $1 AND p1_id = ANY($2::text[])
   ORDER BY p1_id
   FOR NO KEY UPDATE`,
);

/** Locks the products that are in the inventory until the transaction ends. Call it once per transaction. */
export async function lockStock(tx: Sql, orgId: string, p1Ids: string[]): Promise<Stock[]> {
  return tx.rows(lock, orgId, p1Ids);
}

const change = statement<
  { event_sequence: number; stock_after: number },
  [
    string,
    string,
    number,
    number,
    number,
    string,
    string,
    string | null,
    string | null,
    string | null,
    string,
  ]
>(
  'stock_change',
  `WITH item AS (
     UPDATE ${SCHEMA}.inventory SET
       stock_quantity = stock_quantity + $3, reserved_quantity = reserved_quantity + $4,
       log_entries = log_entries + 1, event_sequence = event_sequence + $5, updated_at = clock_timestamp()
     WHERE org_id = $1 AND p1_id = $2
     RETURNING stock_quantity, log_entries, event_sequence
   ), entry AS (
     INSERT INTO ${SCHEMA}.stock_log
       (id, org_id, p1_id, entry_number, delta, stock_after, reason, note, reference, order_id, actor, created_at)
     SELECT $6::uuid, $1, $2, log_entries, $3, stock_quantity, $7, $8, $9, $10::uuid, $11, clock_timestamp()
     FROM item
   )
   SELECT event_sequence, stock_quantity AS stock_after FROM item`,
);

/** Actor and cause of a change, for the log. */
export interface StockChangeCause {
  actor: string;
  note?: string | null;
  reference?: string | null;
  orderId?: string | null;
}

/** Changes the stock of a locked product, with its log entry and events. Returns the entry's id and the new stock. */
export async function changeStock(
  tx: Sql,
  what: StockChange,
  cause: StockChangeCause,
): Promise<{ id: string; stockAfter: number }> {
  const id = newId();
  const events = stockEvents(what, id);
  const [row] = await tx.rows(
    change,
    what.orgId,
    what.stock.p1_id,
    what.delta,
    what.reservedDelta,
    events.length,
    id,
    what.reason,
    cause.note ?? null,
    cause.reference ?? null,
    cause.orderId ?? null,
    cause.actor,
  );
  if (!row) throw new Error(`product ${what.stock.p1_id} left the inventory while it was locked`);
  const firstSequence = row.event_sequence - events.length + 1;
  for (const [place, event] of events.entries()) {
    await appendEvent(tx, SCHEMA, { ...event, sequence: firstSequence + place });
  }
  return { id, stockAfter: row.stock_after };
}

const reserve = statement<never, [string, string[], number[]]>(
  'stock_reserve',
  `UPDATE ${SCHEMA}.inventory i
   SET reserved_quantity = i.reserved_quantity + change.delta, updated_at = clock_timestamp()
   FROM unnest($2::text[], $3::int[]) AS change (p1_id, delta)
   WHERE i.org_id = $1 AND i.p1_id = change.p1_id AND change.delta <> 0`,
);

/** Changes the reserved part of locked products, by product id. */
export async function changeReserved(
  tx: Sql,
  orgId: string,
  deltas: ReadonlyMap<string, number>,
): Promise<void> {
  if (deltas.size > 0) await tx.rows(reserve, orgId, [...deltas.keys()], [...deltas.values()]);
}

const referenced = statement<ReferencedEntry, [string, string, string]>(
  'stock_log_by_reference',
  `SELECT id, delta, stock_after, reason FROM ${SCHEMA}.stock_log
   WHERE org_id = $1 AND p1_id = $2 AND reference = $3`,
);

/** The log entry of a caller's reference. The product must be locked, to prevent a concurrent entry. */
export async function entryOfReference(
  tx: Sql,
  orgId: string,
  p1Id: string,
  reference: string,
): Promise<ReferencedEntry | null> {
  const [row] = await tx.rows(referenced, orgId, p1Id, reference);
  return row ?? null;
}
