import { CLOSED_STATUSES } from '@offizin/contracts/orders/settings';
import { statement } from '@offizin/pg/database';
import { type JsonField, jsonText, nullableWordJson, wordJson } from '@offizin/pg/json-text';
import { isLiveSql } from '../../../callers/live-caller.store';
import { DROPPED_WHEN_ERASED, type OrderPatch, type restOf } from '../order-patch';
import type { OrderRow } from '../order-row';

/**
 * The statements that write an order with its history, audit entry and event; rendered/{upsert,upsert-one}.sql.
 *
 * Aliases: `p` the given order with its patch, `o` the row before the change, `n` the row after it, `c` the written row
 * with its given order. Whole rows are compared: an expression per column costs planning time.
 */

/**
 * Creates or updates orders by (shop, external id); a pair may occur once per statement. Writes nothing for an unknown
 * shop or a caller that is not live, nor an order that must claim stock, nor over a closed one. Two forms for speed: a
 * batch, and a single order.
 */
function upsertText({ source, materialized, orderBy, change }: Variant): string {
  return `WITH given AS ${materialized} (
     -- Scalar subqueries, not EXISTS: for EXISTS the planner may read all keys of the installation.
     SELECT m.*, (SELECT CASE WHEN s.org_id = m.org_id THEN s.is_test END FROM core.shops s WHERE s.id = m.shop_id) AS is_test,
            ${isLiveSql('m')} AS caller_is_live
     FROM ${source}
   ), written AS (
     INSERT INTO core.orders AS o (id, org_id, shop_id, external_id, status, is_test,
            ${list(COLUMNS)})
     SELECT p.id, p.org_id, p.shop_id, p.external_id, 'pending', p.is_test,
            ${list(INSERTED)}
     FROM given p
     -- Where stock follows orders, lines change with a claim only (stock-claimed-orders.ts). A test shop takes no stock.
     WHERE p.is_test IS NOT NULL AND p.caller_is_live AND NOT (NOT p.is_test AND ${LACKS_CLAIM} AND (
             SELECT g.stock_follows_orders FROM core.organizations g WHERE g.id = p.org_id) IS TRUE)
     ${orderBy}
     ON CONFLICT ON CONSTRAINT orders_shop_external DO UPDATE SET ${change.set}
     WHERE ${change.applies}
     RETURNING ${list(WRITTEN)}
   ), changed AS ${materialized} (
     SELECT w.*, p.member, ${GIVEN_OF_WRITTEN}
     FROM written w JOIN given p ON p.shop_id = w.shop_id AND p.external_id = w.external_id
   ), ${HISTORY_AUDIT_EVENT}
   SELECT p.member, p.is_test IS NOT NULL AS shop_is_known, p.caller_is_live, c.id IS NOT NULL AS is_written, c.sequence = 1 AS created,
          ${selected('c')}
   FROM given p LEFT JOIN changed c ON c.member = p.member`;
}

/** What differs between a batch and a single order. */
interface Variant {
  /** FROM item `m` with the columns of GIVEN. */
  source: string;
  /** A single order is bind parameters; materializing them would add a scan and a join. */
  materialized: 'MATERIALIZED' | 'NOT MATERIALIZED';
  /** Statements that lock several rows lock them in one order, so that they cannot deadlock. */
  orderBy: string;
  change: { set: string; applies: string };
}

/**
 * `isMine` finds the given order of the row. `needsStored`: new values may follow from the stored ones
 * (order-patch.ts). `isForced`: the rules of closed and of approved orders do not count.
 */
