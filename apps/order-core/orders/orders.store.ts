import type { OrderStatus } from '@offizin/contracts/orders';
import { isOutOfRange, type Sql, statement } from '@offizin/pg/database';
import { storedTraceparent } from '@offizin/runtime/tracing';
import type { AuditActor } from '../audit/audit.store';
import { changeOf, COLUMNS } from './order-columns';
import { isCleared, type OrderPatch, type StoredItem, sumTooLarge } from './order-patch';
import { RECORDS, TOLD_OF_GIVEN } from './order-records';
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

const OWN_COLUMNS = [
  ...['id', 'org_id', 'shop_id', 'external_id', 'status'],
  ...['order_request_id', 'sequence', 'created_at', 'updated_at'],
];

/** The columns of an OrderRow. */
export function selected(alias: string): string {
  const plain = COLUMNS.filter((column) => column !== 'total_amount').map((column) => `${alias}.${column}`);
  const rest = OWN_COLUMNS.map((column) => `${alias}.${column}`);
  const workflow = `(SELECT g.workflow FROM core.organizations g WHERE g.id = ${alias}.org_id) AS workflow`;
  return [...rest, ...plain, `${alias}.total_amount::float8 AS total_amount`, workflow].join(', ');
}

const WRITTEN_COLUMNS = [...OWN_COLUMNS, ...COLUMNS, 'payment_change'];
/** RETURNING of a write of `o`, for the records of it. */
export const WRITTEN = WRITTEN_COLUMNS.map((column) => `o.${column}`).join(', ');

const change = changeOf('true', { clears: true, measures: true });

/** Changes the given fields of one order; the row must be locked before (lockOrder) so that nothing comes between. */
const update = statement<
  OrderRow,
  [string, string, string, boolean, string, string, string, string, string | null]
>(
  'order_update',
  `WITH given AS NOT MATERIALIZED (
     SELECT $3::jsonb AS patch, '{}'::jsonb AS rest, $4::boolean AS clears, $5::text AS actor, $6::uuid AS event_id,
            $7::text AS audit_actor, $8::text AS request_id, $9::text AS traceparent
   ), written AS (
     UPDATE core.orders AS o SET ${change.set}
     WHERE o.org_id = $1 AND o.id = $2 AND ${change.applies}
     RETURNING ${WRITTEN}
   ), told AS NOT MATERIALIZED (
     SELECT w.*, ${TOLD_OF_GIVEN} FROM written w, given p
   ), ${RECORDS}
   SELECT ${selected('w')} FROM written w`,
);

export async function updateOrder(
  tx: Sql,
  orgId: string,
  order: { id: string; patch: OrderPatch; actor: string; eventId: string; audit: AuditActor },
): Promise<OrderRow | null> {
  const { id, patch, actor, eventId, audit: auditActor } = order;
  const by = [actor, eventId, auditActor.actor, auditActor.requestId, storedTraceparent()] as const;
  const rows = tx
    .rows(update, orgId, id, JSON.stringify(patch), isCleared(patch), ...by)
    .catch((error: unknown) => {
      throw refusalOf(error);
    });
  return (await rows)[0] ?? null;
}

/** The lines that the order has may sum up to more than an amount may be, as long as its total was given. */
export function refusalOf(error: unknown): unknown {
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
