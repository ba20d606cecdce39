import type { ReportServiceRow, ReportStats } from '@offizin/contracts/reports';

/** For specs only: figures of reports by a scan of the orders, for the parameters of a report's scope. */
export type CountedStats = Pick<ReportStats, 'orders' | 'customers'> & {
  months: Pick<ReportServiceRow, 'month' | 'orders' | 'revenue'>[];
};

const CUSTOMER = `coalesce('e:' || lower(nullif(btrim(customer_email), '')),
  'n:' || translate(lower(nullif(btrim(customer_name), '')), 'ÄÖÜ', 'äöü'))`;

export const COUNTED_BY_SCAN = `
  WITH scanned AS (
    SELECT *, ${CUSTOMER} AS customer, created_at AT TIME ZONE 'Europe/Berlin' AS at FROM core.orders
    WHERE org_id = $1 AND ($4::uuid IS NULL OR shop_id = $4)
      AND (created_at AT TIME ZONE 'Europe/Berlin')::date BETWEEN $2 AND $3
  ), valid AS (SELECT * FROM scanned WHERE status <> 'cancelled'),
  by_status AS (SELECT status, count(*) AS orders, sum(total_amount) AS amount FROM scanned GROUP BY status),
  customers AS (SELECT count(*) AS orders FROM valid WHERE customer IS NOT NULL GROUP BY customer),
  months AS (SELECT to_char(at, 'YYYY-MM') AS month, count(*) AS orders, sum(total_amount) AS revenue FROM valid GROUP BY 1)
  SELECT json_build_object('total', count(*), 'cancelled', (SELECT count(*) FROM scanned) - count(*),
      'revenue', coalesce(sum(total_amount), 0), 'average_order_value', round(avg(total_amount), 2),
      'refunded_amount', coalesce(sum(total_amount) FILTER (WHERE payment_status = 'refunded'), 0),
      'by_status', (SELECT coalesce(json_agg(b ORDER BY status COLLATE "C"), '[]') FROM by_status b)) AS orders,
    json_build_object('total', (SELECT count(*) FROM customers),
      'repeat', (SELECT count(*) FROM customers WHERE orders > 1),
      'orders_without_customer', count(*) FILTER (WHERE customer IS NULL)) AS customers,
    (SELECT coalesce(json_agg(m ORDER BY month), '[]') FROM months m) AS months
  FROM valid`;
