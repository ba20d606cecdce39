import { invalid, Refused } from '@offizin/contracts/calls/errors';
import { MAX_METADATA_KEYS } from '@offizin/contracts/calls/metadata';
import { hasSqlState, isOutOfRange, type Sql } from '@offizin/pg/database';
import { rowOf } from '@offizin/pg/queries';
import { storedTraceparent } from '@offizin/runtime/tracing';
import type { AuditActor } from '../../audit/audit.store';
import type { CallCredential } from '../../callers/live-caller.store';
import { needsStored, type OrderPatch, restOf, sumTooLarge } from './order-patch';
import type { OrderRow } from './order-row';
import { updateLocked, updateMany } from './sql/update';
import { comparePatch, type GivenOrder, selected, upsertMany, upsertOne, type UpsertRow } from './sql/upsert';

export interface UpsertOrder {
  id: string;
  orgId: string;
  shopId: string;
  externalId: string;
  patch: OrderPatch;
  /** Change a closed order, too. */
  force?: boolean;
  actor: string;
  credential: CallCredential;
  eventId: string;
  audit: AuditActor;
  /** The caller's. */
  traceparent: string | null;
}

/**
 * `unchanged`: the patch changes nothing, a rule refuses it (compareOrder), or the order must claim stock first. Only `written` stores anything.
 */
export type UpsertOutcome =
  | { kind: 'written'; created: boolean; order: OrderRow }
  | { kind: 'unchanged' | 'shop-unknown' | 'caller-not-live' };

/** One outcome per order, in their order. If the database refuses one order, all of them fail. */
export async function upsertOrders(sql: Sql, orders: readonly UpsertOrder[]): Promise<UpsertOutcome[]> {
  const rows = await rowsOf(sql, orders.map(givenOf)).catch((error: unknown) => {
    // In a batch the failing order is unknown; MicroBatches retries them one by one.
    throw orders.length === 1 ? refusalOf(error) : error;
  });
  const outcomes = new Map(rows.map((row) => [row.member, outcomeOf(row)]));
  return orders.map((_, member) => outcomes.get(member) ?? { kind: 'unchanged' });
}

function rowsOf(sql: Sql, members: GivenOrder[]): Promise<UpsertRow[]> {
  const [one] = members;
  if (!one || members.length > 1 || one.needs_stored) {
    return sql.rows(upsertMany, JSON.stringify(members));
  }
  return sql.rows(upsertOne, one);
}

function givenOf(order: UpsertOrder, member: number): GivenOrder {
  return {
    ...commonOf(order, member),
    shop_id: order.shopId,
    external_id: order.externalId,
    rest: restOf(order.patch),
  };
}

function commonOf(order: Omit<UpsertOrder, 'shopId' | 'externalId'>, member: number) {
  return {
    member,
    id: order.id,
    org_id: order.orgId,
    patch: order.patch,
    needs_stored: needsStored(order.patch),
    force: order.force ?? false,
    actor: order.actor,
    key_id: order.credential.keyId,
    session_id: order.credential.sessionId,
    event_id: order.eventId,
    audit_actor: order.audit.actor,
    request_id: order.audit.requestId,
    traceparent: order.traceparent,
  };
}

/** For a caller's transaction; null when the order was not written. */
export async function upsertOrder(
  sql: Sql,
  orgId: string,
  order: Omit<UpsertOrder, 'orgId' | 'traceparent'>,
): Promise<(OrderRow & { created: boolean }) | null> {
  const [outcome] = await upsertOrders(sql, [{ ...order, orgId, traceparent: storedTraceparent() }]);
  return outcome?.kind === 'written' ? { ...outcome.order, created: outcome.created } : null;
}

function outcomeOf(row: UpsertRow): UpsertOutcome {
  if (row.is_written) return { kind: 'written', created: row.created, order: row };
  if (!row.caller_is_live) return { kind: 'caller-not-live' };
  return { kind: row.shop_is_known ? 'unchanged' : 'shop-unknown' };
}

export type UpdateOrder = Omit<UpsertOrder, 'shopId' | 'externalId'> & {
  /** Allowed versions of the order (If-Match); null: any. */
  ifSequences: readonly number[] | null;
};

/**
 * Changes orders in one statement, each at most once. One result per order, in their order; null for each order that the
 * statement leaves out (sql/update.ts). If the database refuses one order, all of them fail.
 */
