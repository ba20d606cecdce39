import type { OrderStatus } from '@offizin/contracts/orders';
import { isOutOfRange, type Sql, statement } from '@offizin/pg/database';
import { storedTraceparent } from '@offizin/runtime/tracing';
import type { AuditActor } from '../audit/audit.store';
import { changes, CLAIMS_STOCK, COLUMNS, INSERTED, PAYMENT_CHANGE, UPDATED } from './order-columns';
import { type OrderPatch, type StoredItem, sumTooLarge } from './order-fields';
import type { Workflow } from './order-status';

/** Which of the given orders a row `o` or `w` is. */
const byKey = (row: string): string => `p.shop_id = ${row}.shop_id AND p.external_id = ${row}.external_id`;
const byId = (row: string): string => `p.id = ${row}.id`;

/** The row as handlers see it: amounts as numbers, times as Date. */
export interface OrderRow {
  id: string;
  org_id: string;
  shop_id: string;
  external_id: string;
  order_number: string | null;
  order_datetime: Date | null;
  customer_name: string | null;
  customer_email: string | null;
  address_street: string | null;
  address_city: string | null;
  address_postal_code: string | null;
  address_phone: string | null;
  total_amount: number;
  payment_status: 'paid' | 'pending' | 'cash_on_pickup' | 'refunded' | 'failed';
  payment_reference: string | null;
  shipping_option: 'Abholung' | 'Versand' | 'Express' | 'Uber Eats' | null;
  shipped: boolean;
  picked_up: boolean;
  cash_on_pickup: boolean;
  status: OrderStatus;
  items: StoredItem[];
  order_request_id: string | null;
  stock_claim_id: string | null;
  sequence: number;
  created_at: Date;
  updated_at: Date;
  /** The organization's own workflow; null is the default. */
  workflow: Workflow | null;
}

function selected(alias: string): string {
  const plain = COLUMNS.filter((column) => column !== 'total_amount').map((column) => `${alias}.${column}`);
  const own = ['id', 'org_id', 'shop_id', 'external_id', 'status', 'order_request_id', 'sequence'];
  const rest = [...own, 'created_at', 'updated_at'].map((column) => `${alias}.${column}`);
  const workflow = `(SELECT g.workflow FROM core.organizations g WHERE g.id = ${alias}.org_id) AS workflow`;
  return [...rest, ...plain, `${alias}.total_amount::float8 AS total_amount`, workflow].join(', ');
}

/**
 * The parts that every write of an order shares: history entry, audit entry and outbox row of the CTE `written`, joined
 * with what was given for it. Total and payment status stand in the history as they were stored: rounded, the default
 * for null, and the given total where a computed one did not replace it.
 */
const history = (member: string): string => `
  INSERT INTO core.order_history (order_id, sequence, actor, action, fields)
  SELECT w.id, w.sequence, p.actor, CASE WHEN w.sequence = 1 THEN 'created' ELSE 'updated' END,
         CASE WHEN w.sequence = 1 THEN p.defaults || jsonb_build_object('status', w.status) ELSE '{}' END || p.patch - 'stock_claim_id'
           || CASE WHEN p.patch ? 'total_amount' THEN jsonb_build_object('total_amount', w.total_amount::float8,
                                                                         'total_is_given', w.total_is_given)
                   ELSE '{}' END
           || CASE WHEN p.patch ? 'payment_status' THEN jsonb_build_object('payment_status', w.payment_status)
                   ELSE '{}' END
  FROM written w JOIN given p ON ${member}`;

const audit = (member: string): string => `
  INSERT INTO core.audit_log (org_id, actor, action, object, request_id)
  SELECT w.org_id, p.audit_actor, CASE WHEN w.sequence = 1 THEN 'order.create' ELSE 'order.update' END,
         'order:' || w.id, p.request_id
  FROM written w JOIN given p ON ${member}`;

