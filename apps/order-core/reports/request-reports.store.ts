import {
  DAYS_OF_WEEK,
  HOURS_OF_DAY,
  type ReportDay,
  type ReportReview,
} from '@offizin/contracts/reports/console-reports';
import { type Sql, statement } from '@offizin/pg/database';
import { countedDays, SUMS } from './daily-sums.store';
import type { ReportScope } from './report-period';
import { inScope, REPLAN_EACH_CALL, type ScopeParams, scopeParams } from './reports.store';

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

interface ReviewRow {
  decided: number;
  median_s: number | null;
  p95_s: number | null;
  /** Only hours of the week that occur, counted from Monday's first. */
  hours: { hour: number; decided: number; median_s: number }[];
  reasons: ReportReview['reasons'];
}

/** The seconds within which this share was decided. */
const within = (share: number): string => `percentile_disc(${share}) WITHIN GROUP (ORDER BY seconds)`;

const DECISIONS = `core.request_decisions d WHERE ${inScope('d', 'submitted_at')}`;

const review = statement<ReviewRow, ScopeParams>(
  REPLAN_EACH_CALL,
  `WITH hours AS (
     SELECT hour_of_week AS hour, count(*)::int AS decided, ${within(0.5)} AS median_s FROM ${DECISIONS} GROUP BY 1
   ), reasons AS (
     SELECT reason, count(*)::int AS requests FROM ${DECISIONS} AND reason IS NOT NULL GROUP BY reason
   )
   SELECT count(*)::int AS decided, ${within(0.5)} AS median_s, ${within(0.95)} AS p95_s,
          (SELECT coalesce(json_agg(hours), '[]') FROM hours) AS hours,
          (SELECT coalesce(json_agg(reasons ORDER BY requests DESC, reason), '[]') FROM reasons) AS reasons
   FROM ${DECISIONS}`,
);

export async function readReview(sql: Sql, scope: ReportScope): Promise<ReportReview> {
  const [row] = await sql.rows(review, scopeParams(scope));
  if (!row) throw new Error('the review statement returned no row');
  const { hours, ...figures } = row;
  const found = new Map(hours.map(({ hour, ...of }) => [hour, of]));
  const numbers = (length: number) => Array.from({ length }, (_, number) => number);
  const byHour = numbers(DAYS_OF_WEEK).map((day) => ({
    weekday: day + 1,
    hours: numbers(HOURS_OF_DAY).map((hour) => ({
      hour,
      decided: 0,
      median_s: null,
      ...found.get(HOURS_OF_DAY * day + hour),
    })),
  }));
  return { ...figures, by_hour: byHour };
}