export async function updateOrders(sql: Sql, orders: readonly UpdateOrder[]): Promise<(OrderRow | null)[]> {
  const members = orders.map(({ ifSequences, ...order }, member) => ({
    ...commonOf(order, member),
    if_sequences: ifSequences,
  }));
  const rows = await sql.rows(updateMany, JSON.stringify(members)).catch((error: unknown) => {
    throw orders.length === 1 ? refusalOf(error) : error;
  });
  const written = new Map(rows.map((row) => [row.member, row]));
  return orders.map((_, member) => written.get(member) ?? null);
}

/**
 * Changes the given fields of one order, also of a closed one; null when nothing changed. The row must be locked before
 * (lockOrder).
 */
export async function updateOrder(
  tx: Sql,
  orgId: string,
  order: { id: string; patch: OrderPatch; actor: string; eventId: string; audit: AuditActor },
): Promise<OrderRow | null> {
  const { id, patch, actor, eventId, audit } = order;
  const given = {
    orgId,
    id,
    patch: JSON.stringify(patch),
    needsStored: needsStored(patch),
    actor,
    eventId,
    auditActor: audit.actor,
    requestId: audit.requestId,
    traceparent: storedTraceparent(),
  };
  const rows = tx.rows(updateLocked, given).catch((error: unknown) => {
    throw refusalOf(error);
  });
  return (await rows)[0] ?? null;
}

/**
 * The sum of stored lines may exceed the maximum amount while the total is a given one, and merged metadata may have too
 * many keys.
 */
function refusalOf(error: unknown): unknown {
  return isOutOfRange(error) ? sumTooLarge('total_amount') : metadataRefusal(error);
}

export const findOrder = rowOf<OrderRow, [orgId: string, orderId: string]>(
  'order_find',
  `SELECT ${selected('o')} FROM core.orders o WHERE o.org_id = $1::uuid AND o.id = $2::uuid`,
);
export const findOrderByKey = rowOf<OrderRow, [orgId: string, shopId: string, externalId: string]>(
  'order_find_by_key',
  `SELECT ${selected('o')} FROM core.orders o WHERE o.org_id = $1 AND o.shop_id = $2 AND o.external_id = $3`,
);
export const lockOrder = rowOf<OrderRow, [orgId: string, orderId: string]>(
  'order_lock',
  `SELECT ${selected('o')} FROM core.orders o WHERE o.org_id = $1 AND o.id = $2 FOR UPDATE`,
);

/**
 * The order beside a patch that was not written; null for an unknown one. `differs`: it would be written now. Throws
 * `Refused` (order_closed, second_approval_needed).
 */
export async function compareOrder(
  sql: Sql,
  { orgId, shopId, externalId, patch, force = false }: PatchOfOrder,
): Promise<(OrderRow & { differs: boolean }) | null> {
  const text = JSON.stringify(patch);
  const given = { orgId, shopId, externalId, patch: text, needsStored: needsStored(patch), force };
  const [row] = await sql.rows(comparePatch, given).catch((error: unknown) => {
    throw refusalOf(error);
  });
  if (row?.needs_two) {
    throw new Refused(
      'second_approval_needed',
      'Two people approved this order, so its lines, customer and address do not change. Cancel it and let two people approve a new request, or an owner switches four eyes off in the review rules.',
    );
  }
  if (!row?.is_closed) return row ?? null;
  throw new Refused(
    'order_closed',
    `The order is ${row.status}: its lines, amounts, customer and delivery stay as they are. Send only payment, flags and metadata, or force: true with the scope settings.write.`,
  );
}

type PatchOfOrder = Pick<UpsertOrder, 'orgId' | 'shopId' | 'externalId' | 'patch' | 'force'>;

/** Raised by core.merged_metadata. Source: PostgreSQL, appendix A, program_limit_exceeded. */
const TOO_MANY_KEYS = '54000';

/** A refusal for merged metadata with too many keys; every other error as it is. */
export function metadataRefusal(error: unknown): unknown {
  if (!hasSqlState(error, TOO_MANY_KEYS)) return error;
  const message = `must have at most ${MAX_METADATA_KEYS} keys together with those that are stored`;
  return invalid([{ field: 'metadata', message }]);
}
