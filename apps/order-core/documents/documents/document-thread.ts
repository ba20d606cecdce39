import { collectGarbage, deadBytes, freeNow, freeableBytes } from '@offizin/http-body/body-buffers';
import { bufferOver } from '@offizin/http-body/body-pieces';
import { type JobResult, ownBytes, serveJobs } from '@offizin/runtime/work-thread';
import type { DocumentJob, DocumentResult } from './document-threads';
import { encryptedLength } from '../../crypto/encryption';
import { encryptPdf } from './encrypt-pdf';
import { cutOut, parseWhole } from './parse-large-body';

/** Entry point of the threads in DocumentThreads. */
serveJobs<DocumentJob, DocumentResult>((job) => (job.kind === 'open' ? open(job) : encrypt(job)));

/** Strings of a whole body; V8 would collect them only when the thread nears its limit. */
const COLLECT_AFTER_BYTES = 4 * 1024 * 1024;
let leftBytes = 0;

function collectAfter(bytes: number): void {
  leftBytes += bytes;
  if (leftBytes < COLLECT_AFTER_BYTES) return;
  leftBytes = 0;
  setImmediate(() => collectGarbage('all'));
}

function open({
  body,
  fields,
  maxValues,
}: Extract<DocumentJob, { kind: 'open' }>): JobResult<DocumentResult> {
  const bytes = bufferOver(body);
  const limit = maxValues ?? undefined;
  const cut = cutOut(bytes, fields, limit);
  // The rest of a cut body can have megabytes, too.
  collectAfter(cut ? cut.json.length : bytes.length);
  const { json, documents } = cut ?? parseWhole(bytes, fields, limit);
  freeNow(body.buffer);
  const transfer: ArrayBuffer[] = [];
  const passed = [...documents].map(([field, document]) => {
    if (!document.ok) return [field, document] as const;
    const own = ownBytes(document.bytes);
    transfer.push(own.buffer);
    return [field, { ...document, bytes: own }] as const;
  });
  return { result: { kind: 'opened', json, documents: passed }, transfer };
}

function encrypt({
  key,
  bytes,
  sha256,
  documentId,
}: Extract<DocumentJob, { kind: 'encrypt' }>): JobResult<DocumentResult> {
  const pdf = { bytes: bufferOver(bytes), sha256: bufferOver(sha256) };
  const ciphertext = freeableBytes(encryptedLength(bytes.length));
  const content = encryptPdf(bufferOver(key), pdf, documentId, bufferOver(ciphertext));
  deadBytes(bytes.length);
  freeNow(bytes.buffer);
  const passed = { ...content, ciphertext };
  return { result: { kind: 'encrypted', content: passed }, transfer: [ciphertext.buffer] };
}
