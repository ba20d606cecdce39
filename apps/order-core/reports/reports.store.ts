import { rowsToSkip } from '@offizin/contracts/calls/paging';
import type {
  ReportListQuery,
  ReportServiceRow,
  ReportStats,
  ReportTopCustomer,
} from '@offizin/contracts/reports/reports';
import { type Sql, type Statement, statement } from '@offizin/pg/database';
import { folded } from '@offizin/pg/list-page';
import { countedDays, MOVED_CUSTOMERS, RETURNED, SUMS } from './daily-sums.store';
import type { ReportScope } from './report-period';

/**
 * Reports on orders, customers and the service fee, one statement each; product-reports.store.ts has those on
 * products. The contract defines what counts (libs/contracts/reports/reports.ts).
 */
export interface ScopeParams {
  orgId: string;
  from: string;
  to: string;
  shopId: string | null;
}

export function scopeParams({ orgId, period, shopId }: ReportScope): ScopeParams {
  return { orgId, from: period.from, to: period.to, shopId };
}

/**
 * An empty statement name: PostgreSQL then plans each call with its dates. A cached generic plan expects few rows and
 * would read a year of a large organization row by row in one process.
 */
export const REPLAN_EACH_CALL = '';

/** Condition on a table with org_id, shop_id and created_at: rows within the scope (ScopeParams), by German days. */
export function inScope(alias: string): string {
  return `${alias}.org_id = $orgId::uuid AND ($shopId::uuid IS NULL OR ${alias}.shop_id = $shopId::uuid)
    AND ${alias}.created_at >= $from::date::timestamp AT TIME ZONE 'Europe/Berlin'
    AND ${alias}.created_at < ($to::date + 1)::timestamp AT TIME ZONE 'Europe/Berlin'`;
}

/** One page of a report and the number of rows of the whole report. */
export interface ReportPage<Row> {
  total: number;
  data: Row[];
}
export interface PageParams extends ScopeParams {
  limit: number;
  skip: number;
}

export function pageParams(scope: ReportScope, { limit, offset }: ReportListQuery): PageParams {
  return { ...scopeParams(scope), limit, skip: rowsToSkip(offset) };
}

/**
 * Builds a statement that returns one ReportPage. `report` holds the CTE `report` and those before it; it is used
 * twice, so PostgreSQL computes it once. `rows` selects from it in an order without ties, so that pages neither repeat
 * nor miss rows. An aggregate returns a row even for an empty page, so the total stays exact beyond the end.
 */
export function pageSql(report: string, rows: string): string {
  return `WITH ${report}
    SELECT (SELECT count(*) FROM report)::int AS total, coalesce(json_agg(page), '[]') AS data
    FROM (${rows} LIMIT $limit OFFSET $skip) page`;
}

export async function readPage<Row>(
  sql: Sql,
  page: Statement<ReportPage<Row>, [PageParams]>,
  params: PageParams,
): Promise<ReportPage<Row>> {
  const [row] = await sql.rows(page, params);
  if (!row) throw new Error('the report statement returned no row');
  return row;
}

/**
 * Identity of the customer; null when the order has neither e-mail address nor name, for example after an erasure. Not as
 * exact as emailKey: in SQL a domain in letters and the same one in ASCII (xn--) are two customers.
 */
const CUSTOMER = `coalesce('e:' || ${folded("normalize(nullif(btrim(o.customer_email), ''), NFC)")},
  'n:' || ${folded("nullif(btrim(o.customer_name), '')")})`;

const stats = statement<{ stats: ReportStats }, ScopeParams>(
  'report_stats',
  `WITH by_payment AS MATERIALIZED (
     SELECT status, refunded, sum(orders) AS orders, sum(with_customer) AS with_customer, sum(amount) AS amount
     FROM (${SUMS}) s GROUP BY status, refunded
   ), by_status AS (
     SELECT status, sum(orders) AS orders, sum(amount) AS amount FROM by_payment
     GROUP BY status HAVING sum(orders) > 0
   ), whole AS (
     SELECT coalesce(sum(orders) FILTER (WHERE status <> 'cancelled'), 0) AS orders,
            coalesce(sum(orders) FILTER (WHERE status = 'cancelled'), 0) AS cancelled,
            coalesce(sum(amount) FILTER (WHERE status <> 'cancelled'), 0) AS revenue,
            coalesce(sum(amount) FILTER (WHERE status <> 'cancelled' AND refunded), 0) AS refunded,
            coalesce(sum(with_customer), 0) AS with_customer
     FROM by_payment
   ), moved AS (
     SELECT coalesce(sum((after > 0)::int - (before > 0)::int - (after - before)), 0) AS once,
            coalesce(sum((after > 1)::int - (before > 1)::int), 0) AS again
     FROM (${MOVED_CUSTOMERS}) m
   ), customers AS (
     SELECT with_customer - r.once + moved.once AS total, r.once - r.again + moved.again AS repeat
     FROM whole, moved, (${RETURNED}) r
   ), prescriptions AS (
     SELECT coalesce(sum(amount) FILTER (WHERE status = 'order_request'), 0) AS requests,
            coalesce(sum(amount) FILTER (WHERE status = 'ingested'), 0) AS ingested
     FROM (${countedDays('prescriptions')}) p
   )
   SELECT json_build_object(
     'prescriptions', (SELECT json_build_object('total', requests + ingested, 'order_requests', requests,
        'ingested', ingested) FROM prescriptions),
     'orders', (SELECT json_build_object('total', orders, 'cancelled', cancelled, 'revenue', revenue::float8,
        'average_order_value', round(revenue / nullif(orders, 0), 2)::float8, 'refunded_amount', refunded::float8,
        'by_status', (SELECT coalesce(json_agg(json_build_object('status', status, 'orders', orders,
           'amount', amount::float8)), '[]'::json) FROM by_status)) FROM whole),
     'customers', (SELECT json_build_object('total', total, 'repeat', repeat,
        'orders_without_customer', (SELECT orders - with_customer FROM whole)) FROM customers)
   ) AS stats`,
);

