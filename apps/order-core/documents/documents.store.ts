import { type Sql, statement } from '@offizin/pg/database';

export interface StoredDocument {
  id: string;
  state: 'stored' | 'waiting' | 'failed';
  url: string | null;
  failure: string | null;
  pdf_sha256: string | null;
}

const insertStored = statement<never, [string, string, string, Buffer, number, Buffer]>(
  'document_insert_stored',
  `INSERT INTO core.documents (id, org_id, order_request_id, state, sha256, size_bytes, ciphertext)
   VALUES ($1, $2, $3, 'stored', $4, $5, $6)`,
);
const insertWaiting = statement<never, [string, string, string, string]>(
  'document_insert_waiting',
  `INSERT INTO core.documents (id, org_id, order_request_id, state, url, next_fetch_at)
   VALUES ($1, $2, $3, 'waiting', $4, now())`,
);
const findOfRequest = statement<StoredDocument, [string, string]>(
  'document_of_request',
  `SELECT id, state, url, failure, encode(sha256, 'hex') AS pdf_sha256
   FROM core.documents WHERE org_id = $1 AND order_request_id = $2 ORDER BY created_at DESC LIMIT 1`,
);
const readContent = statement<{ id: string; ciphertext: Buffer }, [string, string]>(
  'document_content',
  `SELECT id, ciphertext FROM core.documents
   WHERE org_id = $1 AND order_request_id = $2 AND state = 'stored' ORDER BY created_at DESC LIMIT 1`,
);

export interface NewPdf {
  id: string;
  orderRequestId: string;
  sha256: Buffer;
  sizeBytes: number;
  ciphertext: Buffer;
}

export async function insertPdf(tx: Sql, orgId: string, pdf: NewPdf): Promise<void> {
  await tx.rows(insertStored, pdf.id, orgId, pdf.orderRequestId, pdf.sha256, pdf.sizeBytes, pdf.ciphertext);
}

export async function insertPdfUrl(
  tx: Sql,
  orgId: string,
  id: string,
  requestId: string,
  url: string,
): Promise<void> {
  await tx.rows(insertWaiting, id, orgId, requestId, url);
}

export async function documentOf(sql: Sql, orgId: string, requestId: string): Promise<StoredDocument | null> {
  return (await sql.rows(findOfRequest, orgId, requestId))[0] ?? null;
}

export async function encryptedPdf(
  sql: Sql,
  orgId: string,
  requestId: string,
): Promise<{ id: string; ciphertext: Buffer } | null> {
  return (await sql.rows(readContent, orgId, requestId))[0] ?? null;
}

export interface WaitingDocument {
  id: string;
  org_id: string;
  url: string;
}

/** One due document; its due time moves ahead by the lease, so that no other replica takes it meanwhile. */
const claim = statement<WaitingDocument, [number]>(
  'document_claim',
  `UPDATE core.documents SET next_fetch_at = now() + make_interval(secs => $1)
   WHERE id = (SELECT id FROM core.documents WHERE state = 'waiting' AND next_fetch_at <= now()
               ORDER BY next_fetch_at LIMIT 1 FOR UPDATE SKIP LOCKED)
   RETURNING id, org_id, url`,
);
const complete = statement<never, [string, Buffer, number, Buffer]>(
  'document_complete',
  `UPDATE core.documents SET state = 'stored', sha256 = $2, size_bytes = $3, ciphertext = $4, failure = NULL
   WHERE id = $1 AND state = 'waiting'`,
);
const fail = statement<never, [string, string]>(
  'document_fail',
  `UPDATE core.documents SET state = 'failed', failure = $2 WHERE id = $1 AND state = 'waiting'`,
);

export async function claimWaiting(sql: Sql, leaseSeconds: number): Promise<WaitingDocument | null> {
  return (await sql.rows(claim, leaseSeconds))[0] ?? null;
}

export async function completeFetch(
  sql: Sql,
  id: string,
  pdf: Pick<NewPdf, 'sha256' | 'sizeBytes' | 'ciphertext'>,
): Promise<void> {
  await sql.rows(complete, id, pdf.sha256, pdf.sizeBytes, pdf.ciphertext);
}

export async function failFetch(sql: Sql, id: string, failure: string): Promise<void> {
  await sql.rows(fail, id, failure);
}
