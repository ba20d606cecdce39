import type { Caller } from '@offizin/contracts/calls/caller';
import { invalid, notFound, Refused } from '@offizin/contracts/calls/errors';
import { testMark } from '@offizin/contracts/calls/test-mark';
import { type Answer, ok } from '@offizin/contracts/calls/operation';
import {
  type OrderRequestEnvelope,
  OrderRequestPayload,
  type OrderRequestResponse,
  type ReplaceResponse,
} from '@offizin/contracts/requests/order-requests';
import type { RequestDocument } from '@offizin/contracts/requests/request-documents';
import type { AddDocumentResponse } from '@offizin/contracts/requests/added-documents';
import { appendEvent, type NewEvent } from '@offizin/events/outbox';
import { validate } from '@offizin/operations/validate';
import type { Sql } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { isSameName } from '@offizin/pg/search-words';
import { appendAudit } from '../../audit/audit.store';
import { assertNotOvertaken } from '../../callers/overtaken.store';
import { decrypt, emailHash, encrypt, keyedHash } from '../../crypto/encryption';
import {
  documentsOf,
  replaceDocuments,
  type StoredDocument,
} from '../../documents/documents/documents.store';
import {
  insertDocument,
  keptBeside,
  type NewDocument,
  numbered,
} from '../../documents/documents/sent-documents';
import { metadataRefusal } from '../../orders/orders/orders.store';
import { SCHEMA } from '../../db/schema';
import { approvedOrder } from './approved-order';
import { encryptToken } from './e-prescription.store';
import { lineWords } from './line-words';
import { linesRowId } from './list-columns';
import type { GivenRow } from '../shared-writes/shared-writes';
import {
  insertOrderRequests,
  type NewOrderRequest,
  type OrderRequestRow,
  requestEvent,
  type WrittenRequest,
} from './order-requests.store';
import { messageOf } from './progress.store';
import {
  checkSubmission,
  contentOfSent,
  digestOfSent,
  type DocumentContent,
  type DocumentRules,
  type Submission,
} from './submission';
import { insertVersion, refuseTooManyVersions } from './versions.store';

/** What was sent with an order request, checked, encrypted and stored. */

/** Validates known keys and preserves unknown ones: the payload is stored whole. */
export function readPayload(envelope: OrderRequestEnvelope): OrderRequestPayload {
  return validate(OrderRequestPayload, envelope.payload, { keepUnknown: true, prefix: 'payload' });
}

/** A stored payload, which has no access code. */
export function storedPayload(payload: Record<string, unknown>): OrderRequestPayload {
  return validate(OrderRequestPayload, { ...payload, e_prescription: null }, { keepUnknown: true });
}

export function openedPayload(
  key: Buffer,
  { id, payload_ciphertext: encrypted }: Pick<OrderRequestRow, 'id' | 'payload_ciphertext'>,
): OrderRequestPayload {
  return storedPayload(JSON.parse(decrypt(key, encrypted, id).toString()) as Record<string, unknown>);
}

/** The shop that a request is for. Throws `Refused`. */
export function shopOf(caller: Caller, payload: OrderRequestPayload): string {
  return caller.kind === 'integration' ? shopOfConnector(caller, payload) : shopInPayload(caller, payload);
}

/** The shop of the connector's domain, which ids in the payload may only repeat. */
function shopOfConnector({ shopId, orgId }: Caller, payload: OrderRequestPayload): string {
  if (shopId === null) throw notFound('shop');
  const mismatches = [
    { field: 'payload.shop_id', given: payload.shop_id, own: shopId },
    { field: 'payload.org_id', given: payload.org_id, own: orgId },
  ].filter(({ given, own }) => (given ?? own) !== own);
  if (mismatches.length === 0) return shopId;
  throw invalid(mismatches.map(({ field }) => ({ field, message: "does not match this shop's own" })));
}

/** The shop of a request that is handed in directly. */
function shopInPayload({ orgId }: Caller, payload: OrderRequestPayload): string {
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
  payload: OrderRequestPayload,
  shopId: string,
  rules: DocumentRules,
): Submission {
  const submission = checkSubmission(envelope, payload, shopId, rules);
  approvedOrder(payload, {});
  return submission;
}

/** The columns of a request that come from what was sent. */
export function contentOf(submission: Submission, key: Buffer, id: string) {
  const { customer, customerName, totalAmount, payload, digest, list, metadata, ePrescription } = submission;
  const { lineCount, shippingOption } = list;
  return {
    id,
    customerName,
    totalAmount,
    lineWords: lineWords(key, list.lineNames),
    lineCount,
    shippingOption,
    linesCiphertext: encrypt(key, Buffer.from(list.linesText), linesRowId(id)),
    payloadCiphertext: encrypt(key, Buffer.from(JSON.stringify(payload)), id),
    ePrescriptionCiphertext: ePrescription && encryptToken(key, ePrescription, id),
    ePrescriptionDigest: ePrescription && keyedHash(key, 'e-prescription', ePrescription.task_id),
    payloadDigest: digest,
    metadata: JSON.stringify(metadata === undefined ? {} : metadata),
    customerDigest:
      'email' in customer ? emailHash(key, customer.email) : keyedHash(key, 'customer name', customer.name),
  };
}

