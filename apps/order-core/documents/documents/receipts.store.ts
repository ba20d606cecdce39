import { changeOf, isHitOf, rowOf } from '@offizin/pg/queries';
import type { DocumentEntity } from '../../db/entities';
import type { PlaceOfBytes } from './documents.store';

/** Documents of a prescription. Their URLs are encrypted because a URL gives access to the prescription. */
export type StoredReceipt = Pick<DocumentEntity, 'state' | 'failure'> & { pdf_sha256: string | null };

export const receiptOf = rowOf<StoredReceipt, [orgId: string, prescriptionId: string]>(
  'receipt_of_prescription',
  `SELECT state, failure, encode(sha256, 'hex') AS pdf_sha256 FROM core.documents
   WHERE org_id = $1 AND prescription_id = $2 ORDER BY created_at DESC LIMIT 1`,
);
/** The newest stored receipt, even while a newer one is waiting; null when none is stored. */
export const storedReceipt = rowOf<
  PlaceOfBytes & Pick<DocumentEntity, 'number' | 'version'>,
  [orgId: string, prescriptionId: string]
>(
  'receipt_stored',
  `SELECT id, object_name, size_bytes, number, version FROM core.documents
   WHERE org_id = $1 AND prescription_id = $2 AND state = 'stored' AND size_bytes IS NOT NULL
   ORDER BY created_at DESC LIMIT 1`,
);
/** Retries a failed fetch of a receipt; false when no receipt has failed. */
export const fetchReceiptAgain = isHitOf<[orgId: string, prescriptionId: string]>(
  'receipt_fetch_again',
  `UPDATE core.documents SET state = 'waiting', next_fetch_at = now(), failure = NULL
   WHERE org_id = $1 AND prescription_id = $2 AND state = 'failed' RETURNING id`,
);
/** The newest receipt, which the customer sent: an erasure of the customer deletes it, also from a prescription of another. */
export const setReceiptCustomer = changeOf<[orgId: string, prescriptionId: string, emailHash: Buffer | null]>(
  'receipt_set_customer',
  `UPDATE core.documents SET customer_email_hash = coalesce($3, customer_email_hash)
   WHERE org_id = $1 AND id = (SELECT id FROM core.documents WHERE org_id = $1 AND prescription_id = $2
                               ORDER BY created_at DESC LIMIT 1)`,
);
