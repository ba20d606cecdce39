import type { RequestDocumentKind } from '@offizin/contracts/requests/request-documents';
import { type Database, type Sql, statement } from '@offizin/pg/database';
import { changeOf, isHitOf, type NotNull, rowOf, rowsOf } from '@offizin/pg/queries';
import type { DocumentEntity } from '../../db/entities';
import type { PdfSignature } from './pdf-signature';
import type { TakePiece } from '@offizin/pg/column-bytes';

type DocumentColumns = Pick<
  DocumentEntity,
  | 'version'
  | 'number'
  | 'is_replaced'
  | 'kind'
  | 'name'
  | 'size_bytes'
  | 'state'
  | 'id'
  | 'url_ciphertext'
  | 'failure'
  | 'fetch_attempts'
  | 'signature'
  | 'pages'
>;

export interface StoredDocument extends DocumentColumns {
  handed_in_at: DocumentEntity['created_at'];
  pdf_sha256: string | null;
}

const insertStored = statement<never, PlaceValues & PdfContent>(
  'document_insert_stored',
  `INSERT INTO core.documents (id, org_id, order_request_id, prescription_id, version, number, kind, name, state, sha256,
                               size_bytes, ciphertext, signature, pages)
   VALUES ($id, $orgId, $orderRequestId, $prescriptionId, $version, $number, $kind, $name, 'stored', $sha256,
           $sizeBytes, $ciphertext, $signature, $pages)`,
);
const insertWaiting = statement<never, PlaceValues & { urlCiphertext: Buffer }>(
  'document_insert_waiting',
  `INSERT INTO core.documents (id, org_id, order_request_id, prescription_id, version, number, kind, name, state,
                               url_ciphertext, next_fetch_at)
   VALUES ($id, $orgId, $orderRequestId, $prescriptionId, $version, $number, $kind, $name, 'waiting', $urlCiphertext,
           now())`,
);
/** Documents of the next payload take the place of those with these numbers. */
export const replaceDocuments = changeOf<[orgId: string, requestId: string, numbers: number[]]>(
  'documents_replace',
  `UPDATE core.documents SET is_replaced = true
   WHERE org_id = $1 AND order_request_id = $2 AND number = ANY($3::int[]) AND NOT is_replaced`,
);
/** Of the document `d`, without its id and version. */
export const DOCUMENT_COLUMNS = `d.number, d.is_replaced, d.kind, d.name, d.state, d.url_ciphertext, d.failure,
  d.fetch_attempts, encode(d.sha256, 'hex') AS pdf_sha256, d.size_bytes, d.created_at AS handed_in_at, d.signature, d.pages`;
/** Documents of all versions, oldest first, those of one version by number. */
export const documentsOf = rowsOf<StoredDocument, [orgId: string, requestId: string]>(
  'documents_of_request',
  `SELECT d.id, d.version, ${DOCUMENT_COLUMNS}
   FROM core.documents d WHERE org_id = $1::uuid AND order_request_id = $2::uuid ORDER BY version, number`,
);
const findStored = statement<
  (FoundDocument & { is_stored: true }) | (Pick<DocumentEntity, 'size_bytes'> & { is_stored: false }),
  [string, string, number | null, number | null]
>(
  'document_stored',
  `SELECT id, number, version, object_name, size_bytes, ciphertext IS NOT NULL OR object_name IS NOT NULL AS is_stored FROM core.documents
   WHERE org_id = $1 AND order_request_id = $2
     AND CASE WHEN $4::int IS NULL THEN kind = 'prescription' ELSE number = $4 END
     AND CASE WHEN $3::int IS NULL THEN NOT is_replaced ELSE version = $3 END
   ORDER BY version DESC, number LIMIT 1`,
);

export interface PdfContent {
  sha256: Buffer;
  sizeBytes: number;
  ciphertext: Buffer;
  signature: PdfSignature;
  pages: number | null;
}

/** Where a document belongs: to a version of a request, or to a prescription. */
export interface DocumentPlace {
  id: string;
  orderRequestId?: string | null;
  prescriptionId?: string | null;
  version: number;
  number: number;
  kind: RequestDocumentKind;
  name: string | null;
}
export type NumberedPlace = Pick<DocumentPlace, 'number' | 'kind' | 'name'>;
export const OF_PAYLOAD: NumberedPlace = { number: 1, kind: 'prescription', name: null };

interface PlaceValues extends DocumentPlace {
  orgId: string;
  orderRequestId: string | null;
  prescriptionId: string | null;
}

