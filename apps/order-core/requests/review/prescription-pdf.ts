import type { Caller } from '@offizin/contracts/calls/caller';
import { notFound } from '@offizin/contracts/calls/errors';
import type { Answer } from '@offizin/contracts/calls/operation';
import type { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import { documentObject } from '../../audit/read-objects';
import type { ReadAudit } from '../../audit/read-audit';
import { type DocumentReads, pdfAnswer } from '../../documents/documents/document-reads';
import { storedPdf, type WhichDocument } from '../../documents/documents/documents.store';
import { findRequest } from '../intake/order-requests.store';

/**
 * A document of a request, decrypted. `action` is the entry in the audit log, made before the document is read. Throws
 * `Refused` (not_found), and as `DocumentReads.read` does.
 */
export async function prescriptionPdf(
  { database, documents, audit }: { database: Database; documents: DocumentReads; audit: ReadAudit },
  caller: Caller,
  { requestId, action, ...which }: WhichDocument & { requestId: string; action: string },
): Promise<Answer<never>> {
  const { orgId } = caller;
  if (!isId(requestId) || !(await findRequest(database, orgId, requestId))) throw notFound('order request');
  const place = await storedPdf(database, orgId, requestId, which);
  if (place === null) throw notFound('prescription document');
  const pdf = await documents.read(orgId, place, () =>
    audit.append(caller, action, documentObject(`order-request:${requestId}`, place)),
  );
  if (!pdf) throw notFound('prescription document');
  const name = (which.number ?? 1) === 1 ? 'prescription' : `document-${which.number}`;
  return pdfAnswer(pdf, `${name}-${requestId}`);
}
