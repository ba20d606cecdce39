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

/** An unsigned token; ends with the last dot. */
export function unsigned(header: Part, claims: Part | string): string {
  const texts = [JSON.stringify(header), typeof claims === 'string' ? claims : JSON.stringify(claims)];
  return `${texts.map((text) => Buffer.from(text).toString('base64url')).join('.')}.`;
}

export interface Signer {
  /** A text or bytes for HMAC, else a private key. */
  key: string | Buffer | KeyObject;
  /** Default SHA-256; null for a key that defines its own (Ed25519). */
  hash?: string | null;
  dsaEncoding?: 'der' | 'ieee-p1363';
  padding?: number;
}

/** A signed token of any header and claims (text is used unchanged). */
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

export function withSignature(token: string, signature: Buffer): string {
  return `${token.slice(0, token.lastIndexOf('.'))}.${signature.toString('base64url')}`;
}
