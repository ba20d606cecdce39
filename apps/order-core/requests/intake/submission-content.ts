import type { Caller } from '@offizin/contracts/calls/caller';
import { invalid, notFound } from '@offizin/contracts/calls/errors';
import { type Answer, type HandedInDocument, ok } from '@offizin/contracts/calls/operation';
import {
  type OrderRequestEnvelope,
  OrderRequestPayload,
  type OrderRequestResponse,
} from '@offizin/contracts/requests/order-requests';
import { appendEvent, type NewEvent } from '@offizin/events/outbox';
import { validate } from '@offizin/operations/validate';
import type { Sql } from '@offizin/pg/database';
import { isId, newId } from '@offizin/pg/ids';
import { appendAudit } from '../../audit/audit.store';
import { emailHash, encrypt, keyedHash } from '../../crypto/encryption';
import { type DocumentThreads, LARGE_BYTES } from '../../documents/documents/document-threads';
import { insertPdf, insertPdfUrl, type PdfContent } from '../../documents/documents/documents.store';
import { metadataRefusal } from '../../orders/orders/orders.store';
import { SCHEMA } from '../../db/schema';
import { approvedOrder } from './approved-order';
import { linesRowId } from './list-columns';
import type { GivenRow, WrittenRow } from '../shared-writes/shared-writes';
import { insertOrderRequests, type NewOrderRequest, type OrderRequestRow } from './order-requests.store';
import { messageOf } from './progress.store';
import { checkSubmission, type Submission } from './submission';
import { insertVersion } from './versions.store';

/** What was sent with an order request, checked, encrypted and stored. */

/** Validates known keys and preserves unknown ones: the payload is stored whole. */
export function readPayload(envelope: OrderRequestEnvelope): OrderRequestPayload {
  return validate(OrderRequestPayload, envelope.payload, { keepUnknown: true, prefix: 'payload' });
}

/** The shop of the connector's domain, which ids in the payload may only repeat. Throws `Refused`. */
export function shopOfConnector({ shopId, orgId }: Caller, payload: OrderRequestPayload): string {
  if (shopId === null) throw notFound('shop');
  const mismatches = [
    { field: 'payload.shop_id', given: payload.shop_id, own: shopId },
    { field: 'payload.org_id', given: payload.org_id, own: orgId },
  ].filter(({ given, own }) => (given ?? own) !== own);
  if (mismatches.length === 0) return shopId;
  throw invalid(mismatches.map(({ field }) => ({ field, message: "does not match this shop's own" })));
}

/** The shop of a request that is handed in directly. Throws `Refused`. */
export function shopInPayload({ orgId }: Caller, payload: OrderRequestPayload): string {
  const shopId = payload.shop_id ?? null;
  if (shopId === null) throw invalid([{ field: 'payload.shop_id', message: 'is required' }]);
  if ((payload.org_id ?? orgId) !== orgId) {
    throw invalid([{ field: 'payload.org_id', message: 'does not match the organization' }]);
  }
  if (!isId(shopId)) throw notFound('shop');
  return shopId;
}

/** Throws `Refused`, also for a request whose order would be too large to approve. */
export function checked(
  envelope: OrderRequestEnvelope,
  document: HandedInDocument | null | undefined,
  payload: OrderRequestPayload,
  shopId: string,
  takesUrl: (url: string) => boolean,
): Submission {
  const submission = checkSubmission({ ...envelope, document: document ?? null }, payload, shopId, takesUrl);
  approvedOrder(payload, {});
  return submission;
}

/** The columns of a request that come from what was sent. */
export function contentOf(submission: Submission, key: Buffer, id: string) {
  const { customer, customerName, totalAmount, payload, digest, list, metadata } = submission;
  const { searchText, lineCount, shippingOption } = list;
  return {
    id,
    customerName,
    totalAmount,
    searchText,
    lineCount,
    shippingOption,
    linesCiphertext: encrypt(key, Buffer.from(list.linesText), linesRowId(id)),
    payloadCiphertext: encrypt(key, Buffer.from(JSON.stringify(payload)), id),
    payloadDigest: digest,
    metadata: JSON.stringify(metadata === undefined ? {} : metadata),
    customerDigest:
      'email' in customer ? emailHash(key, customer.email) : keyedHash(key, 'customer name', customer.name),
  };
}

