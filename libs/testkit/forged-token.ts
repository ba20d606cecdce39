import { createHmac, type KeyObject, sign } from 'node:crypto';

type Part = Record<string, unknown>;

/** Header and claims of a token. */
export function readToken(token: string): { header: Part; claims: Part } {
  const [header = {}, claims = {}] = token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Part);
  return { header, claims };
}

/** A token of these parts without a signature: it ends with the last dot. */
export function unsigned(header: Part, claims: Part | string): string {
  const texts = [JSON.stringify(header), typeof claims === 'string' ? claims : JSON.stringify(claims)];
  return `${texts.map((text) => Buffer.from(text).toString('base64url')).join('.')}.`;
}

export interface Signer {
  /** HMAC with a text or bytes as secret, else the key's own signature. */
  key: string | Buffer | KeyObject;
  /** SHA-256 unless given; null for a key that brings its own (Ed25519). */
  hash?: string | null;
  dsaEncoding?: 'der' | 'ieee-p1363';
  padding?: number;
}

/** A token of any header and claims (text: as it is), signed; an HMAC where the key is a secret. */
export function forge(header: Part, claims: Part | string, signer: KeyObject | Signer): string {
  const { key, hash = 'sha256', ...options } = 'key' in signer ? signer : { key: signer };
  const start = unsigned(header, claims);
  const bytes = Buffer.from(start.slice(0, -1));
  const signature =
    typeof key === 'string' || Buffer.isBuffer(key)
      ? createHmac(hash ?? 'sha256', key)
          .update(bytes)
          .digest()
      : sign(hash, bytes, { dsaEncoding: 'ieee-p1363', ...options, key });
  return `${start}${signature.toString('base64url')}`;
}

/** The token with a signature of these bytes. */
export function withSignature(token: string, signature: Buffer): string {
  return `${token.slice(0, token.lastIndexOf('.'))}.${signature.toString('base64url')}`;
}
