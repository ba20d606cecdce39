import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DocumentFields, HandedInDocument } from '@offizin/contracts/calls/operation';
import type { OpenedBody } from '@offizin/operations/serve-operation';
import { freeNow } from '@offizin/http-body/body-buffers';
import { FairShares } from '@offizin/runtime/fair-shares';
import { ownBytes } from '@offizin/runtime/work-thread';
import { WorkThreads, type WorkThreadsOptions } from '@offizin/runtime/work-threads';
import type { PdfContent } from './documents.store';
import { parseLargeBody } from './parse-large-body';
import { encryptPdf, type HashedPdf } from './encrypt-pdf';

/**
 * CPU-bound work on documents runs in threads: parsing, decoding, hashing, checking and encrypting a large PDF would
 * block the event loop. Smaller input stays in the event loop, because handing it over costs more. One
 * such body is parsed in each turn, so that other calls are answered in between. Buffers are transferred, never copied.
 * Call `open` on receipt of a body and `encrypt` before the transaction that stores it.
 */
export const LARGE_BYTES = 256 * 1024;

export type DocumentJob =
  | { kind: 'open'; body: Uint8Array<ArrayBuffer>; fields: DocumentFields; maxValues: number | null }
  | {
      kind: 'encrypt';
      key: Uint8Array<ArrayBuffer>;
      bytes: Uint8Array<ArrayBuffer>;
      sha256: Uint8Array<ArrayBuffer>;
      documentId: string;
    };

/** Buffers arrive as plain Uint8Arrays. */
export type DocumentResult =
  | {
      kind: 'opened';
      json: string;
      documents: (readonly [field: string, document: PassedOn<HandedInDocument>])[];
    }
  | { kind: 'encrypted'; content: PassedOn<PdfContent> };
type PassedOn<T> = T extends unknown
  ? { [Key in keyof T]: T[Key] extends Buffer ? Uint8Array : T[Key] }
  : never;

const THREADS: Omit<WorkThreadsOptions, 'file'> = {
  name: 'document',
  threads: Math.min(2, availableParallelism()),
  // Each waiting job holds a body of up to 15 MiB.
  maxWaiting: 16,
  jobTimeoutMs: 10_000,
  idleMs: 30_000,
  // Must hold the largest body as text, its JSON and its document, with two bytes per character.
  heapMb: 256,
};

/** Shorter than the deadline of a call (serve-operation.ts). */
const WAIT_MS = 4_000;

export class DocumentThreads {
  private readonly threads: WorkThreads<DocumentJob, DocumentResult>;
  private readonly shares: FairShares;
  private readonly turns = new FairShares({
    name: 'bodies in turn',
    slots: 1,
    perParty: 1,
    waitMs: WAIT_MS,
    maxWaiting: 256,
  });

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

  /** Parses the body; the buffer of a large one is transferred away. Throws `Refused` as parsing does, or `Unreachable`. */
  async open(
    body: Uint8Array,
    { fields, maxValues = null }: { fields: DocumentFields; maxValues?: number | null },
    orgId: string,
  ): Promise<OpenedBody> {
    if (body.length < LARGE_BYTES) {
      return this.turns.run(orgId, async () => {
        await nextTurn();
        const { json, documents } = parseLargeBody(bufferOver(body), fields, maxValues ?? undefined);
        return { plain: JSON.parse(json) as unknown, documents };
      });
    }
    const result = await this.shares.run(orgId, () => {
      const own = ownBytes(body);
      return this.threads.run({ kind: 'open', body: own, fields, maxValues }, [own.buffer]);
    });
    if (result.kind !== 'opened') throw new Error(`the thread returned ${result.kind} for an open job`);
    const documents = result.documents.map(([field, document]): [string, HandedInDocument] => {
      if (!document.ok) return [field, document];
      const [bytes, sha256] = [bufferOver(document.bytes), bufferOver(document.sha256)];
      return [field, { ...document, bytes, sha256 }];
    });
    return { plain: JSON.parse(result.json) as unknown, documents: new Map(documents) };
  }

  /** Like `encryptPdf`; large bytes are transferred away and cannot be used afterwards. */
  async encrypt(key: Buffer, pdf: HashedPdf, documentId: string, orgId: string): Promise<PdfContent> {
    if (pdf.bytes.length < LARGE_BYTES) return encryptPdf(key, pdf, documentId);
    const result = await this.shares.run(orgId, () => {
      const own = ownBytes(pdf.bytes);
      // Copies: the caller still uses the memory of its key.
      const [ownKey, sha256] = [new Uint8Array(key), new Uint8Array(pdf.sha256)];
      const job = { kind: 'encrypt', key: ownKey, bytes: own, sha256, documentId } as const;
      return this.threads.run(job, [own.buffer]);
    });
    if (result.kind !== 'encrypted') throw new Error(`the thread returned ${result.kind} for an encrypt job`);
    const { sha256, ciphertext, ...rest } = result.content;
    return { ...rest, sha256: bufferOver(sha256), ciphertext: bufferOver(ciphertext) };
  }

  async stop(): Promise<void> {
    await this.threads.stop();
  }
}

/** Frees the bytes of a PDF that was stored or discarded. */
export function forgetPdf({ ciphertext }: PdfContent): void {
  freeNow(ciphertext.buffer);
}

function bufferOver(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
