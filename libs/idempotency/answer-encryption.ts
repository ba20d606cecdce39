import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Refused } from '@offizin/contracts/calls/errors';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM under a key derived from the installation's secret; `context` binds an answer to its row. */
export class AnswerEncryption {
  /** The first key encrypts; all keys decrypt. */
  private readonly keys: readonly Buffer[];

  constructor(secret: string) {
    this.keys = secret
      .split(',')
      .map((one) => Buffer.from(hkdfSync('sha256', one, '', 'offizin idempotent answers', 32)));
  }

  encrypt(plain: Buffer, context: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.keys[0] ?? '', iv).setAAD(Buffer.from(context));
    const content = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), content]);
  }

  /** Throws `Refused` (conflict) if no current key decrypts the answer. */
  decrypt(encrypted: Buffer, context: string): Buffer {
    for (const key of this.keys) {
      const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, IV_BYTES));
      decipher.setAAD(Buffer.from(context)).setAuthTag(encrypted.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(encrypted.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
      } catch {
        // Encrypted under another key.
      }
    }
    throw new Refused(
      'conflict',
      'The first request took effect, but its answer can no longer be shown: read the object instead.',
    );
  }
}
