-- Written by `node tools/bootstrap.mjs docs`. Change the code, not this file.
PREPARE list_after_cursor AS
SELECT (SELECT coalesce(sum(c.amount), 0) FROM (SELECT day, amount FROM core.row_counts WHERE org_id = $5::uuid AND counted IN ('orders', 'orders_test') AND shop_id = '00000000-0000-0000-0000-000000000000'::uuid AND status = '' AND day = '-infinity'
    UNION ALL SELECT day, amount FROM core.row_count_deltas WHERE org_id = $5::uuid AND counted IN ('orders', 'orders_test')) c)::bigint AS total, array_to_string(page.texts[:$2::int], ',') AS data, page.count > $2::int AS has_more,
      (page.times[$2::int] AT TIME ZONE 'UTC')::text AS last_time, page.ids[$2::int] AS last_id
    FROM (SELECT array_agg(o.summary) AS texts, count(*) AS count, array_agg(o.id) AS ids,
        array_agg(o.created_at) AS times
      FROM (SELECT * FROM (SELECT * FROM core.orders o WHERE o.org_id = $1::uuid AND (o.created_at, o.id) < ($3::timestamptz, $4::uuid) ORDER BY o.created_at DESC, o.id DESC LIMIT 201) o
      LIMIT $2::int + 1) o) page;
