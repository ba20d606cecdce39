import { totalChange } from '@offizin/contracts/requests/answer-changes';
import { answerSentences } from '@offizin/contracts/requests/answer-sentences';
import type { RequestOffer } from '@offizin/contracts/requests/partner-answer';
import type { OrderRequestProgress, OrderRequestStatus } from '@offizin/contracts/requests/order-requests';
import type { RequestDocument } from '@offizin/contracts/requests/request-documents';
import { testMark } from '@offizin/contracts/calls/test-mark';
import { type Sql, statement } from '@offizin/pg/database';
import type { DataKeys } from '../../crypto/data-keys.store';
import type { OrderRequestEntity } from '../../db/request-entities';
import { isOf } from './integrations.store';
import { QUESTION, STATUS } from './late-offers.store';
import {
  OFFER_COLUMNS,
  offerAsRead,
  openedAnswer,
  ORDER_OF_REQUEST,
  requestOrderOf,
  type WithOrder,
} from './read-back.store';

export type ProgressRow = Pick<
  OrderRequestEntity,
  | ('id' | 'org_id' | 'status' | 'external_reference' | 'reason' | 'partner_message')
  | ('answer_ciphertext' | 'is_test' | 'erased_at')
  | ('offer_ciphertext' | 'offer_state' | 'offer_valid_until')
> &
  WithOrder & {
    question: string | null;
    sent_total: number;
    updated_at: Date;
    read_at: Date;
    documents: RequestDocument[];
  };

/**
 * SQL over `r` and `o`, the order that it became: only columns that the partner may see. From the approval on, what it
 * reads changes with the order alone; the state of a document changes no time.
 */
export const PROGRESS_COLUMNS = `r.id, r.org_id, ${STATUS} AS status, r.external_reference, r.reason, r.partner_message, r.answer_ciphertext,
          ${OFFER_COLUMNS}, ${ORDER_OF_REQUEST} AS request_order,
          CASE WHEN r.status = 'needs_clarification' THEN ${QUESTION} END AS question, r.total_amount::float8 AS sent_total,
          coalesce(o.updated_at, r.updated_at) AS updated_at, clock_timestamp() AS read_at, r.is_test, r.erased_at,
          (SELECT coalesce(json_agg(json_build_object(
             'number', d.number, 'kind', d.kind, 'name', d.name, 'state', d.state, 'pdf_sha256', encode(d.sha256, 'hex'),
             'size_bytes', d.size_bytes, 'created_at', core.iso(d.created_at)) ORDER BY d.number), '[]')
           FROM core.documents d WHERE d.org_id = r.org_id AND d.order_request_id = r.id AND NOT d.is_replaced) AS documents`;

/** By id or by external reference, newest first. */
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
  `SELECT ${PROGRESS_COLUMNS}
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

/** Before the sentences that the review has shown the pharmacist. */
const APPROVED_WITH_CHANGES = 'The request was approved with changes and became an order.';

export function messageOf(status: OrderRequestStatus): string {
  return MESSAGES[status];
}

const OPEN_OFFER =
  'The pharmacist offers other lines: accept or decline them, or send a completed payload, as for a question.';
/** With the sentence that the pharmacist has read in the dialog. */
function openOffer({ total_amount: to }: RequestOffer, { sent_total: from }: ProgressRow): string {
  return [OPEN_OFFER, ...answerSentences(totalChange(from, to), 'en')].join(' ');
}

/** Of an offer without a sentence of the pharmacist. */
const OFFER_QUESTION = 'Does the customer take these lines instead?';

/** Every answer to the question would be refused. */
const ERASED_QUESTION =
  "The customer's data was erased, so the request takes no answer: withdraw it, or wait for the pharmacist.";

/** What the partner may read, by GET and in a callback alike. */
export async function progressOf(dataKeys: DataKeys, row: ProgressRow): Promise<OrderRequestProgress> {
  const { id, status, external_reference, reason, documents } = row;
  const order = requestOrderOf(row.request_order);
  const key = row.answer_ciphertext || row.offer_ciphertext ? await dataKeys.keyOf(row.org_id) : null;
  const answer = key && openedAnswer(key, row);
  const offer = key && offerAsRead(key, row);
  const isOpenOffer = status === 'needs_clarification' && offer?.state === 'open';
  const question = row.question ?? (isOpenOffer ? OFFER_QUESTION : null);
  const isErasedQuestion = status === 'needs_clarification' && row.erased_at !== null;
  const changed = answer?.corrected
    ? [APPROVED_WITH_CHANGES, ...answerSentences(answer.changes, 'en')]
    : null;
  const message =
    row.partner_message ??
    changed?.join(' ') ??
    (isErasedQuestion ? ERASED_QUESTION : isOpenOffer ? openOffer(offer, row) : messageOf(status));
  const order_status = order?.status ?? null;
  const state = { id, status, message, external_reference, order_status, order, answer, reason, question };
  return { ...state, offer, documents, updated_at: row.updated_at.toISOString(), ...testMark(row.is_test) };
}