export type NewPdf = DocumentPlace & PdfContent;

export async function insertPdf(tx: Sql, orgId: string, pdf: NewPdf): Promise<void> {
  await tx.rows(insertStored, { ...pdf, ...placeValues(orgId, pdf) });
}

function placeValues(orgId: string, place: DocumentPlace): PlaceValues {
  const { orderRequestId = null, prescriptionId = null } = place;
  return { ...place, orgId, orderRequestId, prescriptionId };
}

/** The URL is encrypted with the document's id as row id. */
export async function insertPdfUrl(
  tx: Sql,
  orgId: string,
  place: DocumentPlace,
  urlCiphertext: Buffer,
): Promise<void> {
  await tx.rows(insertWaiting, { ...placeValues(orgId, place), urlCiphertext });
}

/** By its number, else the newest prescription, or the first of several; of those that the request has now or of a version. */
export interface WhichDocument {
  version?: number | undefined;
  number?: number | undefined;
}

/** Null when it is missing or not fetched yet. */
export async function storedPdf(
  sql: Sql,
  orgId: string,
  requestId: string,
  { version, number }: WhichDocument,
): Promise<FoundDocument | null> {
  const [document] = await sql.rows(findStored, orgId, requestId, version ?? null, number ?? null);
  return document?.is_stored ? document : null;
}

export type WaitingDocument = Pick<DocumentEntity, 'id' | 'org_id'> &
  NotNull<DocumentEntity, 'url_ciphertext'>;

/** Leases one due document: its due time moves past the lease, so no other replica fetches it meanwhile. */
export const leaseDueDocument = rowOf<
  WaitingDocument,
  [leaseSeconds: number, exceptOrgIds: readonly string[]]
>(
  'document_lease',
  `UPDATE core.documents SET next_fetch_at = now() + make_interval(secs => $1), fetch_attempts = fetch_attempts + 1
   WHERE id = (SELECT id FROM core.documents
               WHERE state = 'waiting' AND next_fetch_at <= now() AND org_id <> ALL ($2::uuid[]) AND url_ciphertext IS NOT NULL
               ORDER BY next_fetch_at LIMIT 1 FOR UPDATE SKIP LOCKED)
   RETURNING id, org_id, url_ciphertext`,
);
const complete = statement<never, PdfContent & { id: string }>(
  'document_complete',
  `UPDATE core.documents SET state = 'stored', sha256 = $sha256, size_bytes = $sizeBytes, ciphertext = $ciphertext,
          signature = $signature, pages = $pages, failure = NULL
   WHERE id = $id AND state = 'waiting'`,
);
export const failFetch = changeOf<[id: string, failure: string]>(
  'document_fail',
  `UPDATE core.documents SET state = 'failed', failure = $2 WHERE id = $1 AND state = 'waiting'`,
);

export async function completeFetch(sql: Sql, id: string, pdf: PdfContent): Promise<void> {
  await sql.rows(complete, { ...pdf, id });
}

/** True when a present document of the request had failed and is now waiting again. */
export const retryFetch = isHitOf<[orgId: string, requestId: string]>(
  'document_retry',
  `UPDATE core.documents SET state = 'waiting', failure = NULL, next_fetch_at = now()
   WHERE org_id = $1 AND order_request_id = $2 AND state = 'failed' AND NOT is_replaced
   RETURNING id`,
);

/** Where the bytes of a stored document are: under the name of an object, or in the database (null). */
export type PlaceOfBytes = Pick<DocumentEntity, 'id' | 'object_name'> & NotNull<DocumentEntity, 'size_bytes'>;

type FoundDocument = PlaceOfBytes & Pick<StoredDocument, 'number' | 'version'>;

const findCiphertext = statement<never, [string, string]>(
  'document_ciphertext',
  `SELECT ciphertext FROM core.documents WHERE org_id = $1 AND id = $2`,
);
/** Null when the document was erased. */
export const placeOfBytes = rowOf<PlaceOfBytes, [orgId: string, id: string]>(
  'document_place_of_bytes',
  `SELECT id, object_name, size_bytes FROM core.documents WHERE org_id = $1 AND id = $2 AND size_bytes IS NOT NULL`,
);

/** Passes the encrypted bytes to `take`; false when the database does not have them. */
export async function streamCiphertext(
  database: Database,
  { orgId, id }: { orgId: string; id: string },
  take: TakePiece,
): Promise<boolean> {
  return database.bytes(findCiphertext, [orgId, id], take);
}
