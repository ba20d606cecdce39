import { randomBytes } from 'node:crypto';
import { DATA_KEY_BYTES, decrypt, encrypt, newDataKey } from './encryption';

const KEY = newDataKey();
const ROW = '0197a000-0000-7000-8000-000000000001';
const PLAIN = Buffer.from('Rezept für Jörg Müller');

it.each([Buffer.alloc(0), PLAIN, randomBytes(1_000_000)])('decrypts what it encrypted', (plain) => {
  expect(decrypt(KEY, encrypt(KEY, plain, ROW), ROW).equals(plain)).toBe(true);
});

it('creates keys of 32 random bytes', () => {
  expect(KEY).toHaveLength(DATA_KEY_BYTES);
  expect(newDataKey().equals(KEY)).toBe(false);
});

it('encrypts equal bytes differently each time, and shows none of them', () => {
  const encrypted = Array.from({ length: 100 }, () => encrypt(KEY, PLAIN, ROW));
  expect(new Set(encrypted.map((bytes) => bytes.toString('hex'))).size).toBe(100);
  expect(new Set(encrypted.map((bytes) => bytes.subarray(0, 12).toString('hex'))).size).toBe(100);
  for (const bytes of encrypted) expect(bytes.includes('Rezept')).toBe(false);
});

it('does not decrypt with another key', () => {
  const encrypted = encrypt(KEY, PLAIN, ROW);
  expect(() => decrypt(newDataKey(), encrypted, ROW)).toThrow();
});

it('does not decrypt a ciphertext of another row', () => {
  const encrypted = encrypt(KEY, PLAIN, ROW);
  for (const row of [
    '0197a000-0000-7000-8000-000000000002',
    '',
    `${ROW} `,
    ROW.toUpperCase().replace('A', 'B'),
  ]) {
    expect(() => decrypt(KEY, encrypted, row)).toThrow();
  }
});

it('does not decrypt when any single bit was changed, nonce and tag included', () => {
  const encrypted = encrypt(KEY, PLAIN, ROW);
  for (let bit = 0; bit < encrypted.length * 8; bit++) {
    const tampered = Buffer.from(encrypted);
    tampered[bit >> 3] = (tampered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(() => decrypt(KEY, tampered, ROW)).toThrow();
  }
});

it('does not decrypt when bytes are missing or added', () => {
  const encrypted = encrypt(KEY, PLAIN, ROW);
  for (let length = 0; length < encrypted.length; length++) {
    expect(() => decrypt(KEY, encrypted.subarray(0, length), ROW)).toThrow();
  }
  expect(() => decrypt(KEY, Buffer.concat([encrypted, Buffer.alloc(1)]), ROW)).toThrow();
});
