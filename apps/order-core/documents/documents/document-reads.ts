import { Unreachable } from '@offizin/contracts/calls/errors';
import { SHARE_WAIT } from '@offizin/operations/call-shares';
import { Database } from '@offizin/pg/database';
import { FairShares } from '@offizin/runtime/fair-shares';
import { errorFields, log } from '@offizin/runtime/log';
import { DataKeys } from '../../crypto/data-keys.store';
import { encryptedLength } from '../../crypto/encryption';
import { type DocumentStore, StoreFailure } from './document-store';
import { decryptPaced, PacedDecryption } from './paced-decryption';
import { type PlaceOfBytes, placeOfBytes, streamCiphertext } from './documents.store';
import { type Answer, okBytes } from '@offizin/contracts/calls/operation';

/**
 * A document of 10 MB takes ten times its size in memory while it is read, and a quarter of a second of processors in
 * order-core and the edge.
 */
const SLOTS = { slots: 4, perParty: 2, perPartyBesideOthers: 1, maxRestMs: 250 };
/** Wait and call together stay below the time that the edges wait for an answer (core-proxy.ts). */
const STORE_WAIT_MS = 800;
const STORE_TIMEOUT_MS = 3_000;
/** A document may move between look-up and read, once. */
const ATTEMPTS = 2;

/**
 * Reads of documents, wherever their bytes are. The store has separate slots, so that documents in the database are
 * read as before while it hangs.
 */
export class DocumentReads {
  private readonly ofDatabase = new FairShares({ name: 'document reads', ...SLOTS, ...SHARE_WAIT });
  private readonly ofStore = new FairShares({
    name: 'document store reads',
    ...SLOTS,
    ...SHARE_WAIT,
    waitMs: STORE_WAIT_MS,
  });

  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
    private readonly store: DocumentStore | null,
  ) {}

  /**
   * The decrypted document; null when it was erased. `audit` is run before anything is read. Throws `Unreachable` when the
   * store does not answer or is not set, and an internal error when the bytes are not those that were stored.
   */
  async read(orgId: string, found: PlaceOfBytes, audit: () => Promise<void>): Promise<Buffer | null> {
    const key = await this.dataKeys.keyOf(orgId);
    let isAudited = false;
    const audited = async (): Promise<void> => {
      if (!isAudited) await audit();
      isAudited = true;
    };
    let place: PlaceOfBytes | null = found;
    for (let attempt = 0; place && attempt < ATTEMPTS; attempt++) {
      const pdf = await this.attempt(orgId, place, key, audited);
      if (pdf) return pdf;
      place = await placeOfBytes(this.database, orgId, place.id);
    }
    // The row still names an object that is missing.
    if (place) throw unavailable();
    return null;
  }

  /** Null when the bytes are no longer there. */
  private attempt(
    orgId: string,
    place: PlaceOfBytes,
    key: Buffer,
    audited: () => Promise<void>,
  ): Promise<Buffer | null> {
    const { id, object_name: name } = place;
    if (name === null)
      return this.ofDatabase.run(orgId, async () => {
        await audited();
        return this.fromDatabase(orgId, id, key);
      });
    const { store } = this;
    if (!store) {
      log.error(
        { document_id: id },
        'the document is in the document store, and DOCUMENT_STORE_URL is not set',
      );
      throw unavailable();
    }
    return this.ofStore.run(orgId, async () => {
      await audited();
      return this.fromStore(store, { ...place, object_name: name }, key);
    });
  }

  private async fromDatabase(orgId: string, id: string, key: Buffer): Promise<Buffer | null> {
    const decryption = new PacedDecryption(key, id);
    const isThere = await streamCiphertext(this.database, { orgId, id }, (piece, totalBytes) =>
      decryption.add(piece, totalBytes),
    );
    return isThere ? decryption.end() : null;
  }

  private async fromStore(
    store: DocumentStore,
    { id, object_name: name, size_bytes: size }: PlaceOfBytes & { object_name: string },
    key: Buffer,
  ): Promise<Buffer | null> {
    let ciphertext: Buffer;
    try {
      ciphertext = await store.get(name, encryptedLength(size), STORE_TIMEOUT_MS);
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
      if (error.problem === 'missing') return null;
      if (error.problem === 'altered') throw error;
      log.warn({ document_id: id, ...errorFields(error) }, 'document store unavailable');
      throw unavailable(error);
    }
    try {
      return await decryptPaced(ciphertext, key, id);
    } catch (error) {
      store.noteAltered();
      throw error;
    }
  }
}

function unavailable(cause?: unknown): Unreachable {
  const message = 'The store of older documents is unavailable. Try again in a moment.';
  return new Unreachable('service_unavailable', message, cause);
}

/** A document as its sender made it: nothing of it runs in a browser that shows it, and no cache keeps it. */
export function pdfAnswer(pdf: Buffer, fileName: string): Answer<never> {
  return okBytes(pdf, {
    'content-type': 'application/pdf',
    'content-disposition': `attachment; filename="${fileName}.pdf"`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
}
