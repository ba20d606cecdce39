import type { Answer } from '@offizin/contracts/calls/operation';
import type { OutboxRelay } from '@offizin/events/outbox-relay';
import type { Sql } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { encrypt } from '../../crypto/encryption';
import type { DocumentFetcher } from './document-fetcher';
import { type DocumentThreads, forgetPdf, LARGE_BYTES } from './document-threads';
import { type DocumentPlace, insertPdf, insertPdfUrl, type PdfContent } from './documents.store';
import type { HashedPdf } from './encrypt-pdf';

/** A document that came with an order request or a prescription, checked. */
export type SentDocument = { kind: 'pdf'; pdf: HashedPdf } | { kind: 'url'; url: string };

export type EncryptedDocument = { id: string } & ({ pdf: PdfContent } | { urlCiphertext: Buffer });

/** Called outside the transaction, which must not wait for a document thread. */
export async function encryptedDocument(
  sent: SentDocument | null,
  { key, orgId, threads }: { key: Buffer; orgId: string; threads: DocumentThreads },
): Promise<EncryptedDocument | null> {
  if (!sent) return null;
  const id = newId();
  if (sent.kind === 'pdf') return { id, pdf: await threads.encrypt(key, sent.pdf, id, orgId) };
  return { id, urlCiphertext: encrypt(key, Buffer.from(sent.url), id) };
}

/** A large document is stored alone: small ones of other calls must not wait for its statement. */
export function isLarge(document: EncryptedDocument | null): boolean {
  return document !== null && 'pdf' in document && document.pdf.sizeBytes >= LARGE_BYTES;
}

export async function insertDocument(
  tx: Sql,
  orgId: string,
  document: EncryptedDocument | null,
  owner: Omit<DocumentPlace, 'id'>,
): Promise<void> {
  if (!document) return;
  const place = { id: document.id, ...owner };
  if ('pdf' in document) await insertPdf(tx, orgId, { ...place, ...document.pdf });
  else await insertPdfUrl(tx, orgId, place, document.urlCiphertext);
}

/** Resolves when the call that brought the document has ended: frees the bytes of a PDF, and begins to fetch a URL. */
export async function afterStoring<Reply>(
  storing: Promise<Answer<Reply>>,
  document: EncryptedDocument | null,
  { relay, fetcher }: { relay: OutboxRelay; fetcher: DocumentFetcher },
): Promise<Answer<Reply>> {
  const answer = await storing.finally(() => forgetDocument(document));
  relay.wake();
  if (document && 'urlCiphertext' in document) fetcher.wake();
  return answer;
}

export function forgetDocument(document: EncryptedDocument | null): void {
  if (document && 'pdf' in document) forgetPdf(document.pdf);
}
