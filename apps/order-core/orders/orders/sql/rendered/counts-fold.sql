-- Written by `node tools/bootstrap.mjs docs`. Change the code, not this file.
PREPARE counts_fold AS
WITH turn AS MATERIALIZED (
     SELECT pg_try_advisory_xact_lock(hashtext('core.row_counts')) AS mine
   ), taken AS (
     DELETE FROM core.row_count_deltas WHERE (SELECT mine FROM turn) AND position IN (
       SELECT position FROM core.row_count_deltas ORDER BY position LIMIT $1)
     RETURNING counted, org_id, shop_id, status, day, amount
   ), sums AS (
     SELECT counted, org_id, coalesce(shop_id, '00000000-0000-0000-0000-000000000000') AS shop_id, coalesce(status, '') AS status,
            coalesce(day, '-infinity') AS day, sum(amount) AS amount
     FROM taken GROUP BY counted, org_id, CUBE (shop_id, status, day)
   ), folding AS (
     INSERT INTO core.row_counts AS c (counted, org_id, shop_id, status, day, amount)
     SELECT counted, org_id, shop_id, status, day, amount FROM sums WHERE amount <> 0 ORDER BY 1, 2, 3, 4, 5
     ON CONFLICT ON CONSTRAINT row_counts_pkey DO UPDATE SET amount = c.amount + excluded.amount
   )
   SELECT count(*)::int AS folded FROM taken;
