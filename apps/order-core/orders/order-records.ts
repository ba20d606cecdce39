import { type JsonField, jsonText, nullableWordJson, wordJson } from '@offizin/pg/json-text';

/**
 * What every write of an order leaves beside the row, as CTEs over `told t`: the written order with what was given for
 * it. Node.js makes what needs no database (what a new order has beside the patch, `t.rest`).
 */

/**
 * Total and payment status stand in the history as they were stored: not as the patch says where a given total stays or
 * null means the default.
 */
const HISTORY = `
  INSERT INTO core.order_history (order_id, sequence, actor, action, fields)
  SELECT t.id, t.sequence, t.actor, CASE WHEN t.sequence = 1 THEN 'created' ELSE 'updated' END,
         CASE WHEN t.patch ? 'stock_claim_id' THEN fields - 'stock_claim_id' ELSE fields END
  FROM told t, LATERAL (SELECT CASE WHEN t.sequence = 1 THEN t.patch || t.rest
           WHEN t.clears OR t.total_is_given AND t.patch @> '{"total_is_given": false}' THEN t.patch
             || CASE WHEN t.patch ? 'total_is_given' THEN jsonb_build_object('total_amount', t.total_amount::float8,
                                                                            'total_is_given', t.total_is_given)
                     ELSE '{}' END
             || CASE WHEN t.patch ? 'payment_status' THEN jsonb_build_object('payment_status', t.payment_status)
                     ELSE '{}' END
           ELSE t.patch END AS fields) f`;

const AUDIT = `
  INSERT INTO core.audit_log (org_id, actor, action, object, request_id)
  SELECT t.org_id, t.audit_actor, CASE WHEN t.sequence = 1 THEN 'order.create' ELSE 'order.update' END,
         'order:' || t.id, t.request_id
  FROM told t`;

const OF_ORDER: JsonField[] = [
  ['order_id', wordJson('t.id')],
  ['shop_id', wordJson('t.shop_id')],
];
const ORDER_CHANGED = jsonText(
  [
    ...OF_ORDER,
    ['status', wordJson('t.status')],
    ['order_request_id', nullableWordJson('t.order_request_id')],
    ['stock_claim_id', nullableWordJson('t.stock_claim_id')],
    ['sequence', 't.sequence'],
  ],
  'spaced',
);
const PAYMENT_CHANGED = jsonText(
  [
    ...OF_ORDER,
    ['order_request_id', nullableWordJson('t.order_request_id')],
    ['old_payment_status', wordJson(`(t.payment_change ->> 'old_payment_status')`)],
    ['new_payment_status', wordJson('t.payment_status')],
    ['changed', `(t.payment_change ->> 'changed')`],
    ['sequence', 't.sequence'],
  ],
  'spaced',
);
const BODY = jsonText(
  [
    ['id', wordJson('t.event_id')],
    ['org_id', wordJson('t.org_id')],
    ['event_type', wordJson('e.event_type')],
    ['title', wordJson('e.title')],
    ['description', `to_json(e.title || ' (' || t.external_id || ')')`],
    ['metadata', `CASE WHEN t.payment_change IS NULL THEN ${ORDER_CHANGED} ELSE ${PAYMENT_CHANGED} END`],
    ['created_at', wordJson('core.iso(t.updated_at)')],
  ],
  'spaced',
);

const EVENT = `
  INSERT INTO core.outbox (id, org_id, event_type, aggregate_id, sequence, lane, body, traceparent)
  SELECT t.event_id, t.org_id, e.event_type, t.id::text, t.sequence,
         CASE WHEN num_nonnulls(t.order_request_id, t.stock_claim_id) = 0 THEN 'plain' ELSE 'stock' END,
         ${BODY}, t.traceparent
  FROM told t, LATERAL (SELECT * FROM (VALUES
         ('order_created', 'Order created', t.sequence = 1),
         ('order_payment_updated', 'Order payment updated', t.payment_change IS NOT NULL),
         ('order_updated', 'Order changed', true)) kind (event_type, title, applies) WHERE applies LIMIT 1) e`;

/** Columns of `told` that are given (`p`); the others are those of the written order. */
export const TOLD_OF_GIVEN =
  'p.patch, p.rest, p.clears, p.actor, p.event_id, p.audit_actor, p.request_id, p.traceparent';

export const RECORDS = `history AS (${HISTORY}
   ), audit AS (${AUDIT}
   ), event AS (${EVENT}
   )`;
