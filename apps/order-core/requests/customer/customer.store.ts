import type {
  CustomerDocument,
  CustomerOrder,
  CustomerRecord,
  CustomerRequest,
} from '@offizin/contracts/console/customer';
import { type Sql, statement } from '@offizin/pg/database';
import { formsOfEmail, isSameEmail } from '@offizin/pg/emails';
import { type Cursor, utcText } from '@offizin/pg/list-page';
import { decrypt } from '../../crypto/encryption';
import type { OrderRequestEntity, ReviewNotesEntity } from '../../db/request-entities';
import { linesRowId, linesText } from '../intake/list-columns';
import { remarksIn } from '../intake/remarks';
import { storedPayload } from '../intake/submission-content';
import { noteRowId } from '../review/marks.store';

/** The records of one person, newest first. Indexes: order_requests_customer, orders_search_email. */

export interface Person {
  orgId: string;
  email: string | null;
  digest: Buffer | null;
  /** These count besides the records with the e-mail address. */
  requestId: string | null;
  orderId: string | null;
  /** Records of test shops and of real ones are never mixed. */
  isTest: boolean;
  seesRequests: boolean;
}

export interface Counts {
  requests: number;
  rejected: number;
  orders: number;
}

interface Found extends Counts {
  /** Null in the one row of an empty page. */
  id: string | null;
  kind: 'request' | 'order';
  time: string;
}

const PLACED = 'id, created_at, status';
const records = statement<
  Found,
  Omit<Person, 'email'> & {
    emails: string[];
    afterTime: string | null;
    afterId: string | null;
    limit: number;
  }
>(
  'customer_records',
  `WITH theirs AS (
     SELECT ${PLACED}, order_id FROM core.order_requests WHERE org_id = $orgId AND customer_digest = $digest AND is_test = $isTest
     UNION SELECT ${PLACED}, order_id FROM core.order_requests WHERE org_id = $orgId AND id = $requestId),
   mine AS MATERIALIZED (
     SELECT 'request' AS kind, ${PLACED} FROM theirs WHERE $seesRequests
     UNION SELECT 'order', o.id, o.created_at, o.status FROM theirs JOIN core.orders o ON o.id = theirs.order_id AND o.org_id = $orgId
     UNION SELECT 'order', ${PLACED} FROM core.orders WHERE org_id = $orgId AND ${isSameEmail('customer_email', '$emails')} AND is_test = $isTest
     UNION SELECT 'order', ${PLACED} FROM core.orders WHERE org_id = $orgId AND id = $orderId)
   SELECT counted.*, page.id, page.kind, ${utcText('page.created_at')} AS time
   FROM (SELECT (count(*) FILTER (WHERE kind = 'request'))::int AS requests, (count(*) FILTER (WHERE kind = 'order'))::int AS orders,
           (count(*) FILTER (WHERE kind = 'request' AND status = 'rejected'))::int AS rejected FROM mine) counted
   LEFT JOIN (SELECT * FROM mine WHERE $afterTime::timestamptz IS NULL OR (created_at, id) < ($afterTime::timestamptz, $afterId::uuid)
              ORDER BY created_at DESC, id DESC LIMIT $limit::int + 1) page ON true
   ORDER BY page.created_at DESC, page.id DESC`,
);

export interface AskedPerson {
  person: Person;
  /** Data key of the organization. */
  key: Buffer;
}

export interface PageOfRecords {
  counts: Counts;
  records: CustomerRecord[];
  /** Null at the end. */
  next: Cursor | null;
}

/** Counts are of all records. */
export async function recordsOfPerson(
  sql: Sql,
  { key, person: { email, ...person } }: AskedPerson,
  { after, limit }: { after: Cursor | null; limit: number },
): Promise<PageOfRecords> {
  const place = { afterTime: after?.time ?? null, afterId: after?.id ?? null, limit };
  // One more than the page has shows whether a next one exists.
  const found = await sql.rows(records, { ...person, emails: formsOfEmail(email), ...place });
  const page = found.slice(0, limit);
  const idsOf = (kind: Found['kind']) =>
    page.flatMap((record) => (record.kind === kind ? (record.id ?? []) : []));
  const known = new Map(
    [
      ...(await requestRecords(sql, person.orgId, key, idsOf('request'))),
      ...(await orderRecords(sql, person.orgId, key, idsOf('order'))),
    ].map((record) => [record.id, record]),
  );
  const { requests: all = 0, rejected = 0, orders: allOrders = 0 } = found[0] ?? {};
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    counts: { requests: all, rejected, orders: allOrders },
    records: page.flatMap(({ id }) => known.get(id ?? '') ?? []),
    next: last?.id ? { time: `${last.time}+00`, id: last.id } : null,
  };
}

