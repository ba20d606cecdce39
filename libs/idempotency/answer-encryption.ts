import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Refused } from '@offizin/contracts/errors';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM under a key derived from the installation's secret; `context` binds an answer to its row. */
export class AnswerEncryption {
  /** The first seals, all open. */
  private readonly keys: readonly Buffer[];

  constructor(secret: string) {
    this.keys = secret
      .split(',')
      .map((one) => Buffer.from(hkdfSync('sha256', one, '', 'offizin idempotent answers', 32)));
  }

  seal(plain: Buffer, context: string): Buffer {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.keys[0] ?? '', iv).setAAD(Buffer.from(context));
    const content = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), content]);
  }

  /** Throws `Refused` (conflict) when the installation's secret was changed since. */
  open(sealed: Buffer, context: string): Buffer {
    for (const key of this.keys) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES));
      decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
      } catch {
        // Sealed under another key.
      }
    }
    throw new Refused(
      'conflict',
      'The first request took effect, but its answer can no longer be shown: read the object instead.',
    );
  }
}
