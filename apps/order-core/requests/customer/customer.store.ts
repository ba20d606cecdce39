import { type CustomerOrder, type CustomerRequest, MAX_RECORDS } from '@offizin/contracts/console/customer';
import { type Sql, statement } from '@offizin/pg/database';
import { formsOfEmail, isSameEmail } from '@offizin/pg/list-page';
import { decrypt } from '../../crypto/encryption';
import { linesRowId } from '../intake/list-columns';
import { noteRowId } from '../review/marks.store';

/** The records of one person outside test shops, newest first. Indexes: order_requests_customer, orders_search_email. */

type RequestRow = Omit<CustomerRequest, 'lines_text' | 'notes'> & {
  version: number;
  note: string | null;
  lines: Buffer | null;
  marked: Buffer | null;
};

const requests = statement<RequestRow, [string, Buffer | null, string | null]>(
  'customer_requests',
  `SELECT r.id, r.shop_id, r.status, r.reason, r.order_id, r.total_amount::float8 AS total_amount, r.version, r.note,
     core.iso(r.created_at) AS created_at, r.lines_ciphertext AS lines, n.note_ciphertext AS marked
   FROM (SELECT id FROM core.order_requests WHERE org_id = $1 AND customer_digest = $2 AND NOT is_test
         UNION SELECT $3::uuid) mine
     JOIN core.order_requests r ON r.org_id = $1 AND r.id = mine.id
     LEFT JOIN core.review_notes n ON n.order_request_id = r.id AND n.version = r.version
   ORDER BY r.created_at DESC, r.id DESC LIMIT ${MAX_RECORDS}`,
);

export async function requestsOfPerson(
  sql: Sql,
  {
    orgId,
    key,
    digest,
    requestId,
  }: { orgId: string; key: Buffer; digest: Buffer | null; requestId: string | null },
): Promise<CustomerRequest[]> {
  const rows = await sql.rows(requests, orgId, digest, requestId);
  return rows.map(({ version, note, lines, marked, ...row }) => {
    const shared = marked && decrypt(key, marked, noteRowId({ requestId: row.id, version })).toString();
    const lines_text = lines ? decrypt(key, lines, linesRowId(row.id)).toString() : '';
    return { ...row, lines_text, notes: [note, shared].flatMap((text) => text || []) };
  });
}

type OrderRow = Omit<CustomerOrder, 'notes'> & { sealed: { id: string; text: string }[] | null };

const MAX_NOTES = 20;

const orders = statement<OrderRow, [string, string[], string | null, string[]]>(
  'customer_orders',
  `SELECT o.id, o.shop_id, o.status, o.order_number, o.external_id, o.total_amount::float8 AS total_amount,
     core.iso(o.created_at) AS created_at,
     left(coalesce((SELECT string_agg((line ->> 'quantity') || ' × ' || coalesce(line ->> 'name', line ->> 'p1_id', '?'), ', ')
       FROM jsonb_array_elements(o.items) line), ''), 500) AS lines_text,
     (SELECT jsonb_agg(jsonb_build_object('id', n.id, 'text', encode(n.text_ciphertext, 'base64')))
      FROM (SELECT id, text_ciphertext FROM core.order_notes
            WHERE order_id = o.id AND text_ciphertext IS NOT NULL ORDER BY id DESC LIMIT ${MAX_NOTES}) n) AS sealed
   FROM (SELECT id FROM core.orders WHERE org_id = $1 AND ${isSameEmail('customer_email', '$2')} AND NOT is_test
         UNION SELECT $3::uuid UNION SELECT unnest($4::uuid[])) mine
     JOIN core.orders o ON o.org_id = $1 AND o.id = mine.id
   ORDER BY o.created_at DESC, o.id DESC LIMIT ${MAX_RECORDS}`,
);

export interface OrdersOf {
  orgId: string;
  key: Buffer;
  email: string | null;
  orderId: string | null;
  /** That requests of the person became. */
  fromRequests: string[];
}

export async function ordersOfPerson(
  sql: Sql,
  { orgId, key, email, orderId, fromRequests }: OrdersOf,
): Promise<CustomerOrder[]> {
  const rows = await sql.rows(orders, orgId, formsOfEmail(email), orderId, fromRequests);
  return rows.map(({ sealed, ...row }) => ({
    ...row,
    notes: (sealed ?? []).map(({ id, text }) => decrypt(key, Buffer.from(text, 'base64'), id).toString()),
  }));
}
