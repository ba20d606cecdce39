import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * `ofz_<kind>_<random>_<checksum>`: the checksum (CRC-32) refuses typos without a lookup, and secret scanners recognise
 * keys. Keys are random, so plain SHA-256 is a sufficient hash.
 */
export type ApiKeyKind = 'org' | 'int';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 142 bits in base62. */
const RANDOM_LENGTH = 24;
const CHECKSUM_LENGTH = 6;
const FORM = /^ofz_(org|int)_([0-9A-Za-z]{22,64})_([0-9A-Za-z]{6})$/;

export function newApiKey(kind: ApiKeyKind): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  const body = `ofz_${kind}_${random}`;
  return `${body}_${checksum(body)}`;
}

export function apiKeyKind(text: string): ApiKeyKind | null {
  const parts = FORM.exec(text);
  if (!parts) return null;
  const [, kind, , check] = parts;
  if (checksum(text.slice(0, -(CHECKSUM_LENGTH + 1))) !== check) return null;
  return kind === 'org' ? 'org' : 'int';
}

/** Hex SHA-256, the only form in which a key is stored or sent between processes. */
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
