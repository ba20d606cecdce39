import type { ReportDay, ReportReview } from '@offizin/contracts/reports/console-reports';
import type { RejectionReason } from '@offizin/contracts/requests/order-requests';
import { type Sql, statement } from '@offizin/pg/database';
import type { ReportScope } from '../reports/report-period';

/** For specs only: reports on order requests, counted one by one. Exact as long as no decided request changes again. */
interface RawRequest {
  shop_id: string;
  status: string;
  reason: RejectionReason | null;
  created_at: Date;
  updated_at: Date;
}
const raw = statement<RawRequest, [orgId: string]>(
  'spec_raw_requests',
  'SELECT shop_id, status, reason, created_at, updated_at FROM core.order_requests WHERE org_id = $1',
);

export interface CountedRequests {
  /** Only days with a request. */
  days: Pick<ReportDay, 'day' | 'requests' | 'approved' | 'rejected' | 'cancelled'>[];
  review: Omit<ReportReview, 'by_hour'> & { byHour: Record<string, [decided: number, medianS: number]> };
}

const BERLIN = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Berlin',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  weekday: 'short',
  hour: '2-digit',
  hourCycle: 'h23',
});

/** Such as 2026-03-29 and Sun.3, for an instant. */
function inBerlin(at: Date): { day: string; hour: string } {
  const parts = new Map(BERLIN.formatToParts(at).map(({ type, value }) => [type, value]));
  const day = `${parts.get('year') ?? ''}-${parts.get('month') ?? ''}-${parts.get('day') ?? ''}`;
  const weekday = new Date(`${day}T12:00:00Z`).getUTCDay() || 7;
  return { day, hour: `${weekday}.${Number(parts.get('hour'))}` };
}

/** The first value that at least this share does not exceed. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? NaN;
}

function grouped<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

export async function countRequests(
  sql: Sql,
  { orgId, shopId, period }: ReportScope,
): Promise<CountedRequests> {
  const all = (await sql.rows(raw, orgId)).map((row) => ({ ...row, ...inBerlin(row.created_at) }));
  const rows = all.filter(
    ({ day, shop_id: shop }) => day >= period.from && day <= period.to && (shopId ?? shop) === shop,
  );
  const decided = rows.filter(({ status }) => status === 'approved' || status === 'rejected');
  const seconds = (of: readonly RawRequest[]) =>
    of.map((row) => Math.round((row.updated_at.getTime() - row.created_at.getTime()) / 1000));
  const days = [...grouped(rows, ({ day }) => day)].map(([day, of]) => ({
    day,
    requests: of.length,
    approved: of.filter(({ status }) => status === 'approved').length,
    rejected: of.filter(({ status }) => status === 'rejected').length,
    cancelled: of.filter(({ status }) => status === 'cancelled').length,
  }));
  const hours = [...grouped(decided, ({ hour }) => hour)];
  const reasons = [...grouped(decided, ({ reason }) => reason)].flatMap(([reason, { length: requests }]) =>
    reason === null ? [] : [{ reason, requests }],
  );
  return {
    days: days.sort((a, b) => (a.day < b.day ? -1 : 1)),
    review: {
      decided: decided.length,
      median_s: decided.length === 0 ? null : quantile(seconds(decided), 0.5),
      p95_s: decided.length === 0 ? null : quantile(seconds(decided), 0.95),
      byHour: Object.fromEntries(hours.map(([hour, of]) => [hour, [of.length, quantile(seconds(of), 0.5)]])),
      reasons: reasons.sort((a, b) => b.requests - a.requests || (a.reason < b.reason ? -1 : 1)),
    },
  };
}

/** The reports in the same form. */
export function asCounted(days: readonly ReportDay[], review: ReportReview): CountedRequests {
  const { by_hour, ...figures } = review;
  const byHour = by_hour.flatMap(({ weekday, hours }) =>
    hours.flatMap(({ hour, decided, median_s: medianS }) =>
      medianS === null ? [] : [[`${weekday}.${hour}`, [decided, medianS] as [number, number]] as const],
    ),
  );
  return {
    days: days
      .filter(({ requests }) => requests > 0)
      .map(({ orders: _orders, revenue: _revenue, ...day }) => day),
    review: { ...figures, byHour: Object.fromEntries(byHour) },
  };
}
