import type { ReportServiceRow, ReportStats } from '@offizin/contracts/reports/reports';
import { type Database, statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { foldCounts } from '../orders/counts/counts.store';

/** For specs only: figures of reports by a scan of the orders, for the parameters of a report's scope. */
export type CountedStats = ReportStats & {
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
  requests AS (SELECT * FROM core.order_requests r WHERE org_id = $1 AND ($4::uuid IS NULL OR shop_id = $4)
    AND (created_at AT TIME ZONE 'Europe/Berlin')::date BETWEEN $2 AND $3
    AND (document_erased OR id IN (SELECT order_request_id FROM core.documents))),
  ingested AS (SELECT * FROM core.prescriptions WHERE org_id = $1 AND ($4::uuid IS NULL OR shop_id = $4)
    AND (created_at AT TIME ZONE 'Europe/Berlin')::date BETWEEN $2 AND $3),
  months AS (SELECT to_char(at, 'YYYY-MM') AS month, count(*) AS orders, sum(total_amount) AS revenue FROM valid GROUP BY 1)
  SELECT json_build_object('total', count(*), 'cancelled', (SELECT count(*) FROM scanned) - count(*),
      'revenue', coalesce(sum(total_amount), 0), 'average_order_value', round(avg(total_amount), 2),
      'refunded_amount', coalesce(sum(total_amount) FILTER (WHERE payment_status = 'refunded'), 0),
      'by_status', (SELECT coalesce(json_agg(b ORDER BY status COLLATE "C"), '[]') FROM by_status b)) AS orders,
    json_build_object('total', (SELECT count(*) FROM customers),
      'repeat', (SELECT count(*) FROM customers WHERE orders > 1),
      'orders_without_customer', count(*) FILTER (WHERE customer IS NULL)) AS customers,
    (SELECT json_build_object('total', r + i, 'order_requests', r, 'ingested', i)
     FROM (SELECT count(*) FROM requests) a (r), (SELECT count(*) FROM ingested) b (i)) AS prescriptions,
    (SELECT coalesce(json_agg(m ORDER BY month), '[]') FROM months m) AS months
  FROM valid`;

type RequestOf = [orgId: string, shopId: string, requestId: string, at: string, hasDocument: boolean];
/** An order request with a document, or without one. */
export const insertDocumented = statement<never, RequestOf>(
  'spec_documented_request',
  `WITH request AS (
     INSERT INTO core.order_requests (id, org_id, shop_id, source, total_amount, payload_ciphertext, payload_digest, created_at)
     VALUES ($3, $1, $2, 'spec', 0, '', '', $4)
   )
   INSERT INTO core.documents (id, org_id, order_request_id, state)
   SELECT gen_random_uuid(), $1, $3, 'waiting' WHERE $5::boolean`,
);
export const addDocument = statement<never, [orgId: string, requestId: string]>(
  'spec_add_document',
  `INSERT INTO core.documents (id, org_id, order_request_id, state) VALUES (gen_random_uuid(), $1, $2, 'waiting')`,
);
export const insertIngested = statement<never, [orgId: string, shopId: string, at: string]>(
  'spec_ingested_prescription',
  `INSERT INTO core.prescriptions (id, org_id, shop_id, upsert_key, body_digest, summary_ciphertext, body_ciphertext, created_at)
   VALUES (gen_random_uuid(), $1, $2, uuid_send(gen_random_uuid()), '', '', '', $3)`,
);

const insertOrder = statement<
  never,
  [string, string, string, string | null, string | null, string, string, string, string, string]
>(
  'spec_report_order',
  `INSERT INTO core.orders (id, org_id, shop_id, external_id, customer_name, customer_email, total_amount, total_is_given,
     payment_status, status, items, created_at, is_test)
   SELECT $1, $2, $3, $1::uuid, $4, $5, $6, true, $7, $8, $9, $10, is_test FROM core.shops WHERE id = $3`,
);

export interface OrderFields {
  at: string;
  total?: string;
  status?: string;
  payment?: string;
  name?: string | null;
  email?: string | null;
  items?: object[];
  shopId?: string;
}

export async function addOrder(
  database: Database,
  of: { orgId: string; shopId: string },
  fields: OrderFields,
): Promise<void> {
  const { at, total = '10.00', status = 'pending', payment = 'paid', name = null, email = null } = fields;
  const items = JSON.stringify(fields.items ?? []);
  const rest = [name, email, total, payment, status, items, at] as const;
  await database.rows(insertOrder, newId(), of.orgId, fields.shopId ?? of.shopId, ...rest);
}

/** Folds the counters of lists, which also count prescriptions and requests by day. */
export function foldRowCounts(database: Database, limit: number): Promise<number> {
  return foldCounts(database, limit);
}
