import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { HandedInDocument } from '@offizin/contracts/operation';
import type { OpenedBody } from '@offizin/operations/serve-operation';
import { freeNow } from '@offizin/http-body/body-buffers';
import { FairShares } from '@offizin/runtime/fair-shares';
import { ownBytes } from '@offizin/runtime/work-thread';
import { WorkThreads, type WorkThreadsOptions } from '@offizin/runtime/work-threads';
import type { PdfContent } from './documents.store';
import type { ParsedLargeBody } from './parse-large-body';
import { encryptPdf } from './encrypt-pdf';

/**
 * What is done with the bytes of documents, beside the event loop: of a PDF of 10 MiB, parsing, decoding, hashing,
 * looking at and encrypting take 200 ms, in which nobody else would be answered (guarantees.md G12). What is small is
 * done at once: handing it over would cost more. Bytes change hands, they are never copied; order of use: `open` when a
 * body has come, `encrypt` before the transaction that stores it.
 */
export const LARGE_BYTES = 128 * 1024;

export type DocumentJob =
  | { kind: 'open'; body: Uint8Array; field: readonly string[]; maxValues: number | null }
  | { kind: 'encrypt'; key: Uint8Array; bytes: Uint8Array<ArrayBuffer>; documentId: string };

/** Buffers arrive as plain byte arrays. */
export type DocumentResult =
  | {
      kind: 'opened';
      apart: Omit<ParsedLargeBody, 'document'> & { document: PassedOn<HandedInDocument> | null };
    }
  | { kind: 'encrypted'; content: PassedOn<PdfContent> };
type PassedOn<T> = T extends unknown
  ? { [Key in keyof T]: T[Key] extends Buffer ? Uint8Array : T[Key] }
  : never;

const THREADS: Omit<WorkThreadsOptions, 'file'> = {
  name: 'document',
  threads: Math.min(2, availableParallelism()),
  // Each holds a body of up to 15 MiB.
  maxWaiting: 16,
  jobTimeoutMs: 10_000,
  idleMs: 30_000,
  // The largest body as text, its JSON and its document are 120 MB when characters take two bytes.
  heapMb: 256,
};

/** Less than the time in which a call is answered (deadline.ts). */
const WAIT_MS = 4_000;

export class DocumentThreads {
  private readonly threads: WorkThreads<DocumentJob, DocumentResult>;
  private readonly shares: FairShares;

  constructor(options: Partial<WorkThreadsOptions> = {}) {
    const file = join(__dirname, 'document-thread.js');
    const all = { ...THREADS, file, ...options };
    this.threads = new WorkThreads(all);
    this.shares = new FairShares({
      name: 'document work',
      slots: all.threads,
      perParty: all.threads,
      perPartyBesideOthers: Math.max(1, all.threads - 1),
      waitMs: WAIT_MS,
      maxWaiting: all.maxWaiting,
    });
  }

  /** Takes the body apart; it is gone for the caller. Throws `Refused` as parsing does, or `Unreachable`. */
  async open(
    body: Uint8Array,
    { field, maxValues = null }: { field: readonly string[]; maxValues?: number | null },
    orgId: string,
  ): Promise<OpenedBody> {
    const result = await this.shares.run(orgId, () => {
      const own = ownBytes(body);
      return this.threads.run({ kind: 'open', body: own, field, maxValues }, [own.buffer]);
    });
    if (result.kind !== 'opened') throw new Error('the thread did something else');
    const { json, document, sha256 } = result.apart;
    const plain: unknown = JSON.parse(json);
    if (!document?.ok) return { plain, sha256, document };
    return { plain, sha256, document: { ...document, bytes: bufferOver(document.bytes) } };
  }

  /** What is stored of a PDF, as `encryptPdf` makes it; `bytes` are gone for the caller. */
  async encrypt(key: Buffer, bytes: Buffer, documentId: string, orgId: string): Promise<PdfContent> {
    if (bytes.length < LARGE_BYTES) return encryptPdf(key, bytes, documentId);
    const result = await this.shares.run(orgId, () => {
      const own = ownBytes(bytes);
      // The key is copied: its memory is used on.
      const job = { kind: 'encrypt', key: new Uint8Array(key), bytes: own, documentId } as const;
      return this.threads.run(job, [own.buffer]);
    });
    if (result.kind !== 'encrypted') throw new Error('the thread did something else');
    const { sha256, ciphertext, ...rest } = result.content;
    return { ...rest, sha256: bufferOver(sha256), ciphertext: bufferOver(ciphertext) };
  }

  /** Waits for what is under way. */
  async stop(): Promise<void> {
    await this.threads.stop();
  }
}

/** The bytes of a PDF that was stored, or will not be: they are gone afterwards. */
export function forgetPdf({ ciphertext }: PdfContent): void {
  freeNow(ciphertext.buffer);
}

function bufferOver(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
