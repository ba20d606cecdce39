import { createCipheriv, createDecipheriv, createHmac, type DecipherGCM, randomBytes } from 'node:crypto';
import { emailKey } from '@offizin/pg/emails';

/**
 * AES-256-GCM, as `nonce (12) | tag (16) | ciphertext`. The row's id is additional data, so a ciphertext copied to
 * another row cannot be decrypted. Source of the sizes: NIST SP 800-38D.
 */
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = NONCE_BYTES + TAG_BYTES;
export const DATA_KEY_BYTES = 32;

/** Steps that fit the processor's cache: a large plain text is read once and written once. */
const STEP_BYTES = 64 * 1024;

export function encryptedLength(plainLength: number): number {
  return HEAD_BYTES + plainLength;
}

/** `encrypted` takes the result. */
export function encrypt(
  key: Buffer,
  plain: Buffer,
  rowId: string,
  encrypted: Buffer = Buffer.allocUnsafe(encryptedLength(plain.length)),
): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  cipher.setAAD(Buffer.from(rowId));
  for (let at = 0; at < plain.length; at += STEP_BYTES)
    cipher.update(plain.subarray(at, at + STEP_BYTES)).copy(encrypted, HEAD_BYTES + at);
  // Computes the tag: GCM has no remaining bytes.
  cipher.final();
  nonce.copy(encrypted);
  cipher.getAuthTag().copy(encrypted, NONCE_BYTES);
  return encrypted;
}

/** Throws when the key, row or bytes differ from those of the encryption. */
export function decrypt(key: Buffer, encrypted: Buffer, rowId: string): Buffer {
  const decryption = new Decryption(key, rowId);
  decryption.add(encrypted, encrypted.length);
  return decryption.end();
}

/** Like `decrypt`, for a ciphertext that arrives in pieces. */
export class Decryption {
  private head = Buffer.alloc(0);
  private decipher: DecipherGCM | null = null;
  private plain = Buffer.alloc(0);
  private plainBytes = 0;

  constructor(
    private readonly key: Buffer,
    private readonly rowId: string,
  ) {}

  /** `totalBytes` is the size of all pieces together. */
  add(piece: Buffer, totalBytes: number): void {
    if (this.decipher) {
      this.plainBytes += this.decipher.update(piece).copy(this.plain, this.plainBytes);
      return;
    }
    this.head = Buffer.concat([this.head, piece]);
    if (this.head.length < HEAD_BYTES) return;
    const nonce = this.head.subarray(0, NONCE_BYTES);
    this.decipher = createDecipheriv(ALGORITHM, this.key, nonce, { authTagLength: TAG_BYTES });
    this.decipher.setAAD(Buffer.from(this.rowId));
    this.decipher.setAuthTag(this.head.subarray(NONCE_BYTES, HEAD_BYTES));
    this.plain = Buffer.allocUnsafe(totalBytes - HEAD_BYTES);
    this.add(this.head.subarray(HEAD_BYTES), totalBytes);
  }

  /** Returns the plain bytes after the last piece. Throws as `decrypt` does. */
  end(): Buffer {
    if (!this.decipher) throw new Error('the ciphertext is too short');
    // Only checks the tag: GCM has no remaining bytes.
    this.decipher.final();
    return this.plain;
  }
}

export function newDataKey(): Buffer {
  return randomBytes(DATA_KEY_BYTES);
}

/**
 * HMAC-SHA256 with an organization's data key. It finds equal texts without storing them; the table alone does not
 * allow guessing names or addresses. `purpose` separates hashes of different columns.
 */
export function keyedHash(dataKey: Buffer, purpose: string, text: string): Buffer {
  return createHmac('sha256', dataKey).update(`${purpose}\n`).update(text).digest();
}

/** Hash of a customer's e-mail; the same for order requests, prescriptions and erasures, in whatever form it was sent. */
export function emailHash(dataKey: Buffer, email: string): Buffer {
  return keyedHash(dataKey, 'customer e-mail', emailKey(email));
}