export function changeOf(
  isMine: string,
  { needsStored, isForced = false }: ChangeOptions,
): Variant['change'] {
  const changed = needsStored ? MERGED : `jsonb_populate_record(o, ${PLAIN_PATCH})`;
  return {
    // payment_change describes an update of the payment alone; it needs the old and the new row.
    set: `(
            ${list(COLUMNS)},
            payment_change, sequence, updated_at) =
       (SELECT ${list(COLUMNS.map((column) => `n.${column}`))},
            CASE WHEN p.patch ?| '{payment_status,payment_reference}'
                  AND jsonb_populate_record(n, jsonb_build_object('payment_status', o.payment_status,
                        'payment_reference', o.payment_reference)) IS NOT DISTINCT FROM o
              THEN jsonb_build_object('old_payment_status', o.payment_status, 'changed', array_remove(ARRAY[
                     CASE WHEN o.payment_status IS DISTINCT FROM n.payment_status THEN 'payment_status' END,
                     CASE WHEN o.payment_reference IS DISTINCT FROM n.payment_reference THEN 'payment_reference' END],
                   NULL)) END,
            o.sequence + 1, now()
        FROM given p, LATERAL ${changed} n WHERE ${isMine})`,
    applies: `EXISTS (SELECT FROM given p, LATERAL ${changed} n
       WHERE ${isMine} AND NOT (${TOOK_STOCK} AND ${LACKS_CLAIM})
       -- A patch that changes nothing writes no history and no event.
       AND n IS DISTINCT FROM o${isForced ? '' : ` AND NOT ${CLOSED} AND NOT ${NEEDS_TWO}`})`,
  };
}

interface ChangeOptions {
  needsStored: boolean;
  isForced?: boolean;
}

/** Columns that a caller may set, with the type that their JSON text is cast to. */
const PATCH_COLUMNS: Record<keyof OrderPatch, string> = {
  order_number: 'text',
  order_datetime: 'timestamptz',
  customer_name: 'text',
  customer_email: 'text',
  address_street: 'text',
  address_city: 'text',
  address_postal_code: 'text',
  address_phone: 'text',
  total_amount: 'numeric(12,2) NOT NULL',
  total_is_given: 'boolean NOT NULL',
  payment_status: 'text NOT NULL',
  payment_reference: 'text',
  shipping_option: 'text',
  shipped: 'boolean NOT NULL',
  picked_up: 'boolean NOT NULL',
  cash_on_pickup: 'boolean NOT NULL',
  items: 'jsonb NOT NULL',
  metadata: 'jsonb NOT NULL',
  stock_claim_id: 'uuid',
  erased_at: 'timestamptz',
  stock: 'text',
};
const COLUMNS = Object.keys(PATCH_COLUMNS);

const OWN_COLUMNS =
  'id,org_id,shop_id,external_id,status,order_request_id,sequence,created_at,updated_at,is_test'.split(',');
export const WRITTEN = [...OWN_COLUMNS, ...COLUMNS, 'payment_change'].map((column) => `o.${column}`);

/** Defaults of NOT NULL columns that the patch leaves out come from `p.rest`. */
const INSERTED = Object.entries(PATCH_COLUMNS).map(([column, declared]) => {
  if (column === 'metadata')
    return `CASE WHEN p.patch ? 'metadata' THEN core.merged_metadata('{}', p.patch -> 'metadata') ELSE '{}' END`;
  const [type = '', isRequired] = declared.split(' NOT NULL');
  const arrow = type === 'jsonb' ? '->' : '->>';
  const given = `p.patch ${arrow} '${column}'`;
  const value = isRequired === undefined ? `(${given})` : `coalesce(${given}, p.rest ${arrow} '${column}')`;
  return type === 'jsonb' || type === 'text' ? value : `${value}::${type}`;
});

/** SQL: the names that a patch of this order must not set. */
const droppedOf = (alias: string): string =>
  `CASE WHEN ${alias}.erased_at IS NULL THEN '{}' ELSE '{${DROPPED_WHEN_ERASED.join(',')}}' END::text[]`;

export const GIVEN_OF_WRITTEN = `p.patch - ${droppedOf('w')} AS patch, p.rest, p.needs_stored, p.actor, p.event_id, p.audit_actor, p.request_id, p.traceparent`;

/** Stock follows the order `o` whatever the setting says: an approval or a claim took some. */
export const TOOK_STOCK = 'num_nonnulls(o.stock, o.stock_claim_id) > 0';

