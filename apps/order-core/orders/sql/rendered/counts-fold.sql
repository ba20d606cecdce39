-- Written by `node tools/bootstrap.mjs docs`. Change the code, not this file.
PREPARE counts_fold AS
WITH turn AS MATERIALIZED (
     SELECT pg_try_advisory_xact_lock(hashtext('core.order_counts')) AS mine
   ), taken AS (
     DELETE FROM core.order_count_deltas WHERE (SELECT mine FROM turn) AND position IN (
       SELECT position FROM core.order_count_deltas ORDER BY position LIMIT $1)
     RETURNING org_id, shop_id, status, day, amount
   ), sums AS (
     SELECT org_id, coalesce(shop_id, '00000000-0000-0000-0000-000000000000') AS shop_id, coalesce(status, '') AS status,
            coalesce(day, '-infinity') AS day, sum(amount) AS amount
     FROM taken GROUP BY org_id, CUBE (shop_id, status, day)
   ), folding AS (
     INSERT INTO core.order_counts AS c (org_id, shop_id, status, day, amount)
     SELECT org_id, shop_id, status, day, amount FROM sums WHERE amount <> 0 ORDER BY 1, 2, 3, 4
     ON CONFLICT ON CONSTRAINT order_counts_pkey DO UPDATE SET amount = c.amount + excluded.amount
   )
   SELECT count(*)::int AS folded FROM taken;
