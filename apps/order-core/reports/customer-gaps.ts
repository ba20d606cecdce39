import { MAX_REPORT_DAYS } from '@offizin/contracts/reports';

/**
 * The number of different customers in a period, without reading the customers. Distinct counts of days cannot be added
 * up, but gaps can: in a period, each customer has exactly one order without an earlier one in the period. So
 *
 *   customers                          = orders - orders whose previous order of the same customer is in the period
 *   customers with more than one order = those orders - orders whose previous but one is in the period
 *
 * core.customer_gaps holds, for each day, how many orders have their previous (nth = 1) or previous but one (nth = 2)
 * order at most so many days earlier. A period of n days takes n array elements. Orders of one day and customer stand in
 * some fixed order; which one makes no difference. Gaps longer than a report are left out.
 *
 * CTEs of the fold. `moved` has a row per organization, shop, customer and day, with the change of the number of orders.
 */
const LONGEST_GAP = MAX_REPORT_DAYS - 1;

/** Writes core.customer_days. `stored` and `changed` are the affected rows before and after. */
export const customerDaysSql = `stored AS MATERIALIZED (
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
export const customerGapsSql = `placed AS (
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
