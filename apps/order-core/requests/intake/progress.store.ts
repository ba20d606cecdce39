import type { OrderRequestProgress, OrderRequestStatus } from '@offizin/contracts/requests/order-requests';
import type { RequestDocument } from '@offizin/contracts/requests/request-documents';
import { testMark } from '@offizin/contracts/calls/test-mark';
import { type Sql, statement } from '@offizin/pg/database';
import type { OrderEntity } from '../../db/entities';
import type { OrderRequestEntity } from '../../db/request-entities';
import { isOf } from './integrations.store';

type ProgressRow = Pick<
  OrderRequestEntity,
  'id' | 'status' | 'external_reference' | 'reason' | 'partner_message' | 'is_test' | 'erased_at'
> & {
  order_status: OrderEntity['status'] | null;
  question: string | null;
  updated_at: Date;
  documents: RequestDocument[];
};

/** By id or by external reference, newest first; only columns that the partner may see. */
const progress = statement<
  ProgressRow,
  {
    orgId: string;
    shopId: string;
    id: string | null;
    reference: string | null;
    integrationId: string | null;
    keyId: string | null;
  }
>(
  'order_request_progress',
  `SELECT r.id, r.status, r.external_reference, o.status AS order_status, r.reason, r.partner_message,
          CASE WHEN r.status = 'needs_clarification' THEN r.question END AS question,
          greatest(r.updated_at, o.updated_at) AS updated_at, r.is_test, r.erased_at,
          (SELECT coalesce(json_agg(json_build_object(
             'number', d.number, 'kind', d.kind, 'name', d.name, 'state', d.state, 'pdf_sha256', encode(d.sha256, 'hex'),
             'size_bytes', d.size_bytes, 'created_at', core.iso(d.created_at)) ORDER BY d.number), '[]')
           FROM core.documents d WHERE d.org_id = r.org_id AND d.order_request_id = r.id AND NOT d.is_replaced) AS documents
   FROM core.order_requests r LEFT JOIN core.orders o ON o.id = r.order_id
   WHERE r.org_id = $orgId AND r.shop_id = $shopId
     AND ($id::uuid IS NULL OR r.id = $id) AND ($reference::text IS NULL OR r.external_reference = $reference)
     AND CASE WHEN $integrationId::uuid IS NULL THEN ${isOf('$keyId::uuid')} ELSE r.integration_id = $integrationId END
   ORDER BY r.created_at DESC LIMIT 1`,
);

export type ProgressBy = ({ id: string } | { reference: string }) &
  ({ integrationId: string } | { keyId: string });

/** By the integration, or one of its keys. Null also for a request that another one handed in. */
export async function findProgress(
  sql: Sql,
  orgId: string,
  shopId: string,
  by: ProgressBy,
): Promise<ProgressRow | null> {
  const none = { id: null, reference: null, integrationId: null, keyId: null };
  return (await sql.rows(progress, { ...none, ...by, orgId, shopId }))[0] ?? null;
}

/** Message to the partner for each state. */
const MESSAGES: Record<OrderRequestStatus, string> = {
  pending: 'The request was received and waits for the pharmacist.',
  approved: 'The request was approved and became an order.',
  rejected: 'The request was rejected.',
  needs_clarification:
    'The pharmacist has a question: answer it with the completed payload, by PUT to its id or under the same external_reference, or add a document.',
  expired: 'The request expired before it was decided.',
  cancelled: 'The request was withdrawn by its sender.',
};

export function messageOf(status: OrderRequestStatus): string {
  return MESSAGES[status];
}

/** Every answer to the question would be refused. */
const ERASED_QUESTION =
  "The customer's data was erased, so the request takes no answer: withdraw it, or wait for the pharmacist.";

/** What the partner may read, by GET and in a callback alike. */
export function progressOf(row: ProgressRow): OrderRequestProgress {
  const { id, status, external_reference, order_status, reason, question, documents } = row;
  const isErasedQuestion = status === 'needs_clarification' && row.erased_at !== null;
  const message = row.partner_message ?? (isErasedQuestion ? ERASED_QUESTION : messageOf(status));
  const updated_at = row.updated_at.toISOString();
  const state = { id, status, message, external_reference, order_status, reason, question, documents };
  return { ...state, updated_at, ...testMark(row.is_test) };
}
