import { type Sql, statement } from '@offizin/pg/database';
import type { NotNull } from '@offizin/pg/queries';
import { appendTraced, buildEvent, type TracedEvent, type UntimedEvent } from '@offizin/events/outbox';
import type { InventoryItemRow, StockLogRow } from '../db/entities';
import { SCHEMA } from '../db/schema';
import { type ReferencedEntry, type Stock, type StockChange, stockEvents } from './stock-adjustment';

/**
 * The only statements that change stock. Guarantees:
 * - rows are locked in the order of their ids, so callers never deadlock;
 * - every change writes its log entry and its events in the same transaction;
 * - the entries of a product are numbered without gaps.
 */

/** Of an organization. */
export interface ProductKey {
  orgId: string;
  p1Id: string;
}

type StockOfOrganization = Stock & Pick<InventoryItemRow, 'org_id'>;

const lock = statement<StockOfOrganization, [string[], string[]]>(
  'stock_lock',
  `SELECT i.org_id, i.p1_id, i.stock_quantity, i.reserved_quantity, i.low_stock_threshold
   FROM unnest($1::uuid[], $2::text[]) AS asked (org_id, p1_id)
   JOIN ${SCHEMA}.inventory i ON i.org_id = asked.org_id AND i.p1_id = asked.p1_id
   ORDER BY i.org_id, i.p1_id
   FOR NO KEY UPDATE OF i`,
);

/** Locks the products that are in the inventory until the transaction ends. Call it once per transaction. */
export async function lockStocks(tx: Sql, products: readonly ProductKey[]): Promise<StockOfOrganization[]> {
  const orgIds = products.map(({ orgId }) => orgId);
  return tx.rows(
    lock,
    orgIds,
    products.map(({ p1Id }) => p1Id),
  );
}

/** As lockStocks, for products of one organization. */
export async function lockStock(tx: Sql, orgId: string, p1Ids: readonly string[]): Promise<Stock[]> {
  return lockStocks(
    tx,
    p1Ids.map((p1Id) => ({ orgId, p1Id })),
  );
}

/** The numbers of a change follow from the product's last ones and from how many of its changes come later. */
const change = statement<{ first_sequence: number }, [string]>(
  'stock_change',
  `WITH given AS (
     SELECT g.*, count(*) OVER later AS entries_left, sum(g.delta) OVER later AS delta_left,
       sum(g.events) OVER later AS events_left
     FROM json_to_recordset($1::json) AS g (place int, id uuid, org_id uuid, p1_id text, delta int,
       reserved_delta int, events int, reason text, note text, reference text, order_id uuid, actor text)
     WINDOW later AS (PARTITION BY g.org_id, g.p1_id ORDER BY g.place DESC)
   ), total AS (
     SELECT org_id, p1_id, sum(delta) AS delta, sum(reserved_delta) AS reserved_delta, count(*) AS entries,
       sum(events) AS events
     FROM given GROUP BY org_id, p1_id
   ), item AS (
     UPDATE ${SCHEMA}.inventory i SET
       stock_quantity = i.stock_quantity + total.delta,
       reserved_quantity = i.reserved_quantity + total.reserved_delta,
       log_entries = i.log_entries + total.entries, event_sequence = i.event_sequence + total.events,
       updated_at = clock_timestamp()
     FROM total WHERE i.org_id = total.org_id AND i.p1_id = total.p1_id
     RETURNING i.org_id, i.p1_id, i.stock_quantity, i.log_entries, i.event_sequence
   ), numbered AS (
     SELECT given.*, item.log_entries - entries_left + 1 AS entry_number,
       item.stock_quantity - delta_left + delta AS stock_after,
       item.event_sequence - events_left + 1 AS first_sequence
     FROM given JOIN item USING (org_id, p1_id)
   ), entry AS (
     INSERT INTO ${SCHEMA}.stock_log
       (id, org_id, p1_id, entry_number, delta, stock_after, reason, note, reference, order_id, actor, created_at)
     SELECT id, org_id, p1_id, entry_number, delta, stock_after, reason, note, reference, order_id, actor,
       clock_timestamp()
     FROM numbered
   )
   SELECT first_sequence::int FROM numbered ORDER BY place`,
);

