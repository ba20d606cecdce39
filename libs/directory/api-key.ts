import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * API keys look like `ofz_<kind>_<random>_<checksum>`. The checksum (CRC-32, base62, 6 digits) lets a typo be refused
 * without a look-up and lets secret scanners recognise a key. A key is random, so SHA-256 is enough to store it.
 */
export type ApiKeyKind = 'org' | 'int';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 24 digits of base62 are 142 bits. */
const RANDOM_LENGTH = 24;
const CHECKSUM_LENGTH = 6;
const FORM = /^ofz_(org|int)_([0-9A-Za-z]{22,64})_([0-9A-Za-z]{6})$/;

export function newApiKey(kind: ApiKeyKind): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  const body = `ofz_${kind}_${random}`;
  return `${body}_${checksum(body)}`;
}

/** The kind of a well-formed key, or null for anything that cannot be a key. */
export function apiKeyKind(text: string): ApiKeyKind | null {
  const parts = FORM.exec(text);
  if (!parts) return null;
  const [, kind, , check] = parts;
  if (checksum(text.slice(0, -(CHECKSUM_LENGTH + 1))) !== check) return null;
  return kind === 'org' ? 'org' : 'int';
}

/** Hex SHA-256, the only form in which a key is stored or sent around. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function checksum(body: string): string {
  let value = crc32(body);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = `${ALPHABET[value % ALPHABET.length] ?? ''}${digits}`;
    value = Math.floor(value / ALPHABET.length);
  }
  return digits;
}