/** `by_status` holds only statuses that occur, in any order. */
export async function readStats(sql: Sql, scope: ReportScope): Promise<ReportStats> {
  const [row] = await sql.rows(stats, scopeParams(scope));
  if (!row) throw new Error('the stats statement returned no row');
  return row.stats;
}

const topCustomers = statement<ReportPage<ReportTopCustomer>, PageParams>(
  REPLAN_EACH_CALL,
  pageSql(
    `report AS (
       SELECT ${CUSTOMER} AS customer, max(nullif(btrim(o.customer_name), '')) AS customer_name,
              ${folded("normalize(max(nullif(btrim(o.customer_email), '')), NFC)")} AS customer_email,
              count(*) AS orders,
              sum(o.total_amount) AS revenue, max(o.created_at) AS last_order_at
       FROM core.orders o
       WHERE ${inScope('o')} AND NOT o.is_test AND o.status <> 'cancelled' AND ${CUSTOMER} IS NOT NULL GROUP BY 1
     )`,
    `SELECT customer_name, customer_email, orders, revenue::float8 AS revenue,
            round(revenue / orders, 2)::float8 AS average_order_value, core.iso(last_order_at) AS last_order_at
     FROM report ORDER BY report.revenue DESC, orders DESC, customer`,
  ),
);

export async function readTopCustomers(
  sql: Sql,
  scope: ReportScope,
  query: ReportListQuery,
): Promise<ReportPage<ReportTopCustomer>> {
  return readPage(sql, topCustomers, pageParams(scope, query));
}

const serviceFees = statement<
  ReportServiceRow,
  ScopeParams & Pick<ServiceFee, 'baseEur' | 'perOrderEur' | 'perCent'>
>(
  'report_service',
  `WITH counted AS (
     SELECT date_trunc('month', day::timestamp) AS month, sum(orders) AS orders, sum(amount) AS revenue
     FROM (${SUMS}) s WHERE status <> 'cancelled' GROUP BY 1
   ), months AS (
     SELECT m.month, coalesce(c.orders, 0) AS orders, coalesce(c.revenue, 0) AS revenue
     FROM generate_series($from::date::timestamp, $to::date::timestamp, interval '1 month') AS m (month)
       LEFT JOIN counted c USING (month)
     WHERE c.orders > 0 OR m.month <= now() AT TIME ZONE 'Europe/Berlin' AND EXISTS (SELECT FROM core.organizations g
       WHERE g.id = $orgId::uuid AND g.created_at AT TIME ZONE 'Europe/Berlin' < m.month + interval '1 month')
   )
   SELECT $orgId::uuid AS org_id, to_char(month, 'YYYY-MM') AS month, orders::int AS orders, revenue::float8 AS revenue,
          round(CASE WHEN $shopId::uuid IS NULL THEN $baseEur::numeric ELSE 0 END + $perOrderEur::numeric * orders
                  + $perCent::numeric * revenue / 100, 2)::float8 AS fee
   FROM months ORDER BY month`,
);

/** The period of the scope must be whole months. The fee is rounded once, at the end, half a cent up. */
export async function readServiceFees(
  sql: Sql,
  scope: ReportScope,
  { baseEur, perOrderEur, perCent }: ServiceFee,
): Promise<ReportServiceRow[]> {
  return sql.rows(serviceFees, { ...scopeParams(scope), baseEur, perOrderEur, perCent });
}

/**
 * The operator's monthly fee for an organization: base, plus an amount per order, plus per cent of the revenue.
 * Decimal texts, because PostgreSQL computes with numeric; a float would introduce rounding errors.
 */
export class ServiceFee {
  readonly baseEur: string;
  readonly perOrderEur: string;
  readonly perCent: string;

  constructor(settings: {
    serviceFeeBaseEur: string;
    serviceFeePerOrderEur: string;
    serviceFeePerCent: string;
  }) {
    this.baseEur = settings.serviceFeeBaseEur;
    this.perOrderEur = settings.serviceFeePerOrderEur;
    this.perCent = settings.serviceFeePerCent;
  }
}
