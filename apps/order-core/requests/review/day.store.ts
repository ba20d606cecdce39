import {
  type DayCheckResponse,
  type DayResponse,
  MAX_DAY_APPROVALS,
  MAX_DAY_LINES,
} from '@offizin/contracts/requests/day';
import { type Sql, statement } from '@offizin/pg/database';

type Row = DayResponse['data'][number] & { total: number };

const CHECK = `json_build_object('by', coalesce(s.name, ''), 'at', core.iso(c.checked_at))`;
const CHECKS = 'core.day_checks c LEFT JOIN core.staff s ON s.org_id = c.org_id AND s.id = c.checked_by';

/** The statement that approves sets updated_at, and nothing but an erasure changes the row afterwards. */
const approvals = statement<Row, [string, string]>(
  'review_day',
  `SELECT r.id, r.customer_name, r.shop_id, o.id AS order_id, o.order_number, o.status AS order_status,
     (SELECT coalesce(jsonb_agg(jsonb_build_object('name', line->'name', 'p1_id', line->'p1_id',
        'quantity', line->'quantity') ORDER BY at), '[]')
      FROM jsonb_array_elements(o.items) WITH ORDINALITY AS item(line, at) WHERE at <= ${MAX_DAY_LINES}) AS lines,
     coalesce(jsonb_array_length(o.items), 0) AS line_count, core.iso(r.updated_at) AS approved_at,
     coalesce(person.name, key.name, r.decided_by, '') AS approved_by, first.name AS first_approved_by,
     (SELECT ${CHECK} FROM ${CHECKS} WHERE c.org_id = r.org_id AND c.order_request_id = r.id) AS checked,
     count(*) OVER ()::int AS total
   FROM core.order_requests r
   LEFT JOIN core.orders o ON o.org_id = r.org_id AND o.id = r.order_id
   LEFT JOIN core.staff person ON person.org_id = r.org_id AND person.id::text = r.decided_by
   LEFT JOIN core.api_keys key ON key.org_id = r.org_id AND key.id::text = r.decided_by
   LEFT JOIN core.staff first ON first.org_id = r.org_id AND first.id = r.first_approved_by
   WHERE r.org_id = $1 AND r.status = 'approved' AND r.erased_at IS NULL AND NOT r.is_test
     AND r.updated_at >= $2::date::timestamp AT TIME ZONE 'Europe/Berlin'
     AND r.updated_at < ($2::date + 1)::timestamp AT TIME ZONE 'Europe/Berlin'
   ORDER BY r.updated_at, r.id LIMIT ${MAX_DAY_APPROVALS}`,
);

/** The approvals of a day of Berlin outside test shops, with the lines that the orders have now. */
export async function approvalsOn(sql: Sql, orgId: string, day: string): Promise<DayResponse> {
  const rows = await sql.rows(approvals, orgId, day);
  return { data: rows.map(({ total: _total, ...row }) => row), total: rows[0]?.total ?? 0 };
}

const check = statement<never, [string, string, string]>(
  'review_day_check',
  `INSERT INTO core.day_checks (org_id, order_request_id, checked_by) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
);
const uncheck = statement<never, [string, string]>(
  'review_day_uncheck',
  'DELETE FROM core.day_checks WHERE org_id = $1 AND order_request_id = $2',
);
const find = statement<DayCheckResponse, [string, string]>(
  'review_day_checked',
  `SELECT ${CHECK} AS checked FROM ${CHECKS} WHERE c.org_id = $1 AND c.order_request_id = $2`,
);

/** The first of two people stays. */
export async function saveCheck(
  tx: Sql,
  { orgId, requestId }: { orgId: string; requestId: string },
  checkedBy: string | null,
): Promise<void> {
  if (checkedBy === null) await tx.rows(uncheck, orgId, requestId);
  else await tx.rows(check, orgId, requestId, checkedBy);
}

export async function checkOfDay(sql: Sql, orgId: string, requestId: string): Promise<DayCheckResponse> {
  return (await sql.rows(find, orgId, requestId))[0] ?? { checked: null };
}
