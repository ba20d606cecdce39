import { createHash, randomUUID } from 'node:crypto';
import { DocumentStore, StoreFailure } from '../../../apps/order-core/documents/documents/document-store';
import type { DocumentStoreSettings } from '../../../apps/order-core/documents/documents/document-store-settings';
import { type Finding, ok, problem, skipped } from './finding';

const OF = 'document store';
const TIMEOUT_MS = 5_000;

/** Writes, reads and deletes an object, as order-core does. */
export async function checkDocumentStore(settings: DocumentStoreSettings | undefined): Promise<Finding> {
  if (!settings) return skipped(OF, 'DOCUMENT_STORE_URL is not set');
  const store = new DocumentStore(settings);
  const bytes = Buffer.from('written by offizin doctor');
  const name = `doctor-${randomUUID()}`;
  let step = 'write';
  try {
    await store.put(name, { bytes, sha256: createHash('sha256').update(bytes).digest('hex') }, TIMEOUT_MS);
    step = 'read';
    const read = await store.get(name, bytes.length, TIMEOUT_MS);
    if (!read.equals(bytes)) throw new Error('it returned other bytes than it was given');
    step = 'delete';
    await store.delete(name, TIMEOUT_MS);
    return ok(OF, 'an object was written, read and deleted');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return problem(OF, `an object could not be ${PAST[step]}: ${reason}`, adviceFor(error));
  } finally {
    await store.close();
  }
}

const PAST: Record<string, string> = { write: 'written', read: 'read', delete: 'deleted' };

function adviceFor(error: unknown): string {
  if (error instanceof StoreFailure && error.problem === 'unreachable')
    return 'Start the store, or check DOCUMENT_STORE_URL and the network between here and there.';
  if (error instanceof StoreFailure && error.problem === 'refused')
    return 'Check bucket, region and access key (DOCUMENT_STORE_*), its rights to put, get and delete objects, and the clock.';
  return 'Look into the log of the store.';
}
