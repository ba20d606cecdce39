import { MAX_REPORT_DAYS } from '@offizin/contracts/reports/reports';
import { type Database, type Sql, statement } from '@offizin/pg/database';
import { changeOf } from '@offizin/pg/queries';

/**
 * The number of different customers in a period, without reading the customers. Distinct counts of days cannot be added
 * up, but gaps can: in a period, each customer has exactly one order without an earlier one in the period. So
 *
 *   customers                          = orders - orders whose previous order of the same customer is in the period
 *   customers with more than one order = those orders - orders whose previous but one is in the period
 *
 * core.customer_gaps holds, for each day, how many orders have their previous (nth = 1) or previous but one (nth = 2)
 * order at most so many days earlier. A period of n days takes n array elements. Orders of one day and customer have
 * some fixed order; which one makes no difference. Gaps longer than a report are left out.
 *
 * CTEs of the fold. `moved` has a row per organization, shop, customer and day, with the change of the number of
 * orders.
 */
const LONGEST_GAP = MAX_REPORT_DAYS - 1;

/** Writes core.customer_days. `stored` and `changed` are the affected rows before and after. */
const customerDaysSql = `stored AS MATERIALIZED (
     -- A change affects gaps of this length only.
     SELECT c.org_id, c.shop_id, c.customer, c.day, c.orders
     FROM (SELECT org_id, shop_id, customer, min(day) - ${LONGEST_GAP} AS since, max(day) + ${LONGEST_GAP} AS until
           FROM moved GROUP BY org_id, shop_id, customer) m
       JOIN core.customer_days c ON (c.org_id, c.shop_id, c.customer) = (m.org_id, m.shop_id, m.customer)
        AND c.day BETWEEN m.since AND m.until
   ), changed AS MATERIALIZED (
     SELECT org_id, shop_id, customer, day, sum(orders) AS orders
     FROM (SELECT * FROM stored UNION ALL SELECT * FROM moved) each GROUP BY org_id, shop_id, customer, day
   ), ended AS (
     DELETE FROM core.customer_days c USING changed n
     WHERE n.orders = 0 AND (c.org_id, c.shop_id, c.customer, c.day) = (n.org_id, n.shop_id, n.customer, n.day)
   ), storing AS (
     INSERT INTO core.customer_days AS c (org_id, shop_id, customer, day, orders)
     SELECT org_id, shop_id, customer, day, n.orders
     FROM moved m JOIN changed n USING (org_id, shop_id, customer, day) WHERE n.orders <> 0
     ORDER BY org_id, shop_id, customer, day
     ON CONFLICT ON CONSTRAINT customer_days_pkey DO UPDATE SET orders = excluded.orders
   )`;

/** Writes core.customer_gaps: takes away the gaps of the rows before and adds those of the rows after. */
const customerGapsSql = `placed AS (
     SELECT org_id, shop_id, day, sign, orders, lag(day) OVER w AS day_1, lag(orders) OVER w AS orders_1,
            lag(day, 2) OVER w AS day_2
     FROM (SELECT *, -1 AS sign FROM stored UNION ALL SELECT *, 1 FROM changed WHERE orders <> 0) each
     WINDOW w AS (PARTITION BY org_id, shop_id, customer, sign ORDER BY day)
   ), gaps AS MATERIALIZED (
     SELECT org_id, shop_id, p.day, g.nth, g.gap, sum(p.sign * g.orders) AS orders
     FROM placed p, LATERAL (VALUES
            -- The first order of the day, and the others.
            (1, p.day - p.day_1, 1),
            (1, 0, p.orders - 1),
            -- The first, the second, and the others.
            (2, p.day - CASE WHEN p.orders_1 > 1 THEN p.day_1 ELSE p.day_2 END, 1),
            (2, CASE WHEN p.orders > 1 THEN p.day - p.day_1 END, 1),
            (2, 0, greatest(p.orders - 2, 0))) g (nth, gap, orders)
     WHERE g.gap <= ${LONGEST_GAP}
     GROUP BY org_id, shop_id, p.day, g.nth, g.gap HAVING sum(p.sign * g.orders) <> 0
   ), counting AS (
     INSERT INTO core.customer_gaps AS c (org_id, shop_id, day, nth, orders)
     SELECT org_id, shop_id, day, nth, array_agg(so_far ORDER BY gap)
     FROM (SELECT org_id, shop_id, day, nth, s.gap,
                  sum(coalesce(g.orders, 0)) OVER (PARTITION BY org_id, shop_id, day, nth ORDER BY s.gap)::integer AS so_far
           FROM (SELECT DISTINCT org_id, shop_id, day, nth FROM gaps) touched
             CROSS JOIN generate_series(0, ${LONGEST_GAP}) s (gap)
             LEFT JOIN gaps g USING (org_id, shop_id, day, nth, gap)) summed
     GROUP BY org_id, shop_id, day, nth ORDER BY org_id, shop_id, day, nth
     ON CONFLICT ON CONSTRAINT customer_gaps_pkey DO UPDATE SET orders =
       (SELECT array_agg(a + b ORDER BY gap) FROM unnest(c.orders, excluded.orders) WITH ORDINALITY sums (a, b, gap))
   )`;

