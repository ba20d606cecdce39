-- Written by `node tools/bootstrap.mjs docs`. Change the code, not this file.
PREPARE find_coalesced AS
SELECT asked.place AS asked_place, answer.*
     FROM json_to_recordset($1::json) AS asked (place integer, v1 text, v2 text)
     CROSS JOIN LATERAL (SELECT o.id, o.org_id, o.shop_id, o.external_id, o.status, o.order_request_id, o.sequence, o.created_at, o.updated_at,
            o.is_test, o.order_number, o.order_datetime, o.customer_name, o.customer_email, o.address_street,
            o.address_city, o.address_postal_code, o.address_phone, o.parcels, o.total_is_given, o.payment_status,
            o.payment_reference, o.shipping_option, o.shipped, o.picked_up, o.cash_on_pickup, o.items,
            o.metadata, o.stock_claim_id, o.erased_at, o.stock, CASE WHEN o.has_lots THEN core.lots_of(o.id) END AS lots, o.total_amount::float8 AS total_amount,
            (SELECT g.workflow FROM core.organizations g WHERE g.id = o.org_id) AS workflow FROM core.orders o WHERE o.org_id = asked.v1::uuid AND o.id = asked.v2::uuid) answer;
