import type { HandedInDocument } from '@offizin/contracts/calls/operation';
import { type OrderRequestEnvelope, OrderRequestPayload } from '@offizin/contracts/requests/order-requests';
import { validate } from '@offizin/operations/validate';
import type { Sql } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { emailHash, encrypt, keyedHash } from '../../crypto/encryption';
import { type DocumentThreads, LARGE_BYTES } from '../../documents/documents/document-threads';
import { insertPdf, insertPdfUrl, type PdfContent } from '../../documents/documents/documents.store';
import { approvedOrder } from './approved-order';
import { linesRowId } from './list-columns';
import type { GivenRow, WrittenRow } from '../shared-writes/shared-writes';
import { insertOrderRequests, type NewOrderRequest, type OrderRequestRow } from './order-requests.store';
import { checkSubmission, type Submission } from './submission';

/** What was sent with an order request, checked, encrypted and stored. */

/** Validates known keys and preserves unknown ones: the payload is stored whole. */
export function readPayload(envelope: OrderRequestEnvelope): OrderRequestPayload {
  return validate(OrderRequestPayload, envelope.payload, { keepUnknown: true, prefix: 'payload' });
}

/** Throws `Refused`, also for a request whose order would be too large to approve. */
export function checked(
  envelope: OrderRequestEnvelope,
  document: HandedInDocument | null | undefined,
  payload: OrderRequestPayload,
  shopId: string,
): Submission {
  const submission = checkSubmission({ ...envelope, document: document ?? null }, payload, shopId);
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

export async function insertDocument(
  tx: Sql,
  { id: orderRequestId, org_id: orgId, version }: Pick<OrderRequestRow, 'id' | 'org_id' | 'version'>,
  document: EncryptedDocument | null,
): Promise<void> {
  if (!document) return;
  const place = { id: document.id, orderRequestId, version };
  if ('pdf' in document) await insertPdf(tx, orgId, { ...place, ...document.pdf });
  else await insertPdfUrl(tx, orgId, place, document.urlCiphertext);
}
