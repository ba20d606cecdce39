-- Written by `node tools/bootstrap.mjs docs`. Change the code, not this file.
PREPARE list_external_id AS
SELECT (SELECT count(*) FROM core.orders o WHERE o.org_id = $1::uuid AND o.external_id = $2 AND EXISTS (SELECT FROM core.shops s WHERE s.id = o.shop_id AND s.org_id = o.org_id)) AS total, array_to_string(page.texts[:$3::int], ',') AS data, page.count > $3::int AS has_more,
      (page.times[$3::int] AT TIME ZONE 'UTC')::text AS last_time, page.ids[$3::int] AS last_id
    FROM (SELECT array_agg(o.summary) AS texts, count(*) AS count, array_agg(o.id) AS ids,
        array_agg(o.created_at) AS times
      FROM (SELECT * FROM core.orders o WHERE o.org_id = $1::uuid AND o.external_id = $2 AND EXISTS (SELECT FROM core.shops s WHERE s.id = o.shop_id AND s.org_id = o.org_id) ORDER BY o.created_at DESC, o.id DESC LIMIT $3::int + 1 OFFSET 0::bigint) o) page;
