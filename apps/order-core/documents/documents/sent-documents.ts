import { Refused } from '@offizin/contracts/calls/errors';
import type { Answer } from '@offizin/contracts/calls/operation';
import {
  MAX_REQUEST_DOCUMENTS,
  type RequestDocumentKind,
} from '@offizin/contracts/requests/request-documents';
import type { OutboxRelay } from '@offizin/events/outbox-relay';
import type { Sql } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { encrypt } from '../../crypto/encryption';
import type { DocumentFetcher } from './document-fetcher';
import { type DocumentThreads, forgetPdf, LARGE_BYTES } from './document-threads';
import {
  type DocumentPlace,
  insertPdf,
  insertPdfUrl,
  type NumberedPlace,
  type PdfContent,
} from './documents.store';
import type { HashedPdf } from './encrypt-pdf';

/** A document that came with an order request or a prescription, checked. */
export type SentDocument = { kind: 'pdf'; pdf: HashedPdf } | { kind: 'url'; url: string };

export type EncryptedDocument = { id: string } & ({ pdf: PdfContent } | { urlCiphertext: Buffer });

/**
 * One document of a call. `first`: the payload's prescription, number 1, in place of the one before. `listed`: of the
 * payload's list, which takes the place of all others. `added`: beside those that are there.
 */
export interface DocumentOfCall {
  role: 'first' | 'listed' | 'added';
  kind: RequestDocumentKind;
  name: string | null;
}
export type SentDocumentOfCall = DocumentOfCall & { sent: SentDocument };
export type NewDocument = DocumentOfCall & { document: EncryptedDocument };

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

/** One after the other: each large one takes a thread. */
export async function encryptedDocuments(
  sent: readonly SentDocumentOfCall[],
  by: { key: Buffer; orgId: string; threads: DocumentThreads },
): Promise<NewDocument[]> {
  const encrypted: NewDocument[] = [];
  try {
    for (const { sent: one, ...place } of sent) {
      const document = await encryptedDocument(one, by);
      if (document) encrypted.push({ ...place, document });
    }
    return encrypted;
  } catch (error) {
    forgetDocuments(encrypted);
    throw error;
  }
}

/** Large documents are stored alone: small ones of other calls must not wait for their statements. */
export function areLarge(documents: readonly NewDocument[]): boolean {
  const bytes = documents.map(({ document }) => ('pdf' in document ? document.pdf.sizeBytes : 0));
  return bytes.reduce((sum, size) => sum + size, 0) >= LARGE_BYTES;
}

/** Their numbers beside those that the request keeps: the first is 1, the others follow on the highest. */
export function numbered(
  documents: readonly NewDocument[],
  kept: readonly number[] = [],
): (NewDocument & NumberedPlace)[] {
  const next = Math.max(1, ...kept) + 1;
  const others = documents.filter(({ role }) => role !== 'first');
  return documents.map((each) => ({
    ...each,
    number: each.role === 'first' ? 1 : next + others.indexOf(each),
  }));
}

/** The numbers of `present` that stay beside `documents`. Throws `Refused` (conflict) for more than a request takes. */
export function keptBeside(documents: readonly NewDocument[], present: readonly number[]): number[] {
  const brings = (wanted: NewDocument['role']): boolean => documents.some(({ role }) => role === wanted);
  const kept = present.filter((number) => !brings(number === 1 ? 'first' : 'listed'));
  if (kept.length + documents.length <= MAX_REQUEST_DOCUMENTS) return kept;
  const message = `A request takes ${MAX_REQUEST_DOCUMENTS} documents, and would have ${kept.length + documents.length}.`;
  throw new Refused('conflict', message);
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

type Brought = Pick<NewDocument, 'document'>;

/** Resolves when the call that brought the documents has ended: frees the bytes of PDFs, and begins to fetch URLs. */
export async function afterStoring<Reply>(
  storing: Promise<Answer<Reply>>,
  documents: readonly Brought[],
  { relay, fetcher }: { relay: OutboxRelay; fetcher: DocumentFetcher },
): Promise<Answer<Reply>> {
  const answer = await storing.finally(() => forgetDocuments(documents));
  relay.wake();
  if (documents.some(({ document }) => 'urlCiphertext' in document)) fetcher.wake();
  return answer;
}

export function forgetDocuments(documents: readonly Brought[]): void {
  for (const { document } of documents) if ('pdf' in document) forgetPdf(document.pdf);
}
