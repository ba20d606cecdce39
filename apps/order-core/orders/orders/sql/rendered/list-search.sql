-- Written by `node tools/bootstrap.mjs docs`. Change the code, not this file.
PREPARE list_search AS
WITH found AS MATERIALIZED (SELECT o.id, o.created_at, o.updated_at FROM core.orders o WHERE o.org_id = $1::uuid AND o.id = ANY (ARRAY(SELECT w.id FROM core.order_words w WHERE w.words @@ $2::tsquery UNION ALL SELECT due.id FROM (SELECT id FROM core.order_words WHERE org_id = $1::uuid AND words IS NULL
      ORDER BY id DESC LIMIT 5000) due,
     LATERAL (SELECT FROM core.orders d WHERE d.id = due.id AND core.words_of_order(d) @@ $2::tsquery OFFSET 0) found))) SELECT (SELECT count(*) FROM found) AS total, array_to_string(page.texts[:$3::int], ',') AS data, page.count > $3::int AS has_more,
      (page.times[$3::int] AT TIME ZONE 'UTC')::text AS last_time, page.ids[$3::int] AS last_id
    FROM (SELECT array_agg(o.summary) AS texts, count(*) AS count, array_agg(o.id) AS ids,
        array_agg(o.created_at) AS times
      FROM (SELECT * FROM core.orders o WHERE o.id IN (SELECT o.id FROM found o WHERE true ORDER BY o.created_at DESC, o.id DESC LIMIT $3::int + 1 OFFSET 0::bigint) ORDER BY o.created_at DESC, o.id DESC) o) page;
