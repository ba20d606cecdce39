import { setTimeout as pause } from 'node:timers/promises';
import { deadBytes } from '@offizin/http-body/body-buffers';
import { type Database, statement } from '@offizin/pg/database';
import { Decryption } from '../crypto/encryption';

/**
 * Paces reads of large documents. Otherwise one caller within its rate limit could keep the database and two processes
 * busy (guarantees.md G19). Smaller documents, which are the majority, are read at once.
 */
const UNPACED_BYTES = 1024 * 1024;
const BYTES_PER_SECOND = 20 * 1024 * 1024;

const findCiphertext = statement<never, [string, string]>(
  'document_ciphertext',
  `SELECT ciphertext FROM core.documents WHERE org_id = $1 AND id = $2`,
);

/** Reads and decrypts a stored document incrementally; null when it is missing. */
export async function openDocument(
  database: Database,
  key: Buffer,
  { orgId, id }: { orgId: string; id: string },
): Promise<Buffer | null> {
  const decryption = new Decryption(key, id);
  let readBytes = 0;
  const startedAtMs = performance.now();
  const isThere = await database.bytes(findCiphertext, [orgId, id], async (piece, totalBytes) => {
    decryption.add(piece, totalBytes);
    // The piece, and its plain text before it is copied.
    deadBytes(2 * piece.length);
    readBytes += piece.length;
    const dueMs = ((readBytes - UNPACED_BYTES) / BYTES_PER_SECOND) * 1_000;
    const earlyMs = dueMs - (performance.now() - startedAtMs);
    // Timers have a resolution of one millisecond.
    if (earlyMs >= 1) await pause(earlyMs);
  });
  return isThere ? decryption.end() : null;
}
