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
export function unsigned(header: Part, claims: Part): string {
  const encoded = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  return `${encoded.join('.')}.`;
}

/** A token of any header and claims: HMAC-SHA256 with a text as key, else the key's own signature over SHA-256. */
export function forge(header: Part, claims: Part, key: string | KeyObject): string {
  const start = unsigned(header, claims);
  const bytes = Buffer.from(start.slice(0, -1));
  const signature =
    typeof key === 'string'
      ? createHmac('sha256', key).update(bytes).digest()
      : sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' });
  return `${start}${signature.toString('base64url')}`;
}
