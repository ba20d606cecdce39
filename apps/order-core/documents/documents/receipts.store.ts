import { type Sql, statement } from '@offizin/pg/database';
import { isHitOf, rowOf } from '@offizin/pg/queries';
import type { PdfContent, PlaceOfBytes } from './documents.store';
import type { PdfSignature } from './pdf-signature';

/** Documents of a prescription. Their URLs are encrypted because a URL gives access to the prescription. */
export interface StoredReceipt {
  state: 'stored' | 'waiting' | 'failed';
  pdf_sha256: string | null;
  failure: string | null;
}

const insertStored = statement<
  never,
  [string, string, string, Buffer, number, Buffer, PdfSignature, number | null]
>(
  'receipt_insert_stored',
  `INSERT INTO core.documents (id, org_id, prescription_id, state, sha256, size_bytes, ciphertext, signature,
                               pages)
   VALUES ($1, $2, $3, 'stored', $4, $5, $6, $7, $8)`,
);
const insertWaiting = statement<never, [string, string, string, Buffer]>(
  'receipt_insert_waiting',
  `INSERT INTO core.documents (id, org_id, prescription_id, state, url_ciphertext, next_fetch_at)
   VALUES ($1, $2, $3, 'waiting', $4, now())`,
);
export const receiptOf = rowOf<StoredReceipt, [orgId: string, prescriptionId: string]>(
  'receipt_of_prescription',
  `SELECT state, failure, encode(sha256, 'hex') AS pdf_sha256 FROM core.documents
   WHERE org_id = $1 AND prescription_id = $2 ORDER BY created_at DESC LIMIT 1`,
);
/** The newest stored receipt, even while a newer one is waiting; null when none is stored. */
export const storedReceipt = rowOf<PlaceOfBytes, [orgId: string, prescriptionId: string]>(
  'receipt_stored',
  `SELECT id, object_name, size_bytes FROM core.documents
   WHERE org_id = $1 AND prescription_id = $2 AND state = 'stored' ORDER BY created_at DESC LIMIT 1`,
);
/** Retries a failed fetch of a receipt; false when no receipt has failed. */
export const fetchReceiptAgain = isHitOf<[orgId: string, prescriptionId: string]>(
  'receipt_fetch_again',
  `UPDATE core.documents SET state = 'waiting', next_fetch_at = now(), failure = NULL
   WHERE org_id = $1 AND prescription_id = $2 AND state = 'failed' RETURNING id`,
);

export async function insertReceiptPdf(
  tx: Sql,
  orgId: string,
  prescriptionId: string,
  pdf: PdfContent & { id: string },
): Promise<void> {
  const { id, sha256, sizeBytes, ciphertext, signature, pages } = pdf;
  const content = [sha256, sizeBytes, ciphertext, signature, pages] as const;
  await tx.rows(insertStored, id, orgId, prescriptionId, ...content);
}

export async function insertReceiptUrl(
  tx: Sql,
  orgId: string,
  prescriptionId: string,
  url: { id: string; ciphertext: Buffer },
): Promise<void> {
  await tx.rows(insertWaiting, url.id, orgId, prescriptionId, url.ciphertext);
}