export const LACKS_CLAIM = `p.patch ? 'items' AND NOT p.patch ? 'stock_claim_id'`;

const SUM_OF_LINES = `(
                  SELECT coalesce(sum((item ->> 'quantity')::numeric * round((item ->> 'price')::numeric, 2)), 0)
                  FROM jsonb_array_elements(coalesce(p.patch -> 'items', o.items)) item)`;

/**
 * The patch without a computed total where the order has a given one. A given total that equals the one that the lines
 * make is not a change: the total goes on following them. An erased order takes no customer data.
 */
const PLAIN_PATCH = `(CASE WHEN o.total_is_given AND p.patch @> '{"total_is_given": false}'
              THEN p.patch - '{total_amount,total_is_given}'::text[]
              WHEN NOT o.total_is_given AND p.patch @> '{"total_is_given": true}'
                AND (p.patch ->> 'total_amount')::numeric
                  = CASE WHEN p.patch ? 'items' THEN ${SUM_OF_LINES} ELSE o.total_amount END
              THEN p.patch || '{"total_is_given": false}' ELSE p.patch END - ${droppedOf('o')})`;

/**
 * The same where values follow from the stored ones: null becomes the default of a new order, a cleared total the sum
 * of the lines, and metadata are merged.
 */
const MERGED_PATCH = `CASE WHEN p.needs_stored THEN ${PLAIN_PATCH}
            || CASE WHEN p.patch @> '{"total_is_given": null}' THEN jsonb_build_object('total_is_given', false, 'total_amount',
                 -- numeric(10,2) ends at MAX_MONEY, so a larger sum fails the statement.
                 coalesce((p.patch ->> 'total_amount')::float8, ${SUM_OF_LINES}::numeric(10,2)::float8)) ELSE '{}' END
            || CASE WHEN p.patch @> '{"payment_status": null}' THEN jsonb_build_object('payment_status',
                 CASE WHEN coalesce((p.patch ->> 'cash_on_pickup')::boolean, o.cash_on_pickup) THEN 'cash_on_pickup'
                      ELSE 'pending' END) ELSE '{}' END
            || CASE WHEN p.patch ? 'metadata' AND o.erased_at IS NULL THEN jsonb_build_object('metadata',
                 core.merged_metadata(o.metadata, p.patch -> 'metadata')) ELSE '{}' END
          ELSE ${PLAIN_PATCH} END`;

/** The row as the patch wants it. */
const MERGED = `jsonb_populate_record(o, ${MERGED_PATCH})`;

/** A closed order takes these. Of `total_is_given`: its lines and so its total stay. */
const TAKEN_WHEN_CLOSED =
  '{payment_status,payment_reference,shipped,picked_up,cash_on_pickup,metadata,total_is_given}';
/**
 * Refuses the change of `o` to `n` because the order is closed. The status comes first: it costs an open order nothing.
 */
const CLOSED = `(o.status IN (${CLOSED_STATUSES.map((status) => `'${status}'`).join(', ')}) AND NOT p.force
         AND to_jsonb(n) - '${TAKEN_WHEN_CLOSED}'::text[] <> to_jsonb(o) - '${TAKEN_WHEN_CLOSED}'::text[]
         AND (SELECT g.closed_orders FROM core.organizations g WHERE g.id = o.org_id) = 'refuse')`;

/**
 * Refuses the change of `o` to `n` because two people approved these lines, customer and address (decision 0047). The
 * request comes first: an order without one costs nothing.
 */
const APPROVED_COLUMNS =
  'items,customer_name,customer_email,address_street,address_city,address_postal_code,address_phone'.split(
    ',',
  );
const approvedOf = (alias: string): string =>
  APPROVED_COLUMNS.map((column) => `${alias}.${column}`).join(', ');
const NEEDS_TWO = `(o.order_request_id IS NOT NULL
         AND (${approvedOf('n')}) IS DISTINCT FROM (${approvedOf('o')})
         AND (SELECT r.first_approved_by IS NOT NULL AND s.four_eyes <> 'off' FROM core.order_requests r
              JOIN core.review_settings s ON s.org_id = r.org_id WHERE r.id = o.order_request_id) IS TRUE)`;

