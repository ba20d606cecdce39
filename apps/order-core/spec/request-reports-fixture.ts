import type { ReportDay, ReportReview } from '@offizin/contracts/reports/console-reports';
import type { RejectionReason } from '@offizin/contracts/requests/order-requests';
import { type Sql, statement } from '@offizin/pg/database';
import type { ReportScope } from '../reports/report-period';

/** For specs only: reports on order requests, counted one by one. */
interface RawRequest {
  shop_id: string;
  status: string;
  reason: RejectionReason | null;
  created_at: Date;
}
const raw = statement<RawRequest, [orgId: string]>(
  'spec_raw_requests',
  'SELECT shop_id, status, reason, created_at FROM core.order_requests WHERE org_id = $1',
);

export interface CountedRequests {
  /** Only days with a request. */
  days: Pick<ReportDay, 'day' | 'requests' | 'approved' | 'rejected' | 'cancelled'>[];
  review: ReportReview;
}

const BERLIN = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Berlin',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

function grouped<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

export async function countRequests(
  sql: Sql,
  { orgId, shopId, period }: ReportScope,
): Promise<CountedRequests> {
  const all = (await sql.rows(raw, orgId)).map((row) => ({ ...row, day: BERLIN.format(row.created_at) }));
  const rows = all.filter(
    ({ day, shop_id: shop }) => day >= period.from && day <= period.to && (shopId ?? shop) === shop,
  );
  const rejected = rows.filter(({ status }) => status === 'rejected');
  const days = [...grouped(rows, ({ day }) => day)].map(([day, of]) => ({
    day,
    requests: of.length,
    approved: of.filter(({ status }) => status === 'approved').length,
    rejected: of.filter(({ status }) => status === 'rejected').length,
    cancelled: of.filter(({ status }) => status === 'cancelled').length,
  }));
  const reasons = [...grouped(rejected, ({ reason }) => reason)].flatMap(([reason, { length: requests }]) =>
    reason === null ? [] : [{ reason, requests }],
  );
  return {
    days: days.sort((a, b) => (a.day < b.day ? -1 : 1)),
    review: {
      reasons: reasons.sort((a, b) => b.requests - a.requests || (a.reason < b.reason ? -1 : 1)),
    },
  };
}

/** The reports in the same form. */
export function asCounted(days: readonly ReportDay[], review: ReportReview): CountedRequests {
  return {
    days: days
      .filter(({ requests }) => requests > 0)
      .map(({ orders: _orders, revenue: _revenue, ...day }) => day),
    review,
  };
}
