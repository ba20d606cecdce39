-- Written by `node tools/bootstrap.mjs docs`. Change the code, not this file.
PREPARE list_first_page_filtered AS
SELECT (SELECT coalesce(sum(c.amount), 0) FROM (SELECT day, amount FROM core.row_counts WHERE org_id = $7::uuid AND counted IN ('orders', 'orders_test') AND shop_id = $8::uuid AND status = $9 AND day > '-infinity' AND day >= $10::date AND day < $11::date
    UNION ALL SELECT day, amount FROM core.row_count_deltas WHERE org_id = $7::uuid AND counted IN ('orders', 'orders_test') AND shop_id = $8::uuid AND status = $9 AND day >= $10::date AND day < $11::date) c)::bigint + (SELECT count(*) FROM core.orders WHERE org_id = $12::uuid AND shop_id = $13::uuid AND status = $14 AND created_at >= $15::timestamptz AND created_at < $16::timestamptz) + (SELECT count(*) FROM core.orders WHERE org_id = $17::uuid AND shop_id = $18::uuid AND status = $19 AND created_at >= $20::timestamptz AND created_at < $21::timestamptz) AS total, array_to_string(page.texts[:$6::int], ',') AS data, page.count > $6::int AS has_more,
      (page.times[$6::int] AT TIME ZONE 'UTC')::text AS last_time, page.ids[$6::int] AS last_id
    FROM (SELECT array_agg(o.summary) AS texts, count(*) AS count, array_agg(o.id) AS ids,
        array_agg(o.created_at) AS times
      FROM (SELECT * FROM (SELECT * FROM core.orders o WHERE o.org_id = $1::uuid AND o.status = $2 AND o.shop_id = $3::uuid AND o.created_at >= $4::timestamptz AND o.created_at < $5::timestamptz ORDER BY o.created_at DESC, o.id DESC LIMIT 201) o
      LIMIT $6::int + 1) o) page;