export type NewRequestWithDocuments = NewOrderRequest & { documents: readonly NewDocument[] };

/** Writes those of new references. */
export async function insertWithDocuments(
  tx: Sql,
  given: readonly GivenRow<NewRequestWithDocuments>[],
): Promise<readonly WrittenRequest[]> {
  const written = await insertOrderRequests(tx, given);
  const ids = new Set(written.map(({ id }) => id));
  for (const { id, orgId, documents } of given)
    if (ids.has(id)) await insertDocuments(tx, { orgId, id, version: 1 }, numbered(documents));
  return written;
}

/** One statement each: a trigger counts the first prescription of a request. */
async function insertDocuments(
  tx: Sql,
  { orgId, id, version }: { orgId: string; id: string; version: number },
  documents: ReturnType<typeof numbered>,
): Promise<void> {
  for (const { document, number, kind, name } of documents)
    await insertDocument(tx, orgId, document, { orderRequestId: id, version, number, kind, name });
}

/** Those that a request has now, by number. */
export async function presentDocuments(tx: Sql, orgId: string, requestId: string): Promise<StoredDocument[]> {
  return presentOf(await documentsOf(tx, orgId, requestId));
}

export function presentOf(documents: readonly StoredDocument[]): StoredDocument[] {
  return documents.filter((document) => !document.is_replaced).sort((a, b) => a.number - b.number);
}

/** As the sender of the request may read it. */
export function forSender(document: StoredDocument): RequestDocument {
  const { number, kind, name, state, pdf_sha256, size_bytes, handed_in_at } = document;
  return { number, kind, name, state, pdf_sha256, size_bytes, created_at: handed_in_at.toISOString() };
}

/** What the next version brings: a payload, which may have documents, or one more document. */
interface NextVersion {
  action: string;
  id: string;
  content: ReturnType<typeof contentOf> | null;
  /** Of the content. */
  customer?: Submission['customer'];
  documents: readonly NewDocument[];
  /** The offer, encrypted, where the content is that of its acceptance. */
  accepted?: Buffer;
}

/**
 * A version that only leaves the e-mail out stays its customer's: an erasure by e-mail finds it. Another name is another
 * customer.
 */
function customerOf(
  {
    customer_name: name,
    customer_digest: digest,
  }: Pick<OrderRequestRow, 'customer_name' | 'customer_digest'>,
  { content, customer }: NextVersion,
): Buffer | null {
  const isKept = customer !== undefined && 'name' in customer && isSameName(name ?? '', customer.name);
  return isKept ? digest : (content?.customerDigest ?? null);
}

/**
 * Stores the next version of a request, which the caller has locked undecided. Throws `Refused` for a document or version
 * more than a request takes, and for an erased request.
 */
export async function insertNextVersion(
  tx: Sql,
  caller: Caller,
  before: Pick<OrderRequestRow, 'payload_digest' | 'version' | 'customer_name' | 'customer_digest'>,
  next: NextVersion,
): Promise<OrderRequestRow> {
  const { orgId, begunAtMs } = caller;
  const { payload_digest: present, version } = before;
  const { action, id, documents, accepted } = next;
  refuseErased(present);
  const customerDigest = customerOf(before, next);
  const content = next.content && { ...next.content, customerDigest };
  await assertNotOvertaken(tx, [{ orgId, begunAtMs, customer: customerDigest }]);
  await refuseTooManyVersions(tx, id, version);
  const placed = await placedIn(tx, { orgId, id }, documents);
  const row = await insertVersion(tx, { orgId, id }, content, accepted).catch((error: unknown) => {
    throw metadataRefusal(error);
  });
  await insertDocuments(tx, { orgId, id, version: row.version }, placed);
  await appendAudit(tx, caller, action, `order-request:${row.id}`);
  await appendEvent(tx, SCHEMA, submittedEvent(row));
  return row;
}

/** An erasure clears the digest: a late repeat is not known any more, and would bring the customer back. */
export function refuseErased(digest: Buffer): void {
  if (digest.length > 0) return;
  throw new Refused(
    'conflict',
    'Its customer was erased, so it takes no new content: send it under a new reference.',
  );
}

/** What the next version of the request answers; an open offer is not a question. */
export function questionOf({ status, offer_state: offer }: OrderRequestRow): 'question' | undefined {
  const isOffered = offer === 'open' || offer === 'expired';
  return status === 'needs_clarification' && !isOffered ? 'question' : undefined;
}

/** A checked payload for a request that is there. */
interface Replacement {
  key: Buffer;
  envelope: OrderRequestEnvelope;
  submission: Submission;
}

/**
 * Whether a replacement equals the request, where it leaves out what the request keeps: metadata, and documents. The
 * digest covers documents only if the payload brought them.
 */
