import type { Caller } from '@offizin/contracts/calls/caller';
import { testMark } from '@offizin/contracts/calls/test-mark';
import { type Sql, statement } from '@offizin/pg/database';
import { columnsOf, type ColumnsOf, isHitOf, rowOf } from '@offizin/pg/queries';
import type { NewEvent } from '@offizin/events/outbox';
import { credentialOf, isLiveSql } from '../../callers/live-caller.store';
import type { DocumentEntity } from '../../db/entities';
import type { OrderRequestEntity } from '../../db/request-entities';
import { DOCUMENT_COLUMNS, type StoredDocument } from '../../documents/documents/documents.store';
import type { GivenRow } from '../shared-writes/shared-writes';
import { integrationName, integrationOf, isOf } from './integrations.store';
import { expireLateOffer, QUESTION, STATUS } from './late-offers.store';
import { OFFER_COLUMNS, ORDER_OF_REQUEST, type WithOrder } from './read-back.store';
import type { ImportedRequest } from '@offizin/contracts/orders/history-import';

/** A new request, as its statement answers it. */
export type WrittenRequest = Pick<OrderRequestEntity, 'id' | 'integration_id' | 'is_test'>;

type UnreadColumns =
  | 'line_words'
  | 'lines_ciphertext'
  | 'line_count'
  | 'shipping_option'
  | 'decided_by'
  | 'e_prescription_ciphertext'
  | 'e_prescription_digest'
  | 'first_approval_email_hash'
  | 'assigned_to'
  | 'parked_until'
  | 'document_erased'
  | 'metadata_versions'
  | 'summary';

export type OrderRequestRow = Omit<OrderRequestEntity, UnreadColumns | 'total_amount'> & {
  total_amount: number;
  /** Its name. */
  integration: string | null;
};

export const COLUMNS = `r.id, r.org_id, r.shop_id, r.source, r.integration_id, ${integrationName('r')} AS integration,
  r.external_reference, ${STATUS} AS status, r.attempt, r.attempt_lines,
  r.sequence, r.customer_name, r.total_amount::float8 AS total_amount, r.payload_ciphertext, r.payload_digest, r.order_id, r.reason,
  r.note, r.partner_message, r.created_at, r.updated_at, r.version, r.version_at, ${QUESTION} AS question, r.customer_digest,
  r.corrections_ciphertext, r.override_ciphertext, r.answer_ciphertext, ${OFFER_COLUMNS}, r.offer_version, r.first_approved_by, r.first_approved_at, r.first_approval_digest,
  r.first_approval_ciphertext, r.metadata, r.is_test, r.erased_at`;

/** What each event about a request says of it. */
export type EventRow = Pick<
  OrderRequestRow,
  'id' | 'org_id' | 'shop_id' | 'sequence' | 'integration_id' | 'is_test'
>;

export function requestEvent(
  { id, org_id: orgId, shop_id, sequence, integration_id: integrationId, is_test }: EventRow,
  said: Pick<NewEvent, 'eventType' | 'title' | 'description'>,
  more: Record<string, unknown>,
): NewEvent {
  const metadata = { order_request_id: id, shop_id, ...testMark(is_test), ...more };
  return { ...said, orgId, aggregateId: id, sequence, topic: 'plain', metadata, integrationId };
}

/** SQL: takes the first of two approvals away. */
export const NO_FIRST_APPROVAL = `first_approved_by = NULL, first_approved_at = NULL, first_approval_digest = NULL,
          first_approval_ciphertext = NULL, first_approval_email_hash = NULL`;

/** SQL: ends an open offer; one whose time has passed has expired, also before the background work notices it. */
export const NO_OPEN_OFFER = `offer_state = CASE WHEN offer_state <> 'open' THEN offer_state
          WHEN offer_valid_until <= now() THEN 'expired' WHEN offer_state = 'open' THEN 'ended' END`;

export interface NewOrderRequest {
  id: string;
  shopId: string;
  source: string;
  externalReference: string | null;
  customerName: string | null;
  totalAmount: number;
  payloadCiphertext: Buffer;
  payloadDigest: Buffer;
  customerDigest: Buffer | null;
  lineWords: string;
  linesCiphertext: Buffer;
  lineCount: number;
  shippingOption: string | null;
  ePrescriptionCiphertext: Buffer | null;
  ePrescriptionDigest: Buffer | null;
  /** JSON text of what was given; the statement drops what is null. */
  metadata: string;
}

