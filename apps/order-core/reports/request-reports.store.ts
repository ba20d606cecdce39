import type { ReportDay, ReportReason, ReportReview } from '@offizin/contracts/reports/console-reports';
import { type Sql, statement } from '@offizin/pg/database';
import { countedDays, SUMS } from './daily-sums.store';
import type { ReportScope } from './report-period';
import { type ScopeParams, scopeParams } from './reports.store';

/** Reports on order requests, one statement each. The contract defines what counts (libs/contracts/reports/console-reports.ts). */

const daily = statement<ReportDay, ScopeParams>(
  'report_daily',
  `WITH ordered AS (
     SELECT day, sum(orders) AS orders, sum(amount) AS revenue FROM (${SUMS}) s
     WHERE status <> 'cancelled' GROUP BY day
   ), submitted AS (
     SELECT day, sum(amount) AS requests, sum(amount) FILTER (WHERE status = 'approved') AS approved,
            sum(amount) FILTER (WHERE status = 'rejected') AS rejected,
            sum(amount) FILTER (WHERE status = 'cancelled') AS cancelled
     FROM (${countedDays('request_days')}) r GROUP BY day
   )
   SELECT to_char(day, 'YYYY-MM-DD') AS day, coalesce(requests, 0)::int AS requests,
          coalesce(approved, 0)::int AS approved, coalesce(rejected, 0)::int AS rejected,
          coalesce(orders, 0)::int AS orders, coalesce(revenue, 0)::float8 AS revenue,
          coalesce(cancelled, 0)::int AS cancelled
   FROM generate_series($from::date::timestamp, $to::date, interval '1 day') AS d (at), LATERAL (SELECT at::date AS day) dated
     LEFT JOIN ordered USING (day) LEFT JOIN submitted USING (day)
   ORDER BY day`,
);

export async function readDaily(sql: Sql, scope: ReportScope): Promise<ReportDay[]> {
  return sql.rows(daily, scopeParams(scope));
}

const reasons = statement<ReportReason, ScopeParams>(
  'report_reasons',
  `SELECT status AS reason, sum(amount)::int AS requests FROM (${countedDays('rejections')}) r
   GROUP BY status HAVING sum(amount) > 0 ORDER BY requests DESC, reason`,
);

export async function readReview(sql: Sql, scope: ReportScope): Promise<ReportReview> {
  return { reasons: await sql.rows(reasons, scopeParams(scope)) };
}
