import { statement } from '@offizin/pg/database';
import { customerDaysSql, customerGapsSql } from './customer-gaps';

/**
 * Sums of orders by day, as the counters of lists are kept (counts.ts, decision 0017): triggers append deltas, which are
 * folded in the background. A sum is the folded one plus the open deltas, read in one snapshot.
 */

/** "All" in the tables of sums. */
export const EVERY_SHOP = '00000000-0000-0000-0000-000000000000';

/** Parameters $1 to $4 are those of a report's scope. */
export const SUMMED_SHOP = `coalesce($4::uuid, '${EVERY_SHOP}')`;
const OPEN = `org_id = $1::uuid AND ($4::uuid IS NULL OR shop_id = $4::uuid) AND day BETWEEN $2::date AND $3::date`;
const FOLDED = `org_id = $1::uuid AND shop_id = ${SUMMED_SHOP} AND day BETWEEN $2::date AND $3::date`;

/** Rows (day, status, refunded, orders, with_customer, amount), possibly several of one day and status. */
export const SUMS = `
  SELECT day, status, refunded, orders, with_customer, amount FROM core.daily_sums WHERE ${FOLDED}
  UNION ALL
  SELECT day, status, refunded, orders, CASE WHEN customer IS NULL THEN 0 ELSE orders END, amount
  FROM core.daily_sum_deltas WHERE ${OPEN}`;

/**
 * Rows (once, again): a period's orders of customers with an earlier order in the period, and with two earlier ones.
 * Folded orders only.
 */
export const RETURNED = `
  SELECT coalesce(sum(orders[day - $2::date + 1]) FILTER (WHERE nth = 1), 0) AS once,
         coalesce(sum(orders[day - $2::date + 1]) FILTER (WHERE nth = 2), 0) AS again
  FROM core.customer_gaps WHERE ${FOLDED}`;

/** Rows (before, after): orders of a customer in the period without and with the open deltas, where they differ. */
export const MOVED_CUSTOMERS = `
  SELECT c.orders AS before, c.orders + d.orders AS after
  FROM (SELECT customer, sum(orders) AS orders FROM core.daily_sum_deltas
        WHERE ${OPEN} AND customer IS NOT NULL GROUP BY customer HAVING sum(orders) <> 0) d,
       LATERAL (SELECT coalesce(sum(orders), 0) AS orders FROM core.customer_days
                WHERE ${FOLDED} AND customer = d.customer) c`;

/** Rows (day, status, amount) of what the counters of lists count by German day (counts.ts). */
export function countedDays(counted: 'prescriptions' | 'request_days'): string {
  return `SELECT day, status, amount FROM core.row_counts WHERE ${FOLDED} AND counted = '${counted}' AND status <> ''
  UNION ALL
  SELECT day, status, amount FROM core.row_count_deltas WHERE ${OPEN} AND counted = '${counted}'`;
}

/** Folding reads rows before it changes them. So the lock is a separate statement, before the snapshot of the fold. */
export const lockSums = statement<{ acquired: boolean }, []>(
  'daily_sums_lock',
  `SELECT pg_try_advisory_xact_lock(hashtext('core.daily_sums')) AS acquired`,
);

export const foldSums = statement<{ folded: number }, [number]>(
  'daily_sums_fold',
  `WITH taken AS (
     DELETE FROM core.daily_sum_deltas WHERE position IN (
       SELECT position FROM core.daily_sum_deltas ORDER BY position LIMIT $1)
     RETURNING org_id, shop_id, day, status, refunded, customer, orders, amount
   ), summing AS (
     INSERT INTO core.daily_sums AS s (org_id, shop_id, day, status, refunded, orders, with_customer, amount)
     SELECT org_id, coalesce(shop_id, '${EVERY_SHOP}'), day, status, refunded, sum(orders),
            coalesce(sum(orders) FILTER (WHERE customer IS NOT NULL), 0), sum(amount)
     FROM taken GROUP BY org_id, day, status, refunded, GROUPING SETS ((shop_id), ())
     ORDER BY 1, 2, 3, 4, 5
     ON CONFLICT ON CONSTRAINT daily_sums_pkey DO UPDATE SET orders = s.orders + excluded.orders,
       with_customer = s.with_customer + excluded.with_customer, amount = s.amount + excluded.amount
   ), moved AS MATERIALIZED (
     SELECT org_id, coalesce(shop_id, '${EVERY_SHOP}') AS shop_id, customer, day, sum(orders)::integer AS orders
     FROM taken WHERE customer IS NOT NULL
     GROUP BY org_id, customer, day, GROUPING SETS ((shop_id), ()) HAVING sum(orders) <> 0
   ), ${customerDaysSql}, ${customerGapsSql}
   SELECT count(*)::int AS folded FROM taken`,
);

/** At most `$1`: whether folding is worth it. */
export const openDeltas = statement<{ open: number }, [number]>(
  'daily_sums_open',
  'SELECT count(*)::int AS open FROM (SELECT FROM core.daily_sum_deltas LIMIT $1) found',
);

/** As for the counters: never waits, and does not truncate. */
export const clearDeltas = statement<never, []>(
  'daily_sums_clear',
  'VACUUM (SKIP_LOCKED, TRUNCATE FALSE) core.daily_sum_deltas',
);
