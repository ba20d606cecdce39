import { type Sql, statement } from '@offizin/pg/database';
import { storedTraceparent } from '@offizin/runtime/tracing';
import type { AuditActor } from '../audit/audit.store';
import { changeOf, CLAIMS_STOCK, COLUMNS, INSERTED } from './order-columns';
import { isCleared, type OrderPatch, restOf } from './order-patch';
import { RECORDS, TOLD_OF_GIVEN } from './order-records';
import { type OrderRow, refusalOf, selected, WRITTEN } from './orders.store';

/** What the statement is given for each order, and the type that it is read as. */
const GIVEN: Record<keyof Given, string> = {
  member: 'integer',
  id: 'uuid',
  org_id: 'uuid',
  shop_id: 'uuid',
  external_id: 'text',
  patch: 'jsonb',
  rest: 'jsonb',
  clears: 'boolean',
  actor: 'text',
  key_id: 'uuid',
  event_id: 'uuid',
  audit_actor: 'text',
  request_id: 'text',
  traceparent: 'text',
};

/**
 * Creates or updates orders, each by (shop, external id), with history, audit entry and event, in one statement. No pair
 * may stand twice in it. Rows are locked in the order of the pairs, as everybody does who locks several, so that
 * statements which run at once do not wait for each other in a circle. Shop, key and organization are looked up by
 * values and not by EXISTS, which the planner may answer by reading all keys of the installation.
 */
function upsertOf(of: 'one' | 'many', source: string, change: { set: string; applies: string }): string {
  // Of one, all that is given is parameters; kept as rows beside, it would have to be read and joined again.
  const kept = of === 'many' ? 'MATERIALIZED' : 'NOT MATERIALIZED';
  return `WITH given AS ${kept} (
     SELECT m.*, (SELECT s.org_id = m.org_id FROM core.shops s WHERE s.id = m.shop_id) IS TRUE AS shop_is_known,
            m.key_id IS NULL OR (SELECT k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
              FROM core.api_keys k WHERE k.id = m.key_id) IS TRUE AS key_is_live
     FROM ${source}
   ), written AS (
     INSERT INTO core.orders AS o (id, org_id, shop_id, external_id, status, ${COLUMNS.join(', ')})
     SELECT p.id, p.org_id, p.shop_id, p.external_id, 'pending', ${INSERTED.join(', ')}
     FROM given p WHERE p.shop_is_known AND p.key_is_live AND ${CLAIMS_STOCK}
     ${of === 'many' ? 'ORDER BY p.shop_id, p.external_id' : ''}
     ON CONFLICT ON CONSTRAINT orders_shop_external DO UPDATE SET ${change.set}
     WHERE ${change.applies}
     RETURNING ${WRITTEN}
   ), told AS ${kept} (
     SELECT w.*, p.member, ${TOLD_OF_GIVEN}
     FROM written w JOIN given p ON p.shop_id = w.shop_id AND p.external_id = w.external_id
   ), ${RECORDS}
   SELECT p.member, p.shop_is_known, p.key_is_live, t.id IS NOT NULL AS is_written, t.sequence = 1 AS created,
          ${selected('t')}
   FROM given p LEFT JOIN told t ON t.member = p.member`;
}

const GIVEN_NAMES = Object.keys(GIVEN) as (keyof typeof GIVEN)[];
const IS_MINE = 'p.id = excluded.id';
const FIELDS = Object.entries(GIVEN).map(([field, type]) => `${field} ${type}`);
const VALUES = Object.values(GIVEN).map((type, index) => `$${index + 1}::${type}`);

const upsertMany = statement<UpsertRow, [string]>(
  'order_upsert',
  upsertOf(
    'many',
    `jsonb_to_recordset($1::jsonb) AS m (${FIELDS.join(', ')})`,
    changeOf(IS_MINE, { clears: true, measures: false }),
  ),
);

/** The same for a caller alone: about three quarters of the work for PostgreSQL. Not for a patch that clears. */
const upsertOne = statement<UpsertRow, (string | number | boolean | null)[]>(
  'order_upsert_one',
  upsertOf(
    'one',
    `(VALUES (${VALUES.join(', ')})) AS m (${GIVEN_NAMES.join(', ')})`,
    changeOf(IS_MINE, { clears: false, measures: false }),
  ),
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
  actor: string;
  keyId: string | null;
  eventId: string;
  audit: AuditActor;
  /** Of the caller; a batch serves many. */
  traceparent: string | null;
}

/**
 * `unchanged` when nothing would change, when stock has to be claimed first, or when the order has to be measured. Nothing
 * is stored then, nor for a foreign shop or a key that is not live.
 */
export type UpsertOutcome =
  | { kind: 'written'; created: boolean; order: OrderRow }
  | { kind: 'unchanged' | 'shop-unknown' | 'key-not-live' };

/** Resolves with the outcome of each, in the order given. Of several, one that is refused has all of them fail. */
export async function upsertOrders(sql: Sql, orders: readonly UpsertOrder[]): Promise<UpsertOutcome[]> {
  const rows = await rowsOf(sql, orders.map(givenOf)).catch((error: unknown) => {
    // Of several, nobody knows whose sum it is: they run again one by one (micro-batches.ts).
    throw orders.length === 1 ? refusalOf(error) : error;
  });
  const outcomes = new Map(rows.map((row) => [row.member, outcomeOf(row)]));
  return orders.map((_, member) => outcomes.get(member) ?? { kind: 'unchanged' });
}

function rowsOf(sql: Sql, members: Given[]): Promise<UpsertRow[]> {
  const [one] = members;
  if (!one || members.length > 1 || one.clears) {
    return sql.rows(upsertMany, JSON.stringify(members));
  }
  const values = { ...one, patch: JSON.stringify(one.patch), rest: JSON.stringify(one.rest) };
  return sql.rows(upsertOne, ...GIVEN_NAMES.map((name) => values[name]));
}

type Given = ReturnType<typeof givenOf>;

function givenOf(order: UpsertOrder, member: number) {
  return {
    member,
    id: order.id,
    org_id: order.orgId,
    shop_id: order.shopId,
    external_id: order.externalId,
    patch: order.patch,
    rest: restOf(order.patch),
    clears: isCleared(order.patch),
    actor: order.actor,
    key_id: order.keyId,
    event_id: order.eventId,
    audit_actor: order.audit.actor,
    request_id: order.audit.requestId,
    traceparent: order.traceparent,
  };
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
