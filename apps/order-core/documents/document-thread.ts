import { type JobResult, ownBytes, serveJobs } from '@offizin/runtime/work-thread';
import type { DocumentJob, DocumentResult } from './document-threads';
import { takeApart } from './open-body';
import { sealPdf } from './sealed-pdf';

/** What a thread of DocumentThreads runs. */
serveJobs<DocumentJob, DocumentResult>((job) => (job.kind === 'open' ? open(job) : seal(job)));

function open({ body, field }: Extract<DocumentJob, { kind: 'open' }>): JobResult<DocumentResult> {
  const apart = takeApart(body, field);
  const { document } = apart;
  if (!document?.ok) return { result: { kind: 'opened', apart }, transfer: [] };
  const bytes = ownBytes(document.bytes);
  return {
    result: { kind: 'opened', apart: { ...apart, document: { ...document, bytes } } },
    transfer: [bytes.buffer],
  };
}

function seal({ key, bytes, documentId }: Extract<DocumentJob, { kind: 'seal' }>): JobResult<DocumentResult> {
  const content = sealPdf(Buffer.from(key), Buffer.from(bytes.buffer), documentId);
  const ciphertext = ownBytes(content.ciphertext);
  return { result: { kind: 'sealed', content: { ...content, ciphertext } }, transfer: [ciphertext.buffer] };
}
