import { invalid, Refused } from '@offizin/contracts/calls/errors';
import { MAX_METADATA_KEYS } from '@offizin/contracts/calls/metadata';
import { hasSqlState, isOutOfRange, type Sql, sqlFile, statement } from '@offizin/pg/database';
import { rowOf } from '@offizin/pg/queries';
import { storedTraceparent } from '@offizin/runtime/tracing';
import type { AuditActor } from '../../audit/audit.store';
import { type CallCredential, NO_CREDENTIAL } from '../../callers/live-caller.store';
import { needsStored, type OrderPatch, restOf, sumTooLarge } from './order-patch';
import { ORDER_COLUMNS, type OrderRow } from './order-row';

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

/** The input of the upsert for one order. */
interface GivenOrder {
  member: number;
  id: string;
  org_id: string;
  shop_id: string;
  external_id: string;
  patch: OrderPatch;
  rest: ReturnType<typeof restOf>;
  needs_stored: boolean;
  force: boolean;
  actor: string;
  key_id: string | null;
  session_id: string | null;
  event_id: string;
  audit_actor: string;
  request_id: string;
  traceparent: string | null;
}

/** One row per order of the statement; the order's columns are null unless it was written. */
type UpsertRow = OrderRow & {
  member: number;
  created: boolean;
  is_written: boolean;
  shop_is_known: boolean;
  caller_is_live: boolean;
};

const UPSERT = sqlFile(__dirname, 'sql/upsert.sql');

/** A batch; its input is one JSON array. */
const upsertMany = statement<UpsertRow, [string]>('order_upsert', UPSERT);

/** The same with bind parameters in place of the array: cheaper to plan and run than a batch of one. */
const upsertOne = statement<UpsertRow, GivenOrder>(
  'order_upsert_one',
  UPSERT.replace('given AS MATERIALIZED', 'given AS NOT MATERIALIZED').replace(
    /jsonb_to_recordset\(\$1::jsonb\) AS m \(([^)]*)\)/,
    (_, columns: string) => {
      const fields = columns.split(',').map((column) => column.trim().split(' '));
      const values = fields.map(([name = '', type = '']) => `$${name}::${type}`);
      return `(VALUES (${values.join(', ')})) AS m (${fields.map(([name]) => name).join(', ')})`;
    },
  ),
);

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
  return one && members.length === 1
    ? sql.rows(upsertOne, one)
    : sql.rows(upsertMany, JSON.stringify(members));
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

const update = statement<OrderRow & { member: number }, [string]>(
  'order_update',
  sqlFile(__dirname, 'sql/update.sql'),
);

/**
 * Changes orders in one statement, each at most once. One result per order, in their order; null for each order that the
 * statement leaves out (sql/update.sql). If the database refuses one order, all of them fail.
 */
export function updateOrders(sql: Sql, orders: readonly UpdateOrder[]): Promise<(OrderRow | null)[]> {
  return updated(sql, orders, { is_decided: false });
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
  const by = { orgId, credential: NO_CREDENTIAL, ifSequences: null, traceparent: storedTraceparent() };
  const [row = null] = await updated(tx, [{ ...order, ...by }], { is_decided: true });
  return row;
}

async function updated(
  sql: Sql,
  orders: readonly UpdateOrder[],
  rules: { is_decided: boolean },
): Promise<(OrderRow | null)[]> {
  const members = orders.map(({ ifSequences, ...order }, member) => ({
    ...commonOf(order, member),
    ...rules,
    if_sequences: ifSequences,
  }));
  const rows = await sql.rows(update, JSON.stringify(members)).catch((error: unknown) => {
    throw orders.length === 1 ? refusalOf(error) : error;
  });
  const written = new Map(rows.map((row) => [row.member, row]));
  return orders.map((_, member) => written.get(member) ?? null);
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
  `SELECT ${ORDER_COLUMNS} FROM core.orders o WHERE o.org_id = $1::uuid AND o.id = $2::uuid`,
);
export const findOrderByKey = rowOf<OrderRow, [orgId: string, shopId: string, externalId: string]>(
  'order_find_by_key',
  `SELECT ${ORDER_COLUMNS} FROM core.orders o WHERE o.org_id = $1 AND o.shop_id = $2 AND o.external_id = $3`,
);
export const lockOrder = rowOf<OrderRow, [orgId: string, orderId: string]>(
  'order_lock',
  `SELECT ${ORDER_COLUMNS} FROM core.orders o WHERE o.org_id = $1 AND o.id = $2 FOR UPDATE`,
);

/** An order beside a patch that was not written: whether the patch differs, and which rule refuses it. */
const comparePatch = statement<
  OrderRow & { differs: boolean; refusal: 'closed' | 'needs_two' | null },
  { orgId: string; shopId: string; externalId: string; patch: string; needsStored: boolean; force: boolean }
>(
  'order_compare_patch',
  `SELECT ${ORDER_COLUMNS}, n IS DISTINCT FROM o AS differs, core.order_refusal(o, n, $force) AS refusal
   FROM core.orders o, LATERAL core.patched_order(o, $patch, $needsStored) n
   WHERE o.org_id = $orgId AND o.shop_id = $shopId AND o.external_id = $externalId`,
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
  if (row?.refusal === 'needs_two') {
    throw new Refused(
      'second_approval_needed',
      'Two people approved this order, so its lines, customer and address do not change. Cancel it and let two people approve a new request, or an owner switches two-person approval off in the review rules.',
    );
  }
  if (row?.refusal !== 'closed') return row ?? null;
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
