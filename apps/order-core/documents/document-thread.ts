import { collectGarbage, freeNow, freeableBytes } from '@offizin/http-body/body-buffers';
import { type JobResult, ownBytes, serveJobs } from '@offizin/runtime/work-thread';
import type { DocumentJob, DocumentResult } from './document-threads';
import { parseLargeBody } from './parse-large-body';
import { encryptPdf } from './encrypt-pdf';

/** Jobs leave garbage outside the heap; V8 would collect it only when the thread nears its limit. */
const COLLECT_AFTER_BYTES = 4 * 1024 * 1024;
let leftBytes = 0;

/** Entry point of the threads in DocumentThreads. */
serveJobs<DocumentJob, DocumentResult>((job) => {
  leftBytes += job.kind === 'open' ? job.body.length : job.bytes.length;
  if (leftBytes > COLLECT_AFTER_BYTES) setImmediate(collect);
  return job.kind === 'open' ? open(job) : encrypt(job);
});

function collect(): void {
  leftBytes = 0;
  collectGarbage('all');
}

function open({ body, field, maxValues }: Extract<DocumentJob, { kind: 'open' }>): JobResult<DocumentResult> {
  const apart = parseLargeBody(body, field, maxValues ?? undefined);
  freeNow(body.buffer);
  const { document } = apart;
  if (!document?.ok) return { result: { kind: 'opened', apart }, transfer: [] };
  const bytes = ownBytes(document.bytes);
  return {
    result: { kind: 'opened', apart: { ...apart, document: { ...document, bytes } } },
    transfer: [bytes.buffer],
  };
}

function encrypt({
  key,
  bytes,
  documentId,
}: Extract<DocumentJob, { kind: 'encrypt' }>): JobResult<DocumentResult> {
  const content = encryptPdf(Buffer.from(key), Buffer.from(bytes.buffer), documentId);
  const ciphertext = freeableBytes(content.ciphertext.length);
  ciphertext.set(content.ciphertext);
  return {
    result: { kind: 'encrypted', content: { ...content, ciphertext } },
    transfer: [ciphertext.buffer],
  };
}