const writtenEvent = (member: string): string => `
  INSERT INTO core.outbox (id, org_id, event_type, aggregate_id, sequence, lane, body, traceparent)
  SELECT p.event_id, w.org_id, e.event_type, w.id::text, w.sequence,
         CASE WHEN num_nonnulls(w.order_request_id, w.stock_claim_id) = 0 THEN 'plain' ELSE 'stock' END,
         json_build_object('id', p.event_id, 'org_id', w.org_id, 'event_type', e.event_type, 'title', e.title,
           'description', e.title || ' (' || w.external_id || ')',
           'metadata', CASE WHEN w.payment_change IS NULL
             THEN json_build_object('order_id', w.id, 'shop_id', w.shop_id, 'status', w.status,
                                    'order_request_id', w.order_request_id, 'stock_claim_id', w.stock_claim_id,
                                    'sequence', w.sequence)
             ELSE json_build_object('order_id', w.id, 'shop_id', w.shop_id, 'order_request_id', w.order_request_id,
                                    'old_payment_status', w.payment_change ->> 'old_payment_status',
                                    'new_payment_status', w.payment_status,
                                    'changed', w.payment_change -> 'changed', 'sequence', w.sequence) END,
           'created_at', core.iso(w.updated_at))::text, p.traceparent
  FROM written w JOIN given p ON ${member}, LATERAL (SELECT * FROM (VALUES
         ('order_created', 'Order created', w.sequence = 1),
         ('order_payment_updated', 'Order payment updated', w.payment_change IS NOT NULL),
         ('order_updated', 'Order changed', true)) kind (event_type, title, applies) WHERE applies LIMIT 1) e`;

/**
 * Creates or updates the orders of many callers, each by (shop, external id), with history and event, in one statement.
 * No pair may stand twice in it. Rows are locked in the order of the pairs, as everybody does who locks several, so
 * that statements which run at once do not wait for each other in a circle. Shop, key and organization are looked up by
 * values and not by EXISTS, which the planner may answer by reading all keys of the installation.
 */
const upsert = statement<UpsertRow, [string]>(
  'order_upsert',
  `WITH given AS MATERIALIZED (
     SELECT m.*, (SELECT s.org_id = m.org_id FROM core.shops s WHERE s.id = m.shop_id) IS TRUE AS shop_is_known,
            m.key_id IS NULL OR (SELECT k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
              FROM core.api_keys k WHERE k.id = m.key_id) IS TRUE AS key_is_live
     FROM json_to_recordset($1::json) AS m (member integer, id uuid, org_id uuid, shop_id uuid, external_id text,
            patch jsonb, defaults jsonb, actor text, key_id uuid, event_id uuid, audit_actor text, request_id text,
            traceparent text)
   ), allowed AS (
     SELECT p.*, p.defaults || p.patch AS complete FROM given p
     WHERE p.shop_is_known AND p.key_is_live AND ${CLAIMS_STOCK}
     ORDER BY p.shop_id, p.external_id
   ), written AS (
     INSERT INTO core.orders AS o (id, org_id, shop_id, external_id, status, ${COLUMNS.join(', ')})
     SELECT p.id, p.org_id, p.shop_id, p.external_id, 'pending',
            ${INSERTED.join(', ')}
     FROM allowed p
     ON CONFLICT ON CONSTRAINT orders_shop_external DO UPDATE SET
       (${COLUMNS.join(', ')}, payment_change, sequence, updated_at) =
       (SELECT ${UPDATED.map(({ value }) => value).join(', ')}, ${PAYMENT_CHANGE}, o.sequence + 1, now()
        FROM given p WHERE ${byKey('o')})
     WHERE ${changes(byKey('o'))}
     RETURNING o.*, xmax = 0 AS created
   ), history AS (${history(byKey('w'))}
   ), audit AS (${audit(byKey('w'))}
   ), event AS (${writtenEvent(byKey('w'))}
   )
   SELECT p.member, p.shop_is_known, p.key_is_live, w.id IS NOT NULL AS is_written, w.created, ${selected('w')}
   FROM given p LEFT JOIN written w ON ${byKey('w')}`,
);

/** One row per member; what the order is stands in it only when it was written. */
type UpsertRow = OrderRow & {
  member: number;
  created: boolean;
  is_written: boolean;
  shop_is_known: boolean;
  key_is_live: boolean;
};

export interface UpsertOrder {
  id: string;
  orgId: string;
  shopId: string;
  externalId: string;
  patch: OrderPatch;
  /** Values of a new order where the patch names none. */
  defaults: OrderPatch;
  actor: string;
  keyId: string | null;
  eventId: string;
  audit: AuditActor;
  /** Of the caller; a batch serves many. */
  traceparent: string | null;
}

/**
 * `unchanged` when nothing would change, or stock has to be claimed first; nothing is stored then, nor for a foreign shop
 * or a key that is not live.
 */
export type UpsertOutcome =
  | { kind: 'written'; created: boolean; order: OrderRow }
  | { kind: 'unchanged' | 'shop-unknown' | 'key-not-live' };