/** Actor and cause of a change, for the log. */
export interface StockChangeCause {
  actor: string;
  note?: string | null;
  reference?: string | null;
  orderId?: string | null;
  /** Appended after the events of the change. */
  auditRecord?: UntimedEvent;
  /** The caller's. */
  traceparent: string | null;
}

/** Changes the stock of locked products in this order, each change with its log entry and events. */
export async function changeStocks(
  tx: Sql,
  changes: readonly (StockChange & { cause: StockChangeCause })[],
): Promise<void> {
  if (changes.length === 0) return;
  const events = changes.map((what) => stockEvents(what));
  const given = changes.map(({ cause, ...what }, place) => ({
    place,
    id: what.logId,
    org_id: what.orgId,
    p1_id: what.stock.p1_id,
    reason: what.reason,
    delta: what.delta,
    reserved_delta: what.reservedDelta,
    events: events[place]?.length ?? 0,
    note: cause.note,
    reference: cause.reference,
    order_id: cause.orderId,
    actor: cause.actor,
  }));
  const rows = await tx.rows(change, JSON.stringify(given));
  if (rows.length < changes.length) throw new Error('a product left the inventory while it was locked');
  const appended = changes.flatMap(({ cause: { auditRecord, traceparent } }, place): TracedEvent[] => {
    const firstSequence = rows[place]?.first_sequence ?? 0;
    const numbered = events[place]?.map((event, later) =>
      buildEvent({ ...event, sequence: firstSequence + later }),
    );
    const records = auditRecord ? [auditRecord] : [];
    return [...(numbered ?? []), ...records].map((event) => ({ ...event, traceparent }));
  });
  await appendTraced(tx, SCHEMA, appended);
}

const reserve = statement<never, [string[], string[], number[]]>(
  'stock_reserve',
  `UPDATE ${SCHEMA}.inventory i
   SET reserved_quantity = i.reserved_quantity + change.delta, updated_at = clock_timestamp()
   FROM (SELECT org_id, p1_id, sum(delta) AS delta
         FROM unnest($1::uuid[], $2::text[], $3::int[]) AS given (org_id, p1_id, delta) GROUP BY org_id, p1_id) change
   WHERE i.org_id = change.org_id AND i.p1_id = change.p1_id AND change.delta <> 0`,
);

/** Changes the reserved part of locked products; a product may occur several times. */
export async function changeReservedOf(
  tx: Sql,
  changes: readonly (ProductKey & { delta: number })[],
): Promise<void> {
  if (changes.length === 0) return;
  const orgIds = changes.map(({ orgId }) => orgId);
  const p1Ids = changes.map(({ p1Id }) => p1Id);
  await tx.rows(
    reserve,
    orgIds,
    p1Ids,
    changes.map(({ delta }) => delta),
  );
}

/** As changeReservedOf, by product id of one organization. */
export async function changeReserved(
  tx: Sql,
  orgId: string,
  deltas: ReadonlyMap<string, number>,
): Promise<void> {
  await changeReservedOf(
    tx,
    [...deltas].map(([p1Id, delta]) => ({ orgId, p1Id, delta })),
  );
}

type EntryOfProduct = ReferencedEntry &
  Pick<StockLogRow, 'org_id' | 'p1_id'> &
  NotNull<StockLogRow, 'reference'>;

const referenced = statement<EntryOfProduct, [string[], string[], string[]]>(
  'stock_log_by_reference',
  `SELECT l.org_id, l.p1_id, l.reference, l.id, l.delta, l.stock_after, l.reason
   FROM unnest($1::uuid[], $2::text[], $3::text[]) AS asked (org_id, p1_id, reference)
   JOIN ${SCHEMA}.stock_log l
     ON l.org_id = asked.org_id AND l.p1_id = asked.p1_id AND l.reference = asked.reference`,
);

/** The log entries of callers' references. The products must be locked, to prevent a concurrent entry. */
export async function entriesOfReferences(
  tx: Sql,
  requested: readonly (ProductKey & { reference: string })[],
): Promise<EntryOfProduct[]> {
  if (requested.length === 0) return [];
  const orgIds = requested.map(({ orgId }) => orgId);
  const p1Ids = requested.map(({ p1Id }) => p1Id);
  return tx.rows(
    referenced,
    orgIds,
    p1Ids,
    requested.map(({ reference }) => reference),
  );
}
