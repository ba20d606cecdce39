-- Written by `node tools/bootstrap.mjs docs`. Change the code, not this file.
PREPARE update_many AS
WITH given AS MATERIALIZED (
     SELECT m.*, '{}'::jsonb AS rest, (m.key_id IS NULL OR (SELECT k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
              FROM core.api_keys k WHERE k.id = m.key_id) IS TRUE)
            AND (m.session_id IS NULL OR core.session_is_live(m.session_id)) AS caller_is_live
     FROM jsonb_to_recordset($1::jsonb) AS m (member integer, id uuid, org_id uuid, patch jsonb, needs_stored boolean,
            force boolean, if_sequences jsonb, actor text, key_id uuid, session_id uuid, event_id uuid, audit_actor text, request_id text,
            traceparent text)
   ), before AS (
     SELECT o.id
     FROM given p JOIN core.orders o ON o.id = p.id AND o.org_id = p.org_id
     WHERE p.caller_is_live AND (p.if_sequences IS NULL OR p.if_sequences @> to_jsonb(o.sequence))
       AND NOT (NOT o.is_test AND p.patch ? 'items' AND NOT p.patch ? 'stock_claim_id' AND (
             SELECT g.stock_follows_orders FROM core.organizations g WHERE g.id = p.org_id) IS TRUE)
     -- The lock order of upserts, so that they cannot deadlock.
     ORDER BY o.shop_id, o.external_id
     FOR UPDATE OF o
   ), written AS (
     UPDATE core.orders AS o SET (
            order_number, order_datetime, customer_name, customer_email, address_street, address_city, address_postal_code,
            address_phone, total_amount, total_is_given, payment_status, payment_reference, shipping_option,
            shipped, picked_up, cash_on_pickup, items, metadata, stock_claim_id, erased_at, stock,
            payment_change, sequence, updated_at) =
       (SELECT n.order_number, n.order_datetime, n.customer_name, n.customer_email, n.address_street, n.address_city,
            n.address_postal_code, n.address_phone, n.total_amount, n.total_is_given, n.payment_status,
            n.payment_reference, n.shipping_option, n.shipped, n.picked_up, n.cash_on_pickup, n.items,
            n.metadata, n.stock_claim_id, n.erased_at, n.stock,
            CASE WHEN p.patch ?| '{payment_status,payment_reference}'
                  AND jsonb_populate_record(n, jsonb_build_object('payment_status', o.payment_status,
                        'payment_reference', o.payment_reference)) IS NOT DISTINCT FROM o
              THEN jsonb_build_object('old_payment_status', o.payment_status, 'changed', array_remove(ARRAY[
                     CASE WHEN o.payment_status IS DISTINCT FROM n.payment_status THEN 'payment_status' END,
                     CASE WHEN o.payment_reference IS DISTINCT FROM n.payment_reference THEN 'payment_reference' END],
                   NULL)) END,
            o.sequence + 1, now()
        FROM given p, LATERAL jsonb_populate_record(o, CASE WHEN p.needs_stored THEN (CASE WHEN o.total_is_given AND p.patch @> '{"total_is_given": false}'
              THEN p.patch - '{total_amount,total_is_given}'::text[]
              WHEN NOT o.total_is_given AND p.patch @> '{"total_is_given": true}'
                AND (p.patch ->> 'total_amount')::numeric
                  = CASE WHEN p.patch ? 'items' THEN (
                  SELECT coalesce(sum((item ->> 'quantity')::numeric * round((item ->> 'price')::numeric, 2)), 0)
                  FROM jsonb_array_elements(coalesce(p.patch -> 'items', o.items)) item) ELSE o.total_amount END
              THEN p.patch || '{"total_is_given": false}' ELSE p.patch END - CASE WHEN o.erased_at IS NULL THEN '{}' ELSE '{customer_name,customer_email,address_street,address_city,address_postal_code,address_phone,metadata}' END::text[])
            || CASE WHEN p.patch @> '{"total_is_given": null}' THEN jsonb_build_object('total_is_given', false, 'total_amount',
                 -- numeric(10,2) ends at MAX_MONEY, so a larger sum fails the statement.
                 coalesce((p.patch ->> 'total_amount')::float8, (
                  SELECT coalesce(sum((item ->> 'quantity')::numeric * round((item ->> 'price')::numeric, 2)), 0)
                  FROM jsonb_array_elements(coalesce(p.patch -> 'items', o.items)) item)::numeric(10,2)::float8)) ELSE '{}' END
            || CASE WHEN p.patch @> '{"payment_status": null}' THEN jsonb_build_object('payment_status',
                 CASE WHEN coalesce((p.patch ->> 'cash_on_pickup')::boolean, o.cash_on_pickup) THEN 'cash_on_pickup'
                      ELSE 'pending' END) ELSE '{}' END
            || CASE WHEN p.patch ? 'metadata' AND o.erased_at IS NULL THEN jsonb_build_object('metadata',
                 core.merged_metadata(o.metadata, p.patch -> 'metadata')) ELSE '{}' END
          ELSE (CASE WHEN o.total_is_given AND p.patch @> '{"total_is_given": false}'
              THEN p.patch - '{total_amount,total_is_given}'::text[]
              WHEN NOT o.total_is_given AND p.patch @> '{"total_is_given": true}'
                AND (p.patch ->> 'total_amount')::numeric
                  = CASE WHEN p.patch ? 'items' THEN (
                  SELECT coalesce(sum((item ->> 'quantity')::numeric * round((item ->> 'price')::numeric, 2)), 0)
                  FROM jsonb_array_elements(coalesce(p.patch -> 'items', o.items)) item) ELSE o.total_amount END
              THEN p.patch || '{"total_is_given": false}' ELSE p.patch END - CASE WHEN o.erased_at IS NULL THEN '{}' ELSE '{customer_name,customer_email,address_street,address_city,address_postal_code,address_phone,metadata}' END::text[]) END) n WHERE p.id = o.id)
     FROM before b WHERE o.id = b.id AND EXISTS (SELECT FROM given p, LATERAL jsonb_populate_record(o, CASE WHEN p.needs_stored THEN (CASE WHEN o.total_is_given AND p.patch @> '{"total_is_given": false}'
              THEN p.patch - '{total_amount,total_is_given}'::text[]
              WHEN NOT o.total_is_given AND p.patch @> '{"total_is_given": true}'
                AND (p.patch ->> 'total_amount')::numeric
                  = CASE WHEN p.patch ? 'items' THEN (
                  SELECT coalesce(sum((item ->> 'quantity')::numeric * round((item ->> 'price')::numeric, 2)), 0)
                  FROM jsonb_array_elements(coalesce(p.patch -> 'items', o.items)) item) ELSE o.total_amount END
              THEN p.patch || '{"total_is_given": false}' ELSE p.patch END - CASE WHEN o.erased_at IS NULL THEN '{}' ELSE '{customer_name,customer_email,address_street,address_city,address_postal_code,address_phone,metadata}' END::text[])
            || CASE WHEN p.patch @> '{"total_is_given": null}' THEN jsonb_build_object('total_is_given', false, 'total_amount',
                 -- numeric(10,2) ends at MAX_MONEY, so a larger sum fails the statement.
                 coalesce((p.patch ->> 'total_amount')::float8, (
                  SELECT coalesce(sum((item ->> 'quantity')::numeric * round((item ->> 'price')::numeric, 2)), 0)
                  FROM jsonb_array_elements(coalesce(p.patch -> 'items', o.items)) item)::numeric(10,2)::float8)) ELSE '{}' END
            || CASE WHEN p.patch @> '{"payment_status": null}' THEN jsonb_build_object('payment_status',
                 CASE WHEN coalesce((p.patch ->> 'cash_on_pickup')::boolean, o.cash_on_pickup) THEN 'cash_on_pickup'
                      ELSE 'pending' END) ELSE '{}' END
            || CASE WHEN p.patch ? 'metadata' AND o.erased_at IS NULL THEN jsonb_build_object('metadata',
                 core.merged_metadata(o.metadata, p.patch -> 'metadata')) ELSE '{}' END
          ELSE (CASE WHEN o.total_is_given AND p.patch @> '{"total_is_given": false}'
              THEN p.patch - '{total_amount,total_is_given}'::text[]
              WHEN NOT o.total_is_given AND p.patch @> '{"total_is_given": true}'
                AND (p.patch ->> 'total_amount')::numeric
                  = CASE WHEN p.patch ? 'items' THEN (
                  SELECT coalesce(sum((item ->> 'quantity')::numeric * round((item ->> 'price')::numeric, 2)), 0)
                  FROM jsonb_array_elements(coalesce(p.patch -> 'items', o.items)) item) ELSE o.total_amount END
              THEN p.patch || '{"total_is_given": false}' ELSE p.patch END - CASE WHEN o.erased_at IS NULL THEN '{}' ELSE '{customer_name,customer_email,address_street,address_city,address_postal_code,address_phone,metadata}' END::text[]) END) n
       WHERE p.id = o.id AND NOT (num_nonnulls(o.stock, o.stock_claim_id) > 0 AND p.patch ? 'items' AND NOT p.patch ? 'stock_claim_id')
       -- A patch that changes nothing writes no history and no event.
       AND n IS DISTINCT FROM o AND NOT (o.status IN ('shipped', 'picked_up', 'completed', 'cancelled') AND NOT p.force
         AND to_jsonb(n) - '{payment_status,payment_reference,shipped,picked_up,cash_on_pickup,metadata,total_is_given}'::text[] <> to_jsonb(o) - '{payment_status,payment_reference,shipped,picked_up,cash_on_pickup,metadata,total_is_given}'::text[]
         AND (SELECT g.closed_orders FROM core.organizations g WHERE g.id = o.org_id) = 'refuse') AND NOT (o.order_request_id IS NOT NULL
         AND (n.items, n.customer_name, n.customer_email, n.address_street, n.address_city, n.address_postal_code, n.address_phone) IS DISTINCT FROM (o.items, o.customer_name, o.customer_email, o.address_street, o.address_city, o.address_postal_code, o.address_phone)
         AND (SELECT r.first_approved_by IS NOT NULL AND s.four_eyes <> 'off' FROM core.order_requests r
              JOIN core.review_settings s ON s.org_id = r.org_id WHERE r.id = o.order_request_id) IS TRUE))
     RETURNING o.id, o.org_id, o.shop_id, o.external_id, o.status, o.order_request_id, o.sequence, o.created_at, o.updated_at,
            o.is_test, o.order_number, o.order_datetime, o.customer_name, o.customer_email, o.address_street,
            o.address_city, o.address_postal_code, o.address_phone, o.total_amount, o.total_is_given,
            o.payment_status, o.payment_reference, o.shipping_option, o.shipped, o.picked_up, o.cash_on_pickup,
            o.items, o.metadata, o.stock_claim_id, o.erased_at, o.stock, o.payment_change
   ), changed AS MATERIALIZED (
     SELECT w.*, p.member, p.patch - CASE WHEN w.erased_at IS NULL THEN '{}' ELSE '{customer_name,customer_email,address_street,address_city,address_postal_code,address_phone,metadata}' END::text[] AS patch, p.rest, p.needs_stored, p.actor, p.event_id, p.audit_actor, p.request_id, p.traceparent
     FROM written w JOIN given p ON p.id = w.id
   ), history AS (
     -- Total, payment status and metadata as stored: a given total stays, null is a default, keys are merged.
     INSERT INTO core.order_history (order_id, sequence, actor, action, fields)
     SELECT c.id, c.sequence, c.actor, CASE WHEN c.sequence = 1 THEN 'created' ELSE 'updated' END,
            CASE WHEN c.patch ?| '{stock_claim_id,erased_at}' THEN fields - '{stock_claim_id,erased_at,stock}'::text[] ELSE fields END
     FROM changed c, LATERAL (SELECT CASE WHEN c.sequence = 1 THEN c.patch || c.rest || CASE WHEN c.patch ? 'metadata' THEN jsonb_build_object('metadata', c.metadata) ELSE '{}' END
              WHEN c.needs_stored OR c.patch @> jsonb_build_object('total_is_given', NOT c.total_is_given) THEN c.patch
                || CASE WHEN c.patch ? 'total_is_given' THEN jsonb_build_object('total_amount', c.total_amount::float8,
                                                                               'total_is_given', c.total_is_given)
                        ELSE '{}' END
                || CASE WHEN c.patch ? 'payment_status' THEN jsonb_build_object('payment_status', c.payment_status)
                        ELSE '{}' END
                || CASE WHEN c.patch ? 'metadata' THEN jsonb_build_object('metadata', c.metadata) ELSE '{}' END
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
            '{"id" : "' || c.event_id
           || '", "org_id" : "' || c.org_id
           || '", "event_type" : "' || e.event_type
           || '", "title" : "' || e.title
           || '", "description" : ' || to_json(e.title || ' (' || c.external_id || ')')
           || ', "metadata" : ' || CASE WHEN c.payment_change IS NULL THEN '{"order_id" : "' || c.id
           || '", "shop_id" : "' || c.shop_id
           || '", "status" : "' || c.status
           || '", "order_request_id" : ' || coalesce('"' || c.order_request_id || '"', 'null')
           || ', "stock_claim_id" : ' || coalesce('"' || c.stock_claim_id || '"', 'null')
           || ', "sequence" : ' || c.sequence || CASE WHEN c.is_test THEN ', "test" : true' ELSE '' END || '}' ELSE '{"order_id" : "' || c.id
           || '", "shop_id" : "' || c.shop_id
           || '", "order_request_id" : ' || coalesce('"' || c.order_request_id || '"', 'null')
           || ', "old_payment_status" : "' || (c.payment_change ->> 'old_payment_status')
           || '", "new_payment_status" : "' || c.payment_status
           || '", "changed" : ' || (c.payment_change ->> 'changed')
           || ', "sequence" : ' || c.sequence || CASE WHEN c.is_test THEN ', "test" : true' ELSE '' END || '}' END
           || ', "created_at" : "' || core.iso(c.updated_at) || '"}', c.traceparent
     -- The first kind that applies.
     FROM changed c, LATERAL (SELECT * FROM (VALUES
            ('order_created', 'Order created', c.sequence = 1),
            ('order_payment_updated', 'Order payment updated', c.payment_change IS NOT NULL),
            ('order_updated', 'Order changed', true)) kind (event_type, title, applies) WHERE applies LIMIT 1) e
   )
   SELECT c.member, c.id, c.org_id, c.shop_id, c.external_id, c.status, c.order_request_id, c.sequence, c.created_at, c.updated_at,
            c.is_test, c.order_number, c.order_datetime, c.customer_name, c.customer_email, c.address_street,
            c.address_city, c.address_postal_code, c.address_phone, c.total_is_given, c.payment_status,
            c.payment_reference, c.shipping_option, c.shipped, c.picked_up, c.cash_on_pickup, c.items,
            c.metadata, c.stock_claim_id, c.erased_at, c.stock, c.total_amount::float8 AS total_amount,
            (SELECT g.workflow FROM core.organizations g WHERE g.id = c.org_id) AS workflow FROM changed c;
