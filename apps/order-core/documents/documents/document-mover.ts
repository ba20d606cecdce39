import { createHash, randomUUID } from 'node:crypto';
import { deadBytes } from '@offizin/http-body/body-buffers';
import { Database } from '@offizin/pg/database';
import { log } from '@offizin/runtime/log';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { DataKeys } from '../../crypto/data-keys.store';
import { encryptedLength } from '../../crypto/encryption';
import type { DocumentStore } from './document-store';
import type { StoreMode } from './document-store-settings';
import * as store from './loose-objects.store';
import { decryptPaced } from './paced-decryption';
import { streamCiphertext } from './documents.store';

const PAUSE_MS = 5_000;
/** Of the largest document. Well below the lease of an upload (loose-objects.store.ts). */
const TRANSFER_TIMEOUT_MS = 60_000;
const DELETION_TIMEOUT_MS = 10_000;
/** For a transfer under way when the process stops. Below DRAIN_SECONDS (process-config.ts), which ends the process. */
const STOP_WAIT_MS = 3_000;

export interface MoverOptions {
  mode: StoreMode;
  /** Since the decision. */
  afterDays: number;
}

/**
 * Moves documents of decided requests to the document store, as they are encrypted, and deletes objects that have lost
 * their document (decision 0067). Cast: this loop, the store (document-store.ts), the records (loose-objects.store.ts).
 *
 * Guarantees: An object is recorded before it is written. A document loses its bytes in the statement that names the
 * object, after the object was read back and is equal. A crash at any point loses nothing, and leaves at most a
 * recorded object that is written again or deleted. Replicas work beside each other, on different documents. No
 * transaction waits for the store.
 */
export class DocumentMover {
  private readonly work: PeriodicWork;
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly dataKeys: DataKeys,
    private readonly documents: DocumentStore,
    private readonly options: MoverOptions,
  ) {
    this.work = new PeriodicWork('move documents', PAUSE_MS, () => this.round());
  }

  start(): void {
    this.work.start();
  }

  /** After the last read: a transfer that takes longer fails with the store, and its object stays recorded. */
  async stop(): Promise<void> {
    this.stopped = true;
    const limit = setTimeout(() => void this.documents.close(), STOP_WAIT_MS);
    await this.work.stop();
    clearTimeout(limit);
  }

  /** Until nothing is due. Ends with the first failure: the store may be unreachable. */
  async round(): Promise<void> {
    const { mode } = this.options;
    while (!this.stopped && (await this.settle()));
    while (mode === 'move' && !this.stopped && (await this.moveNext()));
    while (mode === 'return' && !this.stopped && (await this.returnNext()));
  }

  /** Finishes an upload or deletes an object. False when nothing is due. */
  async settle(): Promise<boolean> {
    const object = await store.leaseObject(this.database);
    if (!object) return false;
    const { name, document_id: documentId } = object;
    if (documentId !== null) {
      await this.upload(documentId, object);
      return true;
    }
    await this.documents.delete(name, DELETION_TIMEOUT_MS);
    await store.forgetObject(this.database, name);
    log.info({ object: name }, 'object deleted from the document store');
    return true;
  }

  /** False when no document may move. */
  async moveNext(): Promise<boolean> {
    // Random: an object's name must not tell when its document was made.
    const object = await store.leaseNewObject(this.database, randomUUID(), this.options.afterDays);
    if (!object?.document_id) return false;
    await this.upload(object.document_id, object);
    return true;
  }

  private async upload(documentId: string, object: store.LooseObject): Promise<void> {
    const orgId =
      this.options.mode === 'move' ? await store.organizationOfBytes(this.database, documentId) : null;
    const content = orgId === null ? null : await this.ciphertextOf(orgId, documentId);
    if (content === null) return store.abandonObject(this.database, object);
    const { name, leased_at: leasedAt } = object;
    await this.documents.put(name, content, TRANSFER_TIMEOUT_MS, leasedAt);
    const { bytes } = content;
    const written = await this.documents.get(name, bytes.length, TRANSFER_TIMEOUT_MS);
    deadBytes(2 * bytes.length);
    if (!written.equals(bytes)) throw new Error('the document store returned other bytes than it was given');
    if (await store.giveToStore(this.database, documentId, object))
      log.info({ document_id: documentId, object: name }, 'document moved to the document store');
    else await store.abandonObject(this.database, object);
  }

  private async ciphertextOf(orgId: string, id: string): Promise<{ bytes: Buffer; sha256: string } | null> {
    const pieces: Buffer[] = [];
    const hash = createHash('sha256');
    const isThere = await streamCiphertext(this.database, { orgId, id }, (piece) => {
      pieces.push(piece);
      hash.update(piece);
      return Promise.resolve();
    });
    return isThere ? { bytes: Buffer.concat(pieces), sha256: hash.digest('hex') } : null;
  }

  /** False when no document is in the store. */
  async returnNext(): Promise<boolean> {
    // An unreadable document must not block the others.
    const moved = await store.movedDocumentAfter(this.database, randomUUID());
    if (!moved) return false;
    const { id, org_id: orgId, object_name: name, size_bytes: size } = moved;
    const ciphertext = await this.documents.get(name, encryptedLength(size), TRANSFER_TIMEOUT_MS);
    await this.requireIntact(ciphertext, await this.dataKeys.keyOf(orgId), id);
    await store.giveBack(this.database, moved, ciphertext);
    log.info({ document_id: id, object: name }, 'document returned from the document store');
    return true;
  }

  private async requireIntact(ciphertext: Buffer, key: Buffer, id: string): Promise<void> {
    try {
      await decryptPaced(ciphertext, key, id);
    } catch (error) {
      this.documents.noteAltered();
      throw error;
    }
  }
}