type RequestRow = Pick<
  OrderRequestEntity,
  'id' | 'status' | 'reason' | 'order_id' | 'version' | 'note' | 'metadata'
> &
  Pick<CustomerRecord, 'created_at' | 'customer_name' | 'total_amount'> &
  Pick<CustomerRequest, 'decided_at'> & {
    lines: OrderRequestEntity['lines_ciphertext'];
    marked: ReviewNotesEntity['note_ciphertext'];
    payload: OrderRequestEntity['payload_ciphertext'];
    messages: (string | null)[];
    documents: CustomerDocument[];
  };

const requests = statement<RequestRow, [string, string[]]>(
  'customer_requests',
  `SELECT r.id, r.customer_name, r.status, r.reason, r.order_id, r.total_amount::float8 AS total_amount, r.version, r.note, r.metadata,
     core.iso(r.created_at) AS created_at, r.lines_ciphertext AS lines, n.note_ciphertext AS marked,
     r.payload_ciphertext AS payload,
     CASE WHEN r.status NOT IN ('pending', 'needs_clarification') THEN core.iso(r.updated_at) END AS decided_at,
     ARRAY(SELECT question FROM core.order_request_versions v WHERE v.order_request_id = r.id ORDER BY number)
       || ARRAY[r.question, r.partner_message] AS messages,
     (SELECT coalesce(jsonb_agg(jsonb_build_object('number', number, 'kind', kind, 'name', name) ORDER BY number), '[]')
      FROM core.documents d WHERE d.order_request_id = r.id AND NOT is_replaced) AS documents
   FROM core.order_requests r
     LEFT JOIN core.review_notes n ON n.order_request_id = r.id AND n.version = r.version
   WHERE r.org_id = $1 AND r.id = ANY ($2::uuid[])`,
);

async function requestRecords(
  sql: Sql,
  orgId: string,
  key: Buffer,
  ids: string[],
): Promise<CustomerRecord[]> {
  const rows = await sql.rows(requests, orgId, ids);
  return rows.map((row) => {
    const { id, created_at, customer_name, total_amount, version, note, lines, marked } = row;
    const shared = marked && decrypt(key, marked, noteRowId({ requestId: id, version })).toString();
    const payload = storedPayload(
      JSON.parse(decrypt(key, row.payload, id).toString()) as Record<string, unknown>,
    );
    const { status, reason, decided_at, order_id, documents } = row;
    return {
      id,
      created_at,
      customer_name,
      total_amount,
      order: null,
      lines_text: lines ? decrypt(key, lines, linesRowId(id)).toString() : '',
      notes: [note, shared].flatMap((text) => text || []),
      address: {
        street: payload.address_street ?? null,
        postal_code: payload.address_postal_code ?? null,
        city: payload.address_city ?? null,
        phone: payload.address_phone ?? null,
      },
      request: {
        status,
        reason,
        decided_at,
        order_id,
        documents,
        prescriber: payload.prescriber?.name ?? null,
        messages: row.messages.flatMap((text) => text || []),
        remarks: remarksIn({ ...payload }, row.metadata),
      },
    };
  });
}

type OrderRow = Omit<CustomerRecord, 'notes' | 'request' | 'order'> & {
  order: CustomerOrder;
  encrypted: { id: string; text: string }[] | null;
};

const MAX_NOTES = 20;

const orders = statement<OrderRow, [string, string[]]>(
  'customer_orders',
  `SELECT o.id, o.customer_name, o.total_amount::float8 AS total_amount, core.iso(o.created_at) AS created_at,
     ${linesText('o')} AS lines_text,
     jsonb_build_object('street', address_street, 'postal_code', address_postal_code, 'city', address_city,
       'phone', address_phone) AS address,
     jsonb_build_object('status', status, 'order_number', order_number, 'external_id', external_id) AS "order",
     (SELECT jsonb_agg(jsonb_build_object('id', n.id, 'text', encode(n.text_ciphertext, 'base64')))
      FROM (SELECT id, text_ciphertext FROM core.order_notes
            WHERE order_id = o.id AND text_ciphertext IS NOT NULL ORDER BY id DESC LIMIT ${MAX_NOTES}) n) AS encrypted
   FROM core.orders o WHERE o.org_id = $1 AND o.id = ANY ($2::uuid[])`,
);

async function orderRecords(sql: Sql, orgId: string, key: Buffer, ids: string[]): Promise<CustomerRecord[]> {
  const rows = await sql.rows(orders, orgId, ids);
  return rows.map(({ encrypted, ...row }) => ({
    ...row,
    request: null,
    notes: (encrypted ?? []).map(({ id, text }) => decrypt(key, Buffer.from(text, 'base64'), id).toString()),
  }));
}
