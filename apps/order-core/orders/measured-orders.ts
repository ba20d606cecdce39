import type { Caller } from '@offizin/contracts/caller';
import { notFound } from '@offizin/contracts/errors';
import type { Database, Sql } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { auditActorOf } from '../audit/audit.store';
import { assertCallerIsLive } from '../directory/live-caller.store';
import type { OrderPatch } from './order-patch';
import { requireAnswerable } from './order-size';
import * as store from './orders.store';
import type { WrittenOrder } from './stock-claimed-orders';

/** Orders that must be measured (order-size.ts) get a transaction each, which fails when the order is too large. */

/** The last step of the transaction. */
type Keep = (tx: Sql, written: WrittenOrder) => Promise<unknown>;

/** Throws `Refused` (payload_too_large) and stores nothing when the order would be too large. */
export async function upsertMeasured(
  database: Database,
  order: store.UpsertOrder,
  keep: Keep,
): Promise<store.UpsertOutcome> {
  return database.transaction(async (tx) => {
    const [outcome] = await store.upsertOrders(tx, [order]);
    if (outcome?.kind !== 'written') return outcome ?? { kind: 'unchanged' };
    requireAnswerable(outcome.order);
    await keep(tx, { ...outcome.order, created: outcome.created });
    return outcome;
  });
}

/** An upsert of an existing order without new lines. Throws as `upsertMeasured` does. */
export async function changeMeasured(
  database: Database,
  caller: Caller,
  change: { orderId: string; patch: OrderPatch },
  keep: Keep,
): Promise<WrittenOrder> {
  return database.transaction(async (tx) => {
    await assertCallerIsLive(tx, caller);
    const before = await store.lockOrder(tx, caller.orgId, change.orderId);
    if (!before) throw notFound('order');
    const written = { ...(await changeLocked(tx, caller, before, change.patch)), created: false };
    await keep(tx, written);
    return written;
  });
}

/** The row must be locked. Throws as `upsertMeasured` does. */
export async function changeLocked(
  tx: Sql,
  caller: Caller,
  before: store.OrderRow,
  patch: OrderPatch,
): Promise<store.OrderRow> {
  const by = { actor: caller.actorId, audit: auditActorOf(caller) };
  const change = { id: before.id, patch, eventId: newId(), ...by };
  const row = (await store.updateOrder(tx, caller.orgId, change)) ?? before;
  requireAnswerable(row);
  return row;
}
