import type {
  OrderRequestListQuery,
  OrderRequestStatus,
  RejectionReason,
} from '@offizin/contracts/order-requests';
import type { OrderStatus } from '@offizin/contracts/orders';
import { type Sql, statement } from '@offizin/pg/database';

export interface OrderRequestRow {
  id: string;
  org_id: string;
  shop_id: string;
  source: string;
  external_reference: string | null;
  status: OrderRequestStatus;
  attempt: number;
  sequence: number;
  customer_name: string | null;
  total_amount: number;
  payload_ciphertext: Buffer;
  payload_digest: Buffer;
  order_id: string | null;
  reason: RejectionReason | null;
  note: string | null;
  partner_message: string | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = `r.id, r.org_id, r.shop_id, r.source, r.external_reference, r.status, r.attempt, r.sequence,
  r.customer_name, r.total_amount::float8 AS total_amount, r.payload_ciphertext, r.payload_digest, r.order_id, r.reason,
  r.note, r.partner_message, r.created_at, r.updated_at`;

export interface NewOrderRequest {
  id: string;
  shopId: string;
  source: string;
  externalReference: string | null;
  customerName: string | null;
  totalAmount: number;
  payloadCiphertext: Buffer;
  payloadDigest: Buffer;
}

/** No row when the shop and source have sent this reference before; racing submissions wait for the first here. */
const insert = statement<
  OrderRequestRow,
  [string, string, string, string, string | null, string | null, number, Buffer, Buffer]
>(
  'order_request_insert',
  `INSERT INTO core.order_requests AS r (id, org_id, shop_id, source, external_reference, customer_name, total_amount,
                                         payload_ciphertext, payload_digest)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   ON CONFLICT ON CONSTRAINT order_requests_reference DO NOTHING
   RETURNING ${COLUMNS}`,
);
const findByReference = statement<OrderRequestRow, [string, string, string]>(
  'order_request_by_reference',
  `SELECT ${COLUMNS} FROM core.order_requests r WHERE r.shop_id = $1 AND r.source = $2 AND r.external_reference = $3`,
);
const find = statement<OrderRequestRow, [string, string]>(
  'order_request_find',
  `SELECT ${COLUMNS} FROM core.order_requests r WHERE r.org_id = $1 AND r.id = $2`,
);
const lock = statement<OrderRequestRow, [string, string]>(
  'order_request_lock',
  `SELECT ${COLUMNS} FROM core.order_requests r WHERE r.org_id = $1 AND r.id = $2 FOR UPDATE`,
);
const activeShop = statement<{ id: string }, [string, string]>(
  'order_request_shop',
  `SELECT id FROM core.shops WHERE org_id = $1 AND id = $2 AND is_active`,
);

export async function insertOrderRequest(
  tx: Sql,
  orgId: string,
  request: NewOrderRequest,
): Promise<OrderRequestRow | null> {
  const { id, shopId, source, externalReference, customerName, totalAmount } = request;
  const { payloadCiphertext, payloadDigest } = request;
  const names = [source, externalReference, customerName] as const;
  return (
    (await tx.rows(insert, id, orgId, shopId, ...names, totalAmount, payloadCiphertext, payloadDigest))[0] ??
    null
  );
}

export async function findRequestByReference(
  tx: Sql,
  shopId: string,
  source: string,
  externalReference: string,
): Promise<OrderRequestRow | null> {
  return (await tx.rows(findByReference, shopId, source, externalReference))[0] ?? null;
}

export async function findRequest(sql: Sql, orgId: string, id: string): Promise<OrderRequestRow | null> {
  return (await sql.rows(find, orgId, id))[0] ?? null;
}

export async function lockRequest(tx: Sql, orgId: string, id: string): Promise<OrderRequestRow | null> {
  return (await tx.rows(lock, orgId, id))[0] ?? null;
}

export async function isActiveShop(sql: Sql, orgId: string, shopId: string): Promise<boolean> {
  return (await sql.rows(activeShop, orgId, shopId)).length === 1;
}

const list = statement<
  { page: string },
  [string, string | null, string | null, string | null, string | null, number, number]
>(
  'order_request_list',
  `WITH matching AS NOT MATERIALIZED (
     SELECT r.* FROM core.order_requests r
     WHERE r.org_id = $1 AND ($2::text IS NULL OR r.status = $2) AND ($3::uuid IS NULL OR r.shop_id = $3)
       AND ($4::text IS NULL OR r.source = $4) AND ($5::text IS NULL OR r.external_reference = $5)
   ), page AS (
     SELECT r.* FROM matching r ORDER BY r.created_at DESC, r.id DESC LIMIT $6 OFFSET $7
   )
   SELECT json_build_object(
     'data', coalesce((SELECT json_agg(json_build_object(
        'id', r.id, 'status', r.status, 'shop_id', r.shop_id, 'source', r.source,
        'external_reference', r.external_reference, 'customer_name', r.customer_name,
        'total_amount', r.total_amount::float8, 'order_id', r.order_id, 'created_at', core.iso(r.created_at),
        'updated_at', core.iso(r.updated_at)) ORDER BY r.created_at DESC, r.id DESC) FROM page r), '[]'::json),
     'pagination', json_build_object('limit', $6::int, 'offset', $7::int, 'total', (SELECT count(*) FROM matching))
   )::text AS page`,
);

/** Resolves with the JSON text of an OrderRequestListReply. */
export async function listRequests(sql: Sql, orgId: string, query: OrderRequestListQuery): Promise<string> {
  const { status = null, shop_id = null, source = null, external_reference = null, limit, offset } = query;
  const rows = await sql.rows(list, orgId, status, shop_id, source, external_reference, limit, offset);
  return rows[0]?.page ?? '';
}

export interface ProgressRow {
  id: string;
  status: OrderRequestStatus;
  external_reference: string | null;
  order_status: OrderStatus | null;
  reason: RejectionReason | null;
  partner_message: string | null;
  updated_at: Date;
}

/** What the partner of one shop may see of its request, by id or by the reference it was sent with (newest first). */
const progress = statement<ProgressRow, [string, string, string | null, string | null]>(
  'order_request_progress',
  `SELECT r.id, r.status, r.external_reference, o.status AS order_status, r.reason, r.partner_message,
          greatest(r.updated_at, o.updated_at) AS updated_at
   FROM core.order_requests r LEFT JOIN core.orders o ON o.id = r.order_id
   WHERE r.org_id = $1 AND r.shop_id = $2
     AND ($3::uuid IS NULL OR r.id = $3) AND ($4::text IS NULL OR r.external_reference = $4)
   ORDER BY r.created_at DESC LIMIT 1`,
);

export async function findProgress(
  sql: Sql,
  orgId: string,
  shopId: string,
  by: { id: string } | { reference: string },
): Promise<ProgressRow | null> {
  const id = 'id' in by ? by.id : null;
  const reference = 'reference' in by ? by.reference : null;
  return (await sql.rows(progress, orgId, shopId, id, reference))[0] ?? null;
}
