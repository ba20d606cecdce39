import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Webhook secrets at rest: AES-256-GCM under a key derived from the master key for this purpose only (RFC 5869), bound
 * to the subscription's id, so that an encrypted secret copied to another row cannot be decrypted.
 *
 * Layout: one byte of format, 12 bytes of nonce (NIST SP 800-38D, section 8.2.2), 16 of tag, the ciphertext.
 */
const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

export class SecretEncryption {
  /** The first encrypts, all decrypt; two while the master key is changed. */
  private readonly keys: readonly Buffer[];

  constructor(masterKeys: readonly Buffer[]) {
    this.keys = masterKeys.map((masterKey) =>
      Buffer.from(hkdfSync('sha256', masterKey, '', 'offizin webhook secrets', 32)),
    );
  }

  encrypt(subscriptionId: string, secret: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.keys[0] ?? '', nonce).setAAD(
      Buffer.from(subscriptionId),
    );
    const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), encrypted]);
  }

  /** Throws for another master key or changed bytes. */
  decrypt(subscriptionId: string, encrypted: Buffer): string {
    if (encrypted[0] !== FORMAT) throw new Error('a webhook secret is encrypted in an unknown format');
    for (const key of this.keys) {
      const decrypted = decryptedBy(key, subscriptionId, encrypted);
      if (decrypted !== null) return decrypted;
    }
    throw new Error('a webhook secret was encrypted under another master key');
  }

  /** Encrypts the secret under the first key; null if it already is. */
  reencrypted(subscriptionId: string, encrypted: Buffer): Buffer | null {
    const [first] = this.keys;
    if (first && decryptedBy(first, subscriptionId, encrypted) !== null) return null;
    return this.encrypt(subscriptionId, this.decrypt(subscriptionId, encrypted));
  }

  /** Whether some secrets may have to be encrypted again. */
  get isChanging(): boolean {
    return this.keys.length > 1;
  }
}

/** null for another key or changed bytes. */
function decryptedBy(key: Buffer, subscriptionId: string, encrypted: Buffer): string | null {
  const nonce = encrypted.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(subscriptionId))
    .setAuthTag(encrypted.subarray(1 + NONCE_BYTES, HEADER_BYTES));
  try {
    return decipher.update(encrypted.subarray(HEADER_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return null;
  }
}