export type EncryptedDocument = { id: string } & ({ pdf: PdfContent } | { urlCiphertext: Buffer });

/** Called outside the transaction, which must not wait for a document thread. */
export async function encryptedDocument(
  { prescription }: Submission,
  { key, orgId, threads }: { key: Buffer; orgId: string; threads: DocumentThreads },
): Promise<EncryptedDocument | null> {
  if (!prescription) return null;
  const id = newId();
  if (prescription.kind === 'pdf')
    return { id, pdf: await threads.encrypt(key, prescription.pdf, id, orgId) };
  return { id, urlCiphertext: encrypt(key, Buffer.from(prescription.url), id) };
}

/** A large document is stored alone: small ones of other calls must not wait for its statement. */
export function isLarge(document: EncryptedDocument | null): boolean {
  return document !== null && 'pdf' in document && document.pdf.sizeBytes >= LARGE_BYTES;
}

export type NewRequestWithDocument = NewOrderRequest & { document: EncryptedDocument | null };

/** Writes those of new references. */
export async function insertWithDocuments(
  tx: Sql,
  given: readonly GivenRow<NewRequestWithDocument>[],
): Promise<readonly WrittenRow[]> {
  const written = await insertOrderRequests(tx, given);
  const ids = new Set(written.map(({ id }) => id));
  for (const { id, orgId, document } of given) {
    if (ids.has(id)) await insertDocument(tx, { id, org_id: orgId, version: 1 }, document);
  }
  return written;
}

async function insertDocument(
  tx: Sql,
  { id: orderRequestId, org_id: orgId, version }: Pick<OrderRequestRow, 'id' | 'org_id' | 'version'>,
  document: EncryptedDocument | null,
): Promise<void> {
  if (!document) return;
  const place = { id: document.id, orderRequestId, version };
  if ('pdf' in document) await insertPdf(tx, orgId, { ...place, ...document.pdf });
  else await insertPdfUrl(tx, orgId, place, document.urlCiphertext);
}

/** Makes the content the next version of its request, which the caller has locked undecided. */
export async function insertNextVersion(
  tx: Sql,
  caller: Caller,
  given: { action: string; content: ReturnType<typeof contentOf>; document: EncryptedDocument | null },
): Promise<OrderRequestRow> {
  const { action, content, document } = given;
  const { orgId } = caller;
  const row = await insertVersion(tx, orgId, content).catch((error: unknown) => {
    throw metadataRefusal(error);
  });
  await insertDocument(tx, row, document);
  await appendAudit(tx, caller, { orgId, action, object: `order-request:${row.id}` });
  await appendEvent(tx, SCHEMA, submittedEvent(row));
  return row;
}

export function taken(
  stored: Pick<OrderRequestRow, 'id' | 'status' | 'external_reference'>,
): Answer<OrderRequestResponse> {
  const { id, status, external_reference } = stored;
  return ok({ id, status, message: messageOf(status), external_reference });
}

type SubmittedRow = Pick<
  OrderRequestRow,
  'id' | 'org_id' | 'shop_id' | 'source' | 'status' | 'sequence' | 'version'
>;

export function submittedEvent(row: SubmittedRow): NewEvent {
  return {
    orgId: row.org_id,
    eventType: 'order_request_submitted',
    aggregateId: row.id,
    sequence: row.sequence,
    topic: 'plain',
    title: 'Order request submitted',
    description:
      row.version === 1
        ? 'A new order request waits for review.'
        : 'A completed order request waits for review.',
    metadata: { order_request_id: row.id, shop_id: row.shop_id, source: row.source, status: row.status },
  };
}
