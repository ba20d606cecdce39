import type { OrderStatus } from '@offizin/contracts/orders';
import { isOutOfRange, type Sql, statement } from '@offizin/pg/database';
import { storedTraceparent } from '@offizin/runtime/tracing';
import type { AuditActor } from '../audit/audit.store';
import { CHANGES, CLAIMS_STOCK, COLUMNS, INSERTED, PAYMENT_CHANGE, UPDATED } from './order-columns';
import { type OrderPatch, type StoredItem, sumTooLarge } from './order-fields';
import type { Workflow } from './order-status';

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
 * The parts that every write of an order shares: history entry and outbox row of the CTE `written`. Total and payment
 * status stand in the history as they were stored: rounded, the default for null, and the given total where a computed
 * one did not replace it.
 */
const HISTORY = `
  INSERT INTO core.order_history (order_id, sequence, actor, action, fields)
  SELECT w.id, w.sequence, p.actor, CASE WHEN w.sequence = 1 THEN 'created' ELSE 'updated' END,
         CASE WHEN w.sequence = 1 THEN p.defaults || jsonb_build_object('status', w.status) ELSE '{}' END || p.patch - 'stock_claim_id'
           || CASE WHEN p.patch ? 'total_amount' THEN jsonb_build_object('total_amount', w.total_amount::float8,
                                                                         'total_is_given', w.total_is_given)
                   ELSE '{}' END
           || CASE WHEN p.patch ? 'payment_status' THEN jsonb_build_object('payment_status', w.payment_status)
                   ELSE '{}' END
  FROM written w, given p`;

const AUDIT = `
  INSERT INTO core.audit_log (org_id, actor, action, object, request_id)
  SELECT w.org_id, p.audit_actor, CASE WHEN w.sequence = 1 THEN 'order.create' ELSE 'order.update' END,
         'order:' || w.id, p.request_id
  FROM written w, given p`;

const WRITTEN_EVENT = `
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
  FROM written w, given p, LATERAL (SELECT * FROM (VALUES
         ('order_created', 'Order created', w.sequence = 1),
         ('order_payment_updated', 'Order payment updated', w.payment_change IS NOT NULL),
         ('order_updated', 'Order changed', true)) kind (event_type, title, applies) WHERE applies LIMIT 1) e`;

/**
 * Creates or updates the order of (shop, external id), with history and event, in one statement. No row comes back
 * when nothing would change, when the shop is not the organization's, when the key is not live any more, or when stock
 * has to be claimed first.
 */
const upsert = statement<OrderRow & { created: boolean }, UpsertParams>(
  'order_upsert',
  `WITH given AS (
     SELECT $1::uuid AS id, $2::uuid AS org_id, $3::uuid AS shop_id, $4::text AS external_id,
            $5::jsonb AS patch, $6::jsonb AS defaults, $7::text AS actor, $8::uuid AS key_id, $9::uuid AS event_id,
            $10::text AS audit_actor, $11::text AS request_id, $12::text AS traceparent
   ), allowed AS (
     SELECT p.*, p.defaults || p.patch AS complete FROM given p
     WHERE EXISTS (SELECT FROM core.shops s WHERE s.id = p.shop_id AND s.org_id = p.org_id)
       AND ${CLAIMS_STOCK}
       AND (p.key_id IS NULL OR EXISTS (SELECT FROM core.api_keys k WHERE k.id = p.key_id
            AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())))
   ), written AS (
     INSERT INTO core.orders AS o (id, org_id, shop_id, external_id, status, ${COLUMNS.join(', ')})
     SELECT p.id, p.org_id, p.shop_id, p.external_id, 'pending',
            ${INSERTED.join(', ')}
     FROM allowed p
     ON CONFLICT ON CONSTRAINT orders_shop_external DO UPDATE SET
       (${COLUMNS.join(', ')}, payment_change, sequence, updated_at) =
       (SELECT ${UPDATED.map(({ value }) => value).join(', ')}, ${PAYMENT_CHANGE}, o.sequence + 1, now() FROM given p)
     WHERE ${CHANGES}
     RETURNING o.*, xmax = 0 AS created
   ), history AS (${HISTORY}
   ), audit AS (${AUDIT}
   ), event AS (${WRITTEN_EVENT}
   )
   SELECT ${selected('w')}, w.created FROM written w`,
);
type UpsertParams = [
  ...[string, string, string, string, string, string, string, string | null, string],
  ...[string, string, string | null],
];

export interface UpsertOrder {
  id: string;
  shopId: string;
  externalId: string;
  patch: OrderPatch;
  /** Values of a new order where the patch names none. */
  defaults: OrderPatch;
  actor: string;
  keyId: string | null;
  eventId: string;
  audit: AuditActor;
}

export async function upsertOrder(
  sql: Sql,
  orgId: string,
  order: UpsertOrder,
): Promise<(OrderRow & { created: boolean }) | null> {
  const { id, shopId, externalId, patch, defaults, actor, keyId, eventId, audit } = order;
  const texts = [JSON.stringify(patch), JSON.stringify(defaults)] as const;
  const by = [actor, keyId, eventId, audit.actor, audit.requestId, storedTraceparent()] as const;
  const rows = sql.rows(upsert, id, orgId, shopId, externalId, ...texts, ...by).catch(refuseLargeSum);
  return (await rows)[0] ?? null;
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
     WHERE o.org_id = $1 AND o.id = $2 AND ${CHANGES}
     RETURNING o.*
   ), history AS (${HISTORY}
   ), audit AS (${AUDIT}
   ), event AS (${WRITTEN_EVENT}
   )
   SELECT ${selected('w')} FROM written w`,
);

export async function updateOrder(
  tx: Sql,
  orgId: string,
  order: { id: string; patch: OrderPatch; actor: string; eventId: string; audit: AuditActor },
): Promise<OrderRow | null> {
  const { id, patch, actor, eventId, audit } = order;
  const by = [actor, eventId, audit.actor, audit.requestId, storedTraceparent()] as const;
  return (await tx.rows(update, orgId, id, JSON.stringify(patch), ...by).catch(refuseLargeSum))[0] ?? null;
}

/** The lines that the order has may sum up to more than an amount may be, as long as its total was given. */
function refuseLargeSum(error: unknown): never {
  if (isOutOfRange(error)) throw sumTooLarge('total_amount');
  throw error;
}

const find = statement<OrderRow, [string, string]>(
  'order_find',
  `SELECT ${selected('o')} FROM core.orders o WHERE o.org_id = $1 AND o.id = $2`,
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
