import { setTimeout as pause } from 'node:timers/promises';
import { deadBytes } from '@offizin/http-body/body-buffers';
import { Decryption } from '../../crypto/encryption';

/**
 * Paces reads of large documents. Otherwise one caller within its rate limit could keep the database and two processes
 * busy (guarantees.md G19). Smaller documents, which are the majority, are not paced.
 */
const UNPACED_BYTES = 1024 * 1024;
const BYTES_PER_SECOND = 20 * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/** Decrypts a document from pieces. */
export class PacedDecryption {
  private readonly decryption: Decryption;
  private readonly startedAtMs = performance.now();
  private readBytes = 0;

  constructor(key: Buffer, id: string) {
    this.decryption = new Decryption(key, id);
  }

  async add(piece: Buffer, totalBytes: number): Promise<void> {
    this.decryption.add(piece, totalBytes);
    // The piece, and its plain text before it is copied.
    deadBytes(2 * piece.length);
    this.readBytes += piece.length;
    const dueMs = ((this.readBytes - UNPACED_BYTES) / BYTES_PER_SECOND) * 1_000;
    const earlyMs = dueMs - (performance.now() - this.startedAtMs);
    // Timers have a resolution of one millisecond.
    if (earlyMs >= 1) await pause(earlyMs);
  }

  /** Throws as `decrypt` does. */
  end(): Buffer {
    return this.decryption.end();
  }
}

/** Throws as `decrypt` does. */
export async function decryptPaced(ciphertext: Buffer, key: Buffer, id: string): Promise<Buffer> {
  const decryption = new PacedDecryption(key, id);
  for (let at = 0; at < ciphertext.length; at += PIECE_BYTES)
    await decryption.add(ciphertext.subarray(at, at + PIECE_BYTES), ciphertext.length);
  return decryption.end();
}