/** The unique index of references that have become orders. */
export const APPROVED_REFERENCE = 'order_requests_approved_reference';
/** The columns of order_requests_reference. */
const REFERENCE = '(shop_id, source, external_reference, coalesce(integration_id, org_id))';

/**
 * Inserts no row when this owner has already sent the reference for shop and source; a racing submission waits for the
 * first. None either for a shop that is not active, or a caller that is not live.
 */
const insert = statement<WrittenRequest, ColumnsOf<GivenRow<NewOrderRequest>>>(
  'order_request_insert',
  `INSERT INTO core.order_requests (id, org_id, shop_id, source, external_reference, customer_name, total_amount,
                                    payload_ciphertext, payload_digest, customer_digest, line_words,
                                    lines_ciphertext, line_count, shipping_option, metadata, integration_id,
                                    e_prescription_ciphertext, e_prescription_digest, is_test)
   SELECT m.id, m.org_id, m.shop_id, m.source, m.external_reference, m.customer_name, m.total_amount,
          m.payload_ciphertext, m.payload_digest, m.customer_digest, m.line_words,
          m.lines_ciphertext, m.line_count, m.shipping_option, core.merged_metadata('{}', m.metadata),
          ${integrationOf('m.key_id')}, m.e_prescription_ciphertext, m.e_prescription_digest, s.is_test
   FROM unnest($id::uuid[], $orgId::uuid[], $shopId::uuid[], $source::text[], $externalReference::text[],
               $customerName::text[], $totalAmount::numeric[], $payloadCiphertext::bytea[], $payloadDigest::bytea[],
               $customerDigest::bytea[], $lineWords::text[], $linesCiphertext::bytea[], $lineCount::int[],
               $shippingOption::text[], $metadata::jsonb[], $keyId::uuid[], $sessionId::uuid[],
               $ePrescriptionCiphertext::bytea[], $ePrescriptionDigest::bytea[])
     AS m(id, org_id, shop_id, source, external_reference, customer_name, total_amount, payload_ciphertext,
          payload_digest, customer_digest, line_words, lines_ciphertext, line_count, shipping_option, metadata, key_id, session_id,
          e_prescription_ciphertext, e_prescription_digest)
     JOIN core.shops s ON s.id = m.shop_id AND s.org_id = m.org_id AND s.is_active
   WHERE ${isLiveSql('m')}
   -- In one order, so that two statements cannot deadlock.
   ORDER BY m.shop_id, m.source, m.external_reference
   ON CONFLICT ${REFERENCE} DO NOTHING
   RETURNING id, integration_id, is_test`,
);
const findByReference = statement<OrderRequestRow, [string, string, string, string | null]>(
  'order_request_by_reference',
  `SELECT ${COLUMNS} FROM core.order_requests r
   WHERE r.shop_id = $1 AND r.source = $2 AND r.external_reference = $3 AND ${isOf('$4::uuid')}`,
);
export const findRequest = rowOf<OrderRequestRow, [orgId: string, id: string]>(
  'order_request_find',
  `SELECT ${COLUMNS} FROM core.order_requests r WHERE r.org_id = $1::uuid AND r.id = $2::uuid`,
);
type WithDocument = OrderRequestRow &
  Omit<StoredDocument, 'id'> & { document_id: DocumentEntity['id'] | null } & WithOrder;

/**
 * With its order; one row for each of its documents, at most five in one version. Its detail takes at most a few hundred
 * microseconds. Lengths are known without reading what is stored apart.
 */
const findSmall = statement<WithDocument, [string, string]>(
  'order_request_find_small',
  `SELECT ${COLUMNS}, d.id AS document_id, ${DOCUMENT_COLUMNS}, ${ORDER_OF_REQUEST} AS request_order
   FROM core.order_requests r LEFT JOIN core.orders o ON o.id = r.order_id
     LEFT JOIN core.documents d ON d.org_id = r.org_id AND d.order_request_id = r.id
   WHERE r.org_id = $1::uuid AND r.id = $2::uuid AND r.version = 1
     AND octet_length(r.payload_ciphertext) + coalesce(octet_length(r.corrections_ciphertext), 0)
       + coalesce(octet_length(r.offer_ciphertext), 0) <= 65536
   ORDER BY d.number`,
);
const findOwn = statement<OrderRequestRow, [string, string, string | null, string | null]>(
  'order_request_find_own',
  `SELECT ${COLUMNS} FROM core.order_requests r
   WHERE r.org_id = $1 AND r.id = $2 AND ($3::uuid IS NULL OR r.shop_id = $3) AND ${isOf('$4::uuid')}`,
);
const lock = rowOf<OrderRequestRow, [orgId: string, id: string]>(
  'order_request_lock',
  `SELECT ${COLUMNS} FROM core.order_requests r WHERE r.org_id = $1 AND r.id = $2 FOR UPDATE`,
);
export const isActiveShop = isHitOf<[orgId: string, shopId: string]>(
  'order_request_shop',
  `SELECT id FROM core.shops WHERE org_id = $1 AND id = $2 AND is_active`,
);

