import type {
  ReportListQuery,
  ReportProductPerformanceRow,
  ReportProductSalesRow,
} from '@offizin/contracts/reports/reports';
import { type Sql, statement } from '@offizin/pg/database';
import type { ReportScope } from './report-period';
import {
  inScope,
  pageParams,
  type PageParams,
  pageSql,
  REPLAN_EACH_CALL,
  readPage,
  type ReportPage,
} from './reports.store';

/**
 * Order lines in the scope, summed by product and status. Two lines of one product in one order count as one order.
 * `unlisted` is the name of lines without p1_id.
 */
const BY_STATUS = `
  by_status AS (
    SELECT l.p1_id, CASE WHEN l.p1_id IS NULL THEN l.name END AS unlisted, o.status, max(l.name) AS name,
           count(DISTINCT o.id) AS orders, sum(l.quantity) AS quantity, sum(round(l.quantity * l.price, 2)) AS revenue
    FROM core.orders o,
         jsonb_to_recordset(o.items) AS l (p1_id text, name text, quantity integer, price numeric)
    WHERE ${inScope('o')} AND NOT o.is_test GROUP BY 1, 2, 3
  )`;

const performance = statement<ReportPage<ReportProductPerformanceRow>, PageParams>(
  REPLAN_EACH_CALL,
  pageSql(
    `${BY_STATUS}, report AS (
       SELECT p1_id, max(name) AS name, sum(orders) AS orders, sum(quantity) AS quantity, sum(revenue) AS revenue
       FROM by_status WHERE status <> 'cancelled' GROUP BY p1_id, unlisted
     )`,
    `SELECT p1_id, name, orders::int AS orders, quantity::float8 AS quantity, revenue::float8 AS revenue,
            round(revenue / quantity, 2)::float8 AS average_price,
            round(coalesce(100 * revenue / nullif(sum(revenue) OVER (), 0), 0), 2)::float8 AS revenue_share
     FROM report ORDER BY report.revenue DESC, report.quantity DESC, p1_id, name`,
  ),
);

export async function readProductPerformance(
  sql: Sql,
  scope: ReportScope,
  query: ReportListQuery,
): Promise<ReportPage<ReportProductPerformanceRow>> {
  return readPage(sql, performance, pageParams(scope, query));
}

const sales = statement<ReportPage<ReportProductSalesRow>, PageParams>(
  REPLAN_EACH_CALL,
  pageSql(
    `${BY_STATUS}, report AS (
       SELECT p1_id, max(name) AS name,
              coalesce(sum(b.orders) FILTER (WHERE status <> 'cancelled'), 0) AS orders,
              coalesce(sum(b.quantity) FILTER (WHERE status <> 'cancelled'), 0) AS quantity,
              coalesce(sum(b.revenue) FILTER (WHERE status <> 'cancelled'), 0) AS revenue,
              sum(b.quantity) AS with_cancelled,
              json_agg(json_build_object('status', status, 'orders', b.orders, 'quantity', b.quantity,
                                         'revenue', b.revenue::float8)) AS statuses
       FROM by_status b GROUP BY p1_id, unlisted
     )`,
    `SELECT p1_id, name, orders::int AS orders, quantity::float8 AS quantity, revenue::float8 AS revenue, statuses
     FROM report ORDER BY report.quantity DESC, with_cancelled DESC, p1_id, name`,
  ),
);

/** `statuses` holds only statuses that occur, in any order. */
export async function readProductSales(
  sql: Sql,
  scope: ReportScope,
  query: ReportListQuery,
): Promise<ReportPage<ReportProductSalesRow>> {
  return readPage(sql, sales, pageParams(scope, query));
}