/**
 * Sums of orders by day, as the counters of lists are kept (counts.store.ts, decision 0017): triggers append deltas,
 * which are folded in the background. A sum is the folded one plus the open deltas, read in one snapshot.
 */

/** "All" in the tables of sums. */
export const EVERY_SHOP = '00000000-0000-0000-0000-000000000000';

/** The parameters are those of a report's scope (ScopeParams). */
export const SUMMED_SHOP = `coalesce($shopId::uuid, '${EVERY_SHOP}')`;
const OPEN = `org_id = $orgId::uuid AND ($shopId::uuid IS NULL OR shop_id = $shopId::uuid)
    AND day BETWEEN $from::date AND $to::date`;
const FOLDED = `org_id = $orgId::uuid AND shop_id = ${SUMMED_SHOP} AND day BETWEEN $from::date AND $to::date`;

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
  SELECT coalesce(sum(orders[day - $from::date + 1]) FILTER (WHERE nth = 1), 0) AS once,
         coalesce(sum(orders[day - $from::date + 1]) FILTER (WHERE nth = 2), 0) AS again
  FROM core.customer_gaps WHERE ${FOLDED}`;

/** Rows (before, after): orders of a customer in the period without and with the open deltas, where they differ. */
export const MOVED_CUSTOMERS = `
  SELECT c.orders AS before, c.orders + d.orders AS after
  FROM (SELECT customer, sum(orders) AS orders FROM core.daily_sum_deltas
        WHERE ${OPEN} AND customer IS NOT NULL GROUP BY customer HAVING sum(orders) <> 0) d,
       LATERAL (SELECT coalesce(sum(orders), 0) AS orders FROM core.customer_days
                WHERE ${FOLDED} AND customer = d.customer) c`;

/** Rows (day, status, amount) of what the counters of lists count by German day (counts.store.ts). */
export function countedDays(counted: 'prescriptions' | 'rejections' | 'request_days'): string {
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
const openDeltas = statement<{ open: number }, [number]>(
  'daily_sums_open',
  'SELECT count(*)::int AS open FROM (SELECT FROM core.daily_sum_deltas LIMIT $1) found',
);

/** Frees the space of folded deltas. As for the counters: never waits, and does not truncate. */
export const clearFolded = changeOf<[]>(
  'daily_sums_clear',
  'VACUUM (SKIP_LOCKED, TRUNCATE FALSE) core.daily_sum_deltas',
);

/** Resolves with the number of folded deltas; 0 while another process is folding. */
export async function foldDailySums(database: Database, limit: number): Promise<number> {
  return database.transaction(async (tx) => {
    const [lock] = await tx.rows(lockSums);
    if (!lock?.acquired) return 0;
    return (await tx.rows(foldSums, limit))[0]?.folded ?? 0;
  });
}

export async function isWorthFolding(sql: Sql, from: number): Promise<boolean> {
  return ((await sql.rows(openDeltas, from))[0]?.open ?? 0) >= from;
}
