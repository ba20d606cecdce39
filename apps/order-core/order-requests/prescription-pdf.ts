import type { Caller } from '@offizin/contracts/caller';
import { notFound } from '@offizin/contracts/errors';
import type { Answer } from '@offizin/contracts/operation';
import type { Database } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import type { ReadAudit } from '../audit/read-audit';
import type { DataKeys } from '../crypto/data-keys.store';
import { storedPdf } from '../documents/documents.store';
import { pdfAnswer } from '../documents/pdf-answer';
import { openDocument } from '../documents/stored-document.store';
import { findRequest } from './order-requests.store';

/**
 * The prescription of a request, decrypted; `version` null is the newest. `action` is the entry in the audit log, made
 * before the document is read. Throws `Refused` (not_found).
 */
export async function prescriptionPdf(
  { database, dataKeys, audit }: { database: Database; dataKeys: DataKeys; audit: ReadAudit },
  caller: Caller,
  { requestId, version, action }: { requestId: string; version: number | null; action: string },
): Promise<Answer<never>> {
  const { orgId } = caller;
  if (!isId(requestId) || !(await findRequest(database, orgId, requestId))) throw notFound('order request');
  const documentId = await storedPdf(database, orgId, requestId, version);
  if (documentId === null) throw notFound('prescription document');
  await audit.append(caller, action, `order-request:${requestId}`);
  const key = await dataKeys.keyOf(orgId);
  const pdf = await openDocument(database, key, { orgId, id: documentId });
  if (!pdf) throw notFound('prescription document');
  return pdfAnswer(pdf, `prescription-${requestId}`);
}
