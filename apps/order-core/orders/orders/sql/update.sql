-- Changes orders by their ids, each once. Leaves out an order that is unknown or that its patch does not change, that has another
-- version than If-Match names, that must claim stock or that core.order_refusal names, and a caller that is not live.
-- `is_decided`: the caller holds the lock of the row and has checked its rules. Names as in upsert.sql.
WITH given AS MATERIALIZED (
  SELECT m.*,
    (m.key_id IS NULL OR (SELECT k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
      FROM core.api_keys k WHERE k.id = m.key_id) IS TRUE)
    AND (m.session_id IS NULL OR core.session_is_live(m.session_id)) AS caller_is_live
  FROM jsonb_to_recordset($1::jsonb) AS m (member integer, id uuid, org_id uuid, patch jsonb, needs_stored boolean,
    force boolean, is_decided boolean, if_sequences jsonb, actor text, key_id uuid, session_id uuid, event_id uuid,
    audit_actor text, request_id text, traceparent text)
), before AS (
  SELECT o.id
  FROM given p JOIN core.orders o ON o.id = p.id AND o.org_id = p.org_id
  WHERE p.caller_is_live AND (p.if_sequences IS NULL OR p.if_sequences @> to_jsonb(o.sequence))
    AND (p.is_decided OR NOT (NOT o.is_test AND p.patch ? 'items' AND NOT p.patch ? 'stock_claim_id'
      AND (SELECT g.stock_follows_orders FROM core.organizations g WHERE g.id = p.org_id) IS TRUE))
  -- The lock order of upserts, so that they cannot deadlock.
  ORDER BY o.shop_id, o.external_id
  FOR UPDATE OF o
), written AS (
  UPDATE core.orders AS o SET (order_number, order_datetime,
    customer_name, customer_email, address_street, address_city, address_postal_code, address_phone,
    total_amount, total_is_given, payment_status, payment_reference, shipping_option,
    shipped, picked_up, cash_on_pickup, items, metadata, stock_claim_id, erased_at, stock,
    event_change, sequence, updated_at) = (
    SELECT n.order_number, n.order_datetime,
      n.customer_name, n.customer_email, n.address_street, n.address_city, n.address_postal_code, n.address_phone,
      n.total_amount, n.total_is_given, n.payment_status, n.payment_reference, n.shipping_option,
      n.shipped, n.picked_up, n.cash_on_pickup, n.items, n.metadata, n.stock_claim_id, n.erased_at, n.stock,
      core.event_change(o, n, p.patch), o.sequence + 1, now()
    FROM given p, LATERAL core.patched_order(o, p.patch, p.needs_stored) n
    WHERE p.id = o.id)
  FROM before b
  WHERE o.id = b.id AND EXISTS (
    SELECT FROM given p, LATERAL core.patched_order(o, p.patch, p.needs_stored) n
    WHERE p.id = o.id
      AND NOT (num_nonnulls(o.stock, o.stock_claim_id) > 0 AND p.patch ? 'items' AND NOT p.patch ? 'stock_claim_id')
      AND n IS DISTINCT FROM o AND (p.is_decided OR core.order_refusal(o, n, p.force) IS NULL))
  RETURNING o.*
), history AS (
  INSERT INTO core.order_history (order_id, sequence, actor, action, fields)
  SELECT w.id, w.sequence, p.actor, 'updated', core.history_fields(w, p.patch, '{}', p.needs_stored)
  FROM written w JOIN given p ON p.id = w.id
), audit AS (
  INSERT INTO core.audit_log (org_id, actor, action, object, request_id)
  SELECT w.org_id, p.audit_actor, 'order.update', 'order:' || w.id, p.request_id
  FROM written w JOIN given p ON p.id = w.id
), event AS (
  INSERT INTO core.outbox (id, org_id, event_type, aggregate_id, sequence, topic, body, traceparent, integration_id)
  SELECT p.event_id, w.org_id, core.order_event_type(w), w.id::text, w.sequence,
    core.order_topic(w.is_test, w.order_request_id, w.stock_claim_id), core.order_event(w, p.event_id), p.traceparent,
    core.notified_integration(w)
  FROM written w JOIN given p ON p.id = w.id
)
SELECT p.member, w.id, w.org_id, w.shop_id, w.external_id, w.status, w.order_request_id, w.sequence, w.created_at, w.updated_at,
  w.is_test, w.order_number, w.order_datetime, w.customer_name, w.customer_email, w.address_street, w.address_city,
  w.address_postal_code, w.address_phone, w.parcels, w.total_amount::float8 AS total_amount, w.total_is_given, w.payment_status,
  w.payment_reference, w.shipping_option, w.shipped, w.picked_up, w.cash_on_pickup, w.items, w.metadata, w.stock_claim_id,
  w.erased_at, w.stock, CASE WHEN w.has_lots THEN core.lots_of(w.id) END AS lots,
  (SELECT g.workflow FROM core.organizations g WHERE g.id = w.org_id) AS workflow
FROM written w JOIN given p ON p.id = w.id;