/** The last fields of an event's metadata. */
export const sequenceAndMark = (alias: string): JsonField => [
  'sequence',
  `${alias}.sequence || CASE WHEN ${alias}.is_test THEN ', "test" : true' ELSE '' END`,
];

const OF_ORDER: JsonField[] = [
  ['order_id', wordJson('c.id')],
  ['shop_id', wordJson('c.shop_id')],
];
const ORDER_CHANGED = jsonText(
  [
    ...OF_ORDER,
    ['status', wordJson('c.status')],
    ['order_request_id', nullableWordJson('c.order_request_id')],
    ['stock_claim_id', nullableWordJson('c.stock_claim_id')],
    sequenceAndMark('c'),
  ],
  'spaced',
);
const PAYMENT_CHANGED = jsonText(
  [
    ...OF_ORDER,
    ['order_request_id', nullableWordJson('c.order_request_id')],
    ['old_payment_status', wordJson(`(c.payment_change ->> 'old_payment_status')`)],
    ['new_payment_status', wordJson('c.payment_status')],
    ['changed', `(c.payment_change ->> 'changed')`],
    sequenceAndMark('c'),
  ],
  'spaced',
);
const EVENT_BODY = jsonText(
  [
    ['id', wordJson('c.event_id')],
    ['org_id', wordJson('c.org_id')],
    ['event_type', wordJson('e.event_type')],
    ['title', wordJson('e.title')],
    ['description', `to_json(e.title || ' (' || c.external_id || ')')`],
    ['metadata', `CASE WHEN c.payment_change IS NULL THEN ${ORDER_CHANGED} ELSE ${PAYMENT_CHANGED} END`],
    ['created_at', wordJson('core.iso(c.updated_at)')],
  ],
  'spaced',
).replace(/ \|\| (?='Z?"?, ?")/g, '\n           || ');

const STORED_METADATA = `CASE WHEN c.patch ? 'metadata' THEN jsonb_build_object('metadata', c.metadata) ELSE '{}' END`;

export const HISTORY_AUDIT_EVENT = `history AS (
     -- Total, payment status and metadata as stored: a given total stays, null is a default, keys are merged.
     INSERT INTO core.order_history (order_id, sequence, actor, action, fields)
     SELECT c.id, c.sequence, c.actor, CASE WHEN c.sequence = 1 THEN 'created' ELSE 'updated' END,
            CASE WHEN c.patch ?| '{stock_claim_id,erased_at}' THEN fields - '{stock_claim_id,erased_at,stock}'::text[] ELSE fields END
     FROM changed c, LATERAL (SELECT CASE WHEN c.sequence = 1 THEN c.patch || c.rest || ${STORED_METADATA}
              WHEN c.needs_stored OR c.patch @> jsonb_build_object('total_is_given', NOT c.total_is_given) THEN c.patch
                || CASE WHEN c.patch ? 'total_is_given' THEN jsonb_build_object('total_amount', c.total_amount::float8,
                                                                               'total_is_given', c.total_is_given)
                        ELSE '{}' END
                || CASE WHEN c.patch ? 'payment_status' THEN jsonb_build_object('payment_status', c.payment_status)
                        ELSE '{}' END
                || ${STORED_METADATA}
              ELSE c.patch END AS fields) f
   ), audit AS (
     INSERT INTO core.audit_log (org_id, actor, action, object, request_id)
     SELECT c.org_id, c.audit_actor, CASE WHEN c.sequence = 1 THEN 'order.create' ELSE 'order.update' END,
            'order:' || c.id, c.request_id
     FROM changed c
   ), event AS (
     INSERT INTO core.outbox (id, org_id, event_type, aggregate_id, sequence, topic, body, traceparent)
     SELECT c.event_id, c.org_id, e.event_type, c.id::text, c.sequence,
            CASE WHEN c.is_test OR num_nonnulls(c.order_request_id, c.stock_claim_id) = 0 THEN 'plain' ELSE 'stock' END,
            ${EVENT_BODY}, c.traceparent
     -- The first kind that applies.
     FROM changed c, LATERAL (SELECT * FROM (VALUES
            ('order_created', 'Order created', c.sequence = 1),
            ('order_payment_updated', 'Order payment updated', c.payment_change IS NOT NULL),
            ('order_updated', 'Order changed', true)) kind (event_type, title, applies) WHERE applies LIMIT 1) e
   )`;

/** The columns of an OrderRow. */
export function selected(alias: string): string {
  const own = [...OWN_COLUMNS, ...COLUMNS.filter((column) => column !== 'total_amount')];
  const columns = own.map((column) => `${alias}.${column}`);
  const workflow = `(SELECT g.workflow FROM core.organizations g WHERE g.id = ${alias}.org_id) AS workflow`;
  return list([...columns, `${alias}.total_amount::float8 AS total_amount`, workflow]);
}

/** Joined by commas, wrapped at about 110 characters. */
export function list(parts: readonly string[]): string {
  return parts.reduce((text, part) => {
    const isFull = text.length - text.lastIndexOf('\n') + part.length > 110;
    return `${text},${isFull ? '\n            ' : ' '}${part}`;
  });
}

/** The input of the upsert for one order. */
export interface GivenOrder {
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
export type UpsertRow = OrderRow & {
  member: number;
  created: boolean;
  is_written: boolean;
  shop_is_known: boolean;
  caller_is_live: boolean;
};

/** The input of the upsert, one column each, with its type. */
const GIVEN: Record<keyof GivenOrder, string> = {
  member: 'integer',
  id: 'uuid',
  org_id: 'uuid',
  shop_id: 'uuid',
  external_id: 'text',
  patch: 'jsonb',
  rest: 'jsonb',
  needs_stored: 'boolean',
  force: 'boolean',
  actor: 'text',
  key_id: 'uuid',
  session_id: 'uuid',
  event_id: 'uuid',
  audit_actor: 'text',
  request_id: 'text',
  traceparent: 'text',
};
const GIVEN_NAMES = Object.keys(GIVEN);
const FIELDS = Object.entries(GIVEN).map(([field, type]) => `${field} ${type}`);
const VALUES = Object.entries(GIVEN).map(([field, type]) => `$${field}::${type}`);

/** An order beside a patch that was not written: whether the patch differs, and which rule refuses it. */
export const comparePatch = statement<
  OrderRow & { differs: boolean; is_closed: boolean; needs_two: boolean },
  { orgId: string; shopId: string; externalId: string; patch: string; needsStored: boolean; force: boolean }
>(
  'order_compare_patch',
  `SELECT ${selected('o')}, n IS DISTINCT FROM o AS differs, ${CLOSED} AS is_closed, ${NEEDS_TWO} AS needs_two
   FROM (SELECT $patch::jsonb AS patch, $needsStored::boolean AS needs_stored, $force::boolean AS force) p, core.orders o, LATERAL ${MERGED} n
   WHERE o.org_id = $orgId AND o.shop_id = $shopId AND o.external_id = $externalId`,
);

/** A batch; its input is one JSON array. */
export const upsertMany = statement<UpsertRow, [string]>(
  'order_upsert',
  upsertText({
    source: `jsonb_to_recordset($1::jsonb) AS m (
            ${list(FIELDS)})`,
    materialized: 'MATERIALIZED',
    orderBy: 'ORDER BY p.shop_id, p.external_id',
    change: changeOf('p.id = excluded.id', { needsStored: true }),
  }),
);

/** A single order whose patch needs no stored values: cheaper to plan and run than a batch of one. */
export const upsertOne = statement<UpsertRow, GivenOrder>(
  'order_upsert_one',
  upsertText({
    source: `(VALUES (${list(VALUES)}))
       AS m (${list(GIVEN_NAMES)})`,
    materialized: 'NOT MATERIALIZED',
    orderBy: '',
    change: changeOf('p.id = excluded.id', { needsStored: false }),
  }),
);