/** Writes that a late offer has expired: the change that follows finds its request pending. */
export async function lockRequest(tx: Sql, orgId: string, id: string): Promise<OrderRequestRow | null> {
  const row = await lock(tx, orgId, id);
  return row && (await expireLateOffer(tx, row)) ? lock(tx, orgId, id) : row;
}

/** Writes those of new references. */
export async function insertOrderRequests(
  tx: Sql,
  given: readonly GivenRow<NewOrderRequest>[],
): Promise<readonly WrittenRequest[]> {
  return tx.rows(insert, {
    ...columnsOf(given, 'id', 'orgId', 'shopId', 'source', 'externalReference', 'customerName'),
    ...columnsOf(given, 'totalAmount', 'payloadCiphertext', 'payloadDigest', 'customerDigest'),
    ...columnsOf(given, 'lineWords', 'linesCiphertext', 'lineCount', 'shippingOption', 'metadata'),
    ...columnsOf(given, 'keyId', 'sessionId', 'ePrescriptionCiphertext', 'ePrescriptionDigest'),
  });
}

export async function findRequestByReference(
  tx: Sql,
  shopId: string,
  source: string,
  { reference, keyId }: { reference: string; keyId: string | null },
): Promise<OrderRequestRow | null> {
  return (await tx.rows(findByReference, shopId, source, reference, keyId))[0] ?? null;
}

/** Null also for a request that another integration handed in, or at another shop than the caller's. */
export async function findOwnRequest(sql: Sql, caller: Caller, id: string): Promise<OrderRequestRow | null> {
  const { orgId, shopId } = caller;
  return (await sql.rows(findOwn, orgId, id, shopId, credentialOf(caller).keyId))[0] ?? null;
}

/** Null also for a request with a large payload, or with several versions. */
export type RowWithDocuments = OrderRequestRow & { documents: StoredDocument[] } & WithOrder;

/** A request of one version and at most 64 KiB. */
export async function findSmallRequest(
  sql: Sql,
  orgId: string,
  id: string,
): Promise<RowWithDocuments | null> {
  const rows = await sql.rows(findSmall, orgId, id);
  const [row] = rows;
  if (!row) return null;
  const documents = rows.flatMap((each) =>
    each.document_id === null ? [] : [{ ...each, id: each.document_id }],
  );
  return { ...row, documents };
}

/** Gives a new request its dates and what was decided then. Each of both is one step of its sequence. */
const placeRow = statement<
  Pick<OrderRequestEntity, 'id'>,
  {
    orgId: string;
    id: string;
    submittedAt: string;
    changedAt: string;
    status: string | null;
    question: string | null;
    reason: string | null;
    orderId: string | null;
    actorId: string;
  }
>(
  'order_request_import',
  `WITH document AS (
     UPDATE core.documents SET created_at = $submittedAt WHERE org_id = $orgId AND order_request_id = $id
   )
   UPDATE core.order_requests SET created_at = $submittedAt, updated_at = $changedAt, status = coalesce($status, status),
          sequence = CASE WHEN $status IS NULL THEN 1 ELSE 2 END, question = $question, reason = $reason,
          order_id = $orderId, decided_by = CASE WHEN $status IN ('approved', 'rejected') THEN $actorId END
   WHERE org_id = $orgId AND id = $id
   RETURNING id`,
);

export async function placeInPast(
  tx: Sql,
  request: { orgId: string; id: string },
  { submitted_at, decision }: Pick<ImportedRequest, 'submitted_at' | 'decision'>,
  by: { orderId: string | null; actorId: string },
): Promise<void> {
  await tx.rows(placeRow, {
    ...request,
    submittedAt: submitted_at,
    changedAt: decision?.at ?? submitted_at,
    status: decision?.status ?? null,
    question: decision?.question ?? null,
    reason: decision?.reason ?? null,
    orderId: by.orderId,
    actorId: by.actorId,
  });
}