/** Resolves with the outcome of each, in the order given. Of several, one that is refused has all of them fail. */
export async function upsertOrders(sql: Sql, orders: readonly UpsertOrder[]): Promise<UpsertOutcome[]> {
  const members = orders.map((order, member) => ({
    member,
    id: order.id,
    org_id: order.orgId,
    shop_id: order.shopId,
    external_id: order.externalId,
    patch: order.patch,
    defaults: order.defaults,
    actor: order.actor,
    key_id: order.keyId,
    event_id: order.eventId,
    audit_actor: order.audit.actor,
    request_id: order.audit.requestId,
    traceparent: order.traceparent,
  }));
  const rows = await sql.rows(upsert, JSON.stringify(members)).catch((error: unknown) => {
    // Of several, nobody knows whose sum it is: they run again one by one (micro-batches.ts).
    throw orders.length === 1 ? refusalOf(error) : error;
  });
  const outcomes = new Map(rows.map((row) => [row.member, outcomeOf(row)]));
  return orders.map((_, member) => outcomes.get(member) ?? { kind: 'unchanged' });
}

/** One order, in a transaction of its own kind; null when it was not written. */
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
  if (!row.key_is_live) return { kind: 'key-not-live' };
  return { kind: row.shop_is_known ? 'unchanged' : 'shop-unknown' };
}

/** Changes the given fields of one order; the row must be locked before (lockOrder) so that nothing comes between. */
const update = statement<OrderRow, [string, string, string, string, string, string, string, string | null]>(
  'order_update',
  `WITH given AS (
     SELECT $1::uuid AS org_id, $2::uuid AS id, $3::jsonb AS patch, '{}'::jsonb AS defaults, $4::text AS actor, $5::uuid AS event_id,
            $6::text AS audit_actor, $7::text AS request_id, $8::text AS traceparent
   ), written AS (
     UPDATE core.orders AS o SET
       (${COLUMNS.join(', ')}, payment_change, sequence, updated_at) =
       (SELECT ${UPDATED.map(({ value }) => value).join(', ')}, ${PAYMENT_CHANGE}, o.sequence + 1, now() FROM given p)
     WHERE o.org_id = $1 AND o.id = $2 AND ${changes(byId('o'))}
     RETURNING o.*
   ), history AS (${history(byId('w'))}
   ), audit AS (${audit(byId('w'))}
   ), event AS (${writtenEvent(byId('w'))}
   )
   SELECT ${selected('w')} FROM written w`,
);

export async function updateOrder(
  tx: Sql,
  orgId: string,
  order: { id: string; patch: OrderPatch; actor: string; eventId: string; audit: AuditActor },
): Promise<OrderRow | null> {
  const { id, patch, actor, eventId, audit: auditActor } = order;
  const by = [actor, eventId, auditActor.actor, auditActor.requestId, storedTraceparent()] as const;
  const rows = tx.rows(update, orgId, id, JSON.stringify(patch), ...by).catch((error: unknown) => {
    throw refusalOf(error);
  });
  return (await rows)[0] ?? null;
}

/** The lines that the order has may sum up to more than an amount may be, as long as its total was given. */
function refusalOf(error: unknown): unknown {
  return isOutOfRange(error) ? sumTooLarge('total_amount') : error;
}

const find = statement<OrderRow, [string, string]>(
  'order_find',
  `SELECT ${selected('o')} FROM core.orders o WHERE o.org_id = $1::uuid AND o.id = $2::uuid`,
);
const findByKey = statement<OrderRow, [string, string, string]>(
  'order_find_by_key',
  `SELECT ${selected('o')} FROM core.orders o WHERE o.org_id = $1 AND o.shop_id = $2 AND o.external_id = $3`,
);
const lock = statement<OrderRow, [string, string]>(
  'order_lock',
  `SELECT ${selected('o')} FROM core.orders o WHERE o.org_id = $1 AND o.id = $2 FOR UPDATE`,
);

export async function findOrder(sql: Sql, orgId: string, orderId: string): Promise<OrderRow | null> {
  return (await sql.rows(find, orgId, orderId))[0] ?? null;
}

export async function findOrderByKey(
  sql: Sql,
  orgId: string,
  shopId: string,
  externalId: string,
): Promise<OrderRow | null> {
  return (await sql.rows(findByKey, orgId, shopId, externalId))[0] ?? null;
}

export async function lockOrder(tx: Sql, orgId: string, orderId: string): Promise<OrderRow | null> {
  return (await tx.rows(lock, orgId, orderId))[0] ?? null;
}