export async function isSameBesideKept(
  tx: Sql,
  before: OrderRequestRow,
  replacement: Replacement,
): Promise<boolean> {
  const { sent, brought, first, list } = await besideKept(tx, before, replacement);
  const firsts: DocumentContent[] = first ? [{}, first] : [{}];
  const lists: DocumentContent[] = list ? [{}, list] : [{}];
  const contents = firsts.flatMap((one) => lists.map((other) => ({ ...brought, ...one, ...other })));
  return contents.some((each) => before.payload_digest.equals(digestOfSent(sent, each)));
}

/** With all that the request keeps: a repeat is the same with it and without it. */
export async function digestWithKept(
  tx: Sql,
  before: OrderRequestRow,
  replacement: Replacement,
): Promise<Buffer> {
  const { sent, brought, first, list } = await besideKept(tx, before, replacement);
  return digestOfSent(sent, { ...brought, ...first, ...list });
}

/** `first` and `list` are what the request keeps: null where the replacement brings its own. */
async function besideKept(
  tx: Sql,
  { org_id: orgId, id, metadata }: OrderRequestRow,
  { key, envelope, submission }: Replacement,
): Promise<{
  sent: OrderRequestEnvelope;
  brought: DocumentContent;
  first: DocumentContent | null;
  list: DocumentContent | null;
}> {
  const { metadata: given = {} } = envelope;
  const kept = Object.keys(metadata).length > 0 ? metadata : undefined;
  const isKept = given
    ? Object.entries(given).every(([name, value]) => (metadata[name] ?? null) === value)
    : !kept;
  const sent = isKept ? { ...envelope, metadata: kept } : envelope;
  const brought = contentOfSent(submission.documents);
  const { first, list } = keptContent(await presentDocuments(tx, orgId, id), key);
  const bringsFirst = submission.documents.some(({ role }) => role === 'first');
  return { sent, brought, first: bringsFirst ? null : first, list: brought.documents ? null : list };
}

/**
 * The documents of the payload that a request has, for its digest. Those of a list came in one version, and before any
 * that was added: a list replaces all others.
 */
function keptContent(
  present: readonly StoredDocument[],
  key: Buffer,
): { first: DocumentContent; list: DocumentContent } {
  const sha256 = present.find(({ number }) => number === 1)?.pdf_sha256;
  const others = present.filter(({ number }) => number > 1);
  const version = Math.min(...others.map((other) => other.version));
  const documents = others
    .filter((other) => other.version === version)
    .map(({ id, kind, name, pdf_sha256: pdf, url_ciphertext: url }) => {
      const sent = url ? { pdf_url: decrypt(key, url, id).toString() } : { pdf: pdf ?? '' };
      return { kind, ...(name !== null && { name }), ...sent };
    });
  return {
    first: sha256 ? { prescription_pdf_base64: sha256 } : {},
    list: documents.length > 0 ? { documents } : {},
  };
}

/** With their numbers; marks the documents whose place they take. */
async function placedIn(
  tx: Sql,
  { orgId, id }: { orgId: string; id: string },
  documents: readonly NewDocument[],
): Promise<ReturnType<typeof numbered>> {
  if (documents.length === 0) return [];
  const present = (await presentDocuments(tx, orgId, id)).map(({ number }) => number);
  const kept = keptBeside(documents, present);
  const replaced = present.filter((number) => !kept.includes(number));
  if (replaced.length > 0) await replaceDocuments(tx, orgId, id, replaced);
  return numbered(documents, kept);
}

type Receipted = Pick<OrderRequestRow, 'id' | 'status' | 'external_reference' | 'is_test'>;

export function taken(stored: Receipted): Answer<OrderRequestResponse> {
  return ok(receiptOf(stored));
}

function receiptOf({ id, status, external_reference, is_test }: Receipted): OrderRequestResponse {
  return { id, status, message: messageOf(status), external_reference, ...testMark(is_test) };
}

export function replaced(stored: OrderRequestRow, documents: readonly StoredDocument[]): ReplaceResponse {
  return { ...receiptOf(stored), documents: documents.map(forSender) };
}

export function takenWith(stored: OrderRequestRow, document: StoredDocument): AddDocumentResponse {
  return { ...receiptOf(stored), document: forSender(document) };
}

type SubmittedRow = Pick<
  OrderRequestRow,
  'id' | 'org_id' | 'shop_id' | 'source' | 'integration_id' | 'status' | 'sequence' | 'version' | 'is_test'
>;

/** The organization reads who sent it; the integration's callback does not get it: the sender knows. */
export function submittedEvent(row: SubmittedRow): NewEvent {
  const { source, status, integration_id } = row;
  const description = `A ${row.version === 1 ? 'new' : 'completed'} order request waits for review.`;
  const event = {
    eventType: 'order_request_submitted',
    title: 'Order request submitted',
    description,
  } as const;
  return requestEvent({ ...row, integration_id: null }, event, { source, status, integration_id });
}
