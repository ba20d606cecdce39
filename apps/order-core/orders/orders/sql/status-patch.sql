-- Status patches of several callers, each of another order: lock, rule (the workflow is data, $2 the default), change, history,
-- audit, event. A concurrent patch of the same order waits at the lock and is decided against the changed row.
-- `p` is the given patch, `b` the row before it, `w` the row as the patch wants it, then as written.
WITH given AS MATERIALIZED (
  SELECT m.*,
    (m.key_id IS NULL OR (SELECT k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
      FROM core.api_keys k WHERE k.id = m.key_id) IS TRUE)
    AND (m.session_id IS NULL OR core.session_is_live(m.session_id)) AS caller_is_live
  FROM jsonb_to_recordset($1::jsonb) AS m (member integer, id uuid, org_id uuid, patch jsonb, actor text, key_id uuid,
    session_id uuid, if_sequences jsonb, event_id uuid, reopen boolean, audit_actor text, request_id text, traceparent text,
    claim jsonb)
), before AS (
  SELECT o.id, o.status, o.payment_status, o.shipped, o.picked_up, o.sequence, o.updated_at, o.erased_at, o.stock, p.claim,
    NOT o.is_test AND (num_nonnulls(o.stock, o.stock_claim_id) > 0 OR g.stock_follows_orders) AS follows_stock,
    p.member, p.patch, p.actor, p.event_id, p.if_sequences, p.audit_actor, p.request_id, p.traceparent,
    NOT p.patch ? 'status' OR p.patch ->> 'status' = o.status
      OR coalesce(g.workflow, $2::jsonb) -> o.status ? (p.patch ->> 'status') AS allowed,
    g.workflow, p.reopen
  FROM given p JOIN core.orders o ON o.id = p.id AND o.org_id = p.org_id
    JOIN core.organizations g ON g.id = o.org_id
  WHERE p.caller_is_live
  -- The lock order of upserts, so that they cannot deadlock.
  ORDER BY o.shop_id, o.external_id
  FOR UPDATE OF o
), wanted AS (
  SELECT b.*,
    coalesce(b.patch ->> 'status', b.status) AS new_status,
    coalesce(b.patch ->> 'payment_status', b.payment_status) AS new_payment_status,
    coalesce((b.patch ->> 'shipped')::boolean, b.shipped) AS new_shipped,
    coalesce((b.patch ->> 'picked_up')::boolean, b.picked_up) AS new_picked_up,
    -- A closed order that opens again, and a cancelled one whose goods go out.
    b.claim IS NULL AND b.follows_stock AND core.is_closed(b.status)
      AND (NOT core.is_closed(b.patch ->> 'status') OR b.stock = 'released' AND core.is_sold(b.patch ->> 'status')) IS TRUE
      AS lacks_claim
  FROM before b
), written AS (
  -- Writes nothing when the move is not allowed, If-Match names another version, stock lacks, or nothing changes.
  UPDATE core.orders o SET status = w.new_status, payment_status = w.new_payment_status, shipped = w.new_shipped,
    picked_up = w.new_picked_up, sequence = o.sequence + 1, updated_at = now(),
    unpaid_since = CASE WHEN w.new_status = 'awaiting_payment' AND o.order_request_id IS NOT NULL
      THEN coalesce(o.unpaid_since, now()) END,
    stock_claim_id = coalesce((w.claim ->> 'id')::uuid, o.stock_claim_id),
    stock = CASE WHEN h.held IS DISTINCT FROM 'reserved' THEN h.held WHEN core.is_sold(w.new_status) THEN 'sold'
      WHEN w.new_status = 'cancelled' THEN 'released' ELSE h.held END
  FROM wanted w, LATERAL (SELECT CASE WHEN w.claim IS NULL THEN w.stock ELSE w.claim ->> 'stock' END AS held) h
  WHERE o.id = w.id AND (w.allowed OR w.reopen) AND NOT w.lacks_claim
    AND (w.if_sequences IS NULL OR w.if_sequences @> to_jsonb(w.sequence))
    AND (w.status, w.payment_status, w.shipped, w.picked_up)
      IS DISTINCT FROM (w.new_status, w.new_payment_status, w.new_shipped, w.new_picked_up)
  RETURNING o.id, o.org_id, o.shop_id, o.external_id, o.order_request_id, o.stock_claim_id, o.sequence, o.status,
    o.updated_at, o.is_test, o.erased_at, o.integration_id,
    w.status AS old_status, w.actor, w.event_id, w.patch, w.allowed, w.audit_actor, w.request_id, w.traceparent,
    array_remove(ARRAY[
      CASE WHEN w.status <> w.new_status THEN 'status' END,
      CASE WHEN w.payment_status <> w.new_payment_status THEN 'payment_status' END,
      CASE WHEN w.shipped <> w.new_shipped THEN 'shipped' END,
      CASE WHEN w.picked_up <> w.new_picked_up THEN 'picked_up' END], NULL) AS changed,
    json_strip_nulls(json_build_object(
      'status', CASE WHEN w.status <> w.new_status THEN w.status END,
      'payment_status', CASE WHEN w.payment_status <> w.new_payment_status THEN w.payment_status END,
      'shipped', CASE WHEN w.shipped <> w.new_shipped THEN w.shipped END,
      'picked_up', CASE WHEN w.picked_up <> w.new_picked_up THEN w.picked_up END)) AS old_values,
    json_strip_nulls(json_build_object(
      'status', CASE WHEN w.status <> w.new_status THEN w.new_status END,
      'payment_status', CASE WHEN w.payment_status <> w.new_payment_status THEN w.new_payment_status END,
      'shipped', CASE WHEN w.shipped <> w.new_shipped THEN w.new_shipped END,
      'picked_up', CASE WHEN w.picked_up <> w.new_picked_up THEN w.new_picked_up END)) AS new_values
), history AS (
  INSERT INTO core.order_history (order_id, sequence, actor, action, fields)
  SELECT w.id, w.sequence, w.actor, CASE WHEN w.allowed THEN 'status_changed' ELSE 'reopened' END,
    -- A reason is free text, which may name the customer.
    CASE WHEN w.erased_at IS NULL THEN w.patch ELSE w.patch - 'reason' END
  FROM written w
), audit AS (
  INSERT INTO core.audit_log (org_id, actor, action, object, request_id)
  SELECT w.org_id, w.audit_actor, CASE WHEN w.allowed THEN 'order.status' ELSE 'order.reopen' END, 'order:' || w.id,
    w.request_id
  FROM written w
), event AS (
  INSERT INTO core.outbox (id, org_id, event_type, aggregate_id, sequence, topic, body, traceparent, integration_id)
  SELECT w.event_id, w.org_id, 'order_status_updated', w.id::text, w.sequence,
    core.order_topic(w.is_test, w.order_request_id, w.stock_claim_id),
    -- As core.order_event.
    '{"id" : "' || w.event_id || '", "org_id" : "' || w.org_id
    || '", "event_type" : "order_status_updated", "title" : "Order status updated", "description" : '
    || to_json('Order ' || w.external_id || ': ' || w.old_status || ' -> ' || w.status)
    || ', "metadata" : {"order_id" : "' || w.id || '", "old_status" : "' || w.old_status || '", "new_status" : "' || w.status
    || '", "changed" : ' || array_to_json(w.changed) || ', "old" : ' || w.old_values || ', "new" : ' || w.new_values
    || ', "shop_id" : "' || w.shop_id
    || '", "order_request_id" : ' || coalesce('"' || w.order_request_id || '"', 'null')
    || ', "stock_claim_id" : ' || coalesce('"' || w.stock_claim_id || '"', 'null')
    || ', "sequence" : ' || w.sequence || CASE WHEN w.is_test THEN ', "test" : true' ELSE '' END
    || '}, "created_at" : "' || core.iso(w.updated_at) || '"}',
    w.traceparent,
    w.integration_id
  FROM written w
)
SELECT b.member, b.status AS old_status, b.sequence AS old_sequence, b.updated_at AS old_updated_at,
  b.allowed OR b.reopen AS allowed, b.lacks_claim, b.workflow, w.status, w.sequence, w.updated_at
FROM wanted b LEFT JOIN written w ON w.id = b.id;
