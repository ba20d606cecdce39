-- Creates or updates orders by (shop, external id); a pair may occur once. Writes nothing for an unknown shop or a caller that is
-- not live, nor an order that must claim stock, that core.order_refusal names or that its patch does not change.
-- `p` is the given order with its patch, `o` the row before the change, `n` the row as the patch wants it, `w` the written row. Their
-- rules are functions of the schema (db/0001-schema.sql). Whole rows are compared: an expression per column costs planning time.
WITH given AS MATERIALIZED (
  -- Scalar subqueries, not EXISTS: for EXISTS the planner may read all keys of the installation.
  SELECT m.*, (SELECT CASE WHEN s.org_id = m.org_id THEN s.is_test END FROM core.shops s WHERE s.id = m.shop_id) AS is_test,
    (m.key_id IS NULL OR (SELECT k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
      FROM core.api_keys k WHERE k.id = m.key_id) IS TRUE)
    AND (m.session_id IS NULL OR core.session_is_live(m.session_id)) AS caller_is_live
  FROM jsonb_to_recordset($1::jsonb) AS m (member integer, id uuid, org_id uuid, shop_id uuid, external_id text, patch jsonb,
    rest jsonb, needs_stored boolean, force boolean, actor text, key_id uuid, session_id uuid, event_id uuid, audit_actor text,
    request_id text, traceparent text)
), written AS (
  INSERT INTO core.orders AS o (id, org_id, shop_id, external_id, status, is_test, order_number, order_datetime,
    customer_name, customer_email, address_street, address_city, address_postal_code, address_phone,
    total_amount, total_is_given, payment_status, payment_reference, shipping_option,
    shipped, picked_up, cash_on_pickup, items, metadata, stock_claim_id, erased_at, stock)
  -- `rest` holds the defaults of NOT NULL columns that the patch leaves out.
  SELECT p.id, p.org_id, p.shop_id, p.external_id, 'pending', p.is_test,
    p.patch ->> 'order_number',
    (p.patch ->> 'order_datetime')::timestamptz,
    p.patch ->> 'customer_name',
    p.patch ->> 'customer_email',
    p.patch ->> 'address_street',
    p.patch ->> 'address_city',
    p.patch ->> 'address_postal_code',
    p.patch ->> 'address_phone',
    coalesce(p.patch ->> 'total_amount', p.rest ->> 'total_amount')::numeric(12,2),
    coalesce(p.patch ->> 'total_is_given', p.rest ->> 'total_is_given')::boolean,
    coalesce(p.patch ->> 'payment_status', p.rest ->> 'payment_status'),
    p.patch ->> 'payment_reference',
    p.patch ->> 'shipping_option',
    coalesce(p.patch ->> 'shipped', p.rest ->> 'shipped')::boolean,
    coalesce(p.patch ->> 'picked_up', p.rest ->> 'picked_up')::boolean,
    coalesce(p.patch ->> 'cash_on_pickup', p.rest ->> 'cash_on_pickup')::boolean,
    coalesce(p.patch -> 'items', p.rest -> 'items'),
    CASE WHEN p.patch ? 'metadata' THEN core.merged_metadata('{}', p.patch -> 'metadata') ELSE '{}' END,
    (p.patch ->> 'stock_claim_id')::uuid,
    (p.patch ->> 'erased_at')::timestamptz,
    p.patch ->> 'stock'
  FROM given p
  -- Where stock follows orders, lines change with a claim only (stock-claimed-orders.ts). A test shop takes no stock.
  WHERE p.is_test IS NOT NULL AND p.caller_is_live
    AND NOT (NOT p.is_test AND p.patch ? 'items' AND NOT p.patch ? 'stock_claim_id'
      AND (SELECT g.stock_follows_orders FROM core.organizations g WHERE g.id = p.org_id) IS TRUE)
  -- Statements that lock several rows lock them in one order, so that they cannot deadlock.
  ORDER BY p.shop_id, p.external_id
  ON CONFLICT ON CONSTRAINT orders_shop_external DO UPDATE SET (order_number, order_datetime,
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
    WHERE p.id = excluded.id)
  WHERE EXISTS (
    SELECT FROM given p, LATERAL core.patched_order(o, p.patch, p.needs_stored) n
    WHERE p.id = excluded.id
      -- Stock follows an order that took some, by an approval or a claim, whatever the setting says.
      AND NOT (num_nonnulls(o.stock, o.stock_claim_id) > 0 AND p.patch ? 'items' AND NOT p.patch ? 'stock_claim_id')
      -- A patch that changes nothing writes no history and no event.
      AND n IS DISTINCT FROM o AND core.order_refusal(o, n, p.force) IS NULL)
  RETURNING o.*
), history AS (
  INSERT INTO core.order_history (order_id, sequence, actor, action, fields)
  SELECT w.id, w.sequence, p.actor, CASE WHEN w.sequence = 1 THEN 'created' ELSE 'updated' END,
    core.history_fields(w, p.patch, p.rest, p.needs_stored)
  FROM written w JOIN given p ON p.shop_id = w.shop_id AND p.external_id = w.external_id
), audit AS (
  INSERT INTO core.audit_log (org_id, actor, action, object, request_id)
  SELECT w.org_id, p.audit_actor, CASE WHEN w.sequence = 1 THEN 'order.create' ELSE 'order.update' END, 'order:' || w.id,
    p.request_id
  FROM written w JOIN given p ON p.shop_id = w.shop_id AND p.external_id = w.external_id
), event AS (
  INSERT INTO core.outbox (id, org_id, event_type, aggregate_id, sequence, topic, body, traceparent, integration_id)
  SELECT p.event_id, w.org_id, core.order_event_type(w), w.id::text, w.sequence,
    core.order_topic(w.is_test, w.order_request_id, w.stock_claim_id), core.order_event(w, p.event_id), p.traceparent,
    core.notified_integration(w)
  FROM written w JOIN given p ON p.shop_id = w.shop_id AND p.external_id = w.external_id
)
SELECT p.member, p.is_test IS NOT NULL AS shop_is_known, p.caller_is_live,
  w.id IS NOT NULL AS is_written, w.sequence = 1 AS created,
  w.id, w.org_id, w.shop_id, w.external_id, w.status, w.order_request_id, w.sequence, w.created_at, w.updated_at, w.is_test,
  w.order_number, w.order_datetime, w.customer_name, w.customer_email, w.address_street, w.address_city,
  w.address_postal_code, w.address_phone, w.parcels, w.total_amount::float8 AS total_amount, w.total_is_given, w.payment_status,
  w.payment_reference, w.shipping_option, w.shipped, w.picked_up, w.cash_on_pickup, w.items, w.metadata, w.stock_claim_id,
  w.erased_at, w.stock, CASE WHEN w.has_lots THEN core.lots_of(w.id) END AS lots,
  (SELECT g.workflow FROM core.organizations g WHERE g.id = w.org_id) AS workflow
FROM given p LEFT JOIN written w ON w.shop_id = p.shop_id AND w.external_id = p.external_id;
