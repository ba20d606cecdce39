import { randomBytes } from 'node:crypto';
import { DATA_KEY_BYTES, decrypt, encrypt, newDataKey } from './encryption';

const KEY = newDataKey();
const ROW = '0197a000-0000-7000-8000-000000000001';
const PLAIN = Buffer.from('Rezept für Jörg Müller');

it.each([Buffer.alloc(0), PLAIN, randomBytes(1_000_000)])('opens what it sealed', (plain) => {
  expect(decrypt(KEY, encrypt(KEY, plain, ROW), ROW).equals(plain)).toBe(true);
});

it('makes keys of 32 random bytes', () => {
  expect(KEY).toHaveLength(DATA_KEY_BYTES);
  expect(newDataKey().equals(KEY)).toBe(false);
});

it('never seals the same bytes the same way, and shows none of them', () => {
  const sealed = Array.from({ length: 100 }, () => encrypt(KEY, PLAIN, ROW));
  expect(new Set(sealed.map((bytes) => bytes.toString('hex'))).size).toBe(100);
  expect(new Set(sealed.map((bytes) => bytes.subarray(0, 12).toString('hex'))).size).toBe(100);
  for (const bytes of sealed) expect(bytes.includes('Rezept')).toBe(false);
});

it('does not open with another key', () => {
  const sealed = encrypt(KEY, PLAIN, ROW);
  expect(() => decrypt(newDataKey(), sealed, ROW)).toThrow();
});

it('does not open what was sealed for another row', () => {
  const sealed = encrypt(KEY, PLAIN, ROW);
  for (const row of [
    '0197a000-0000-7000-8000-000000000002',
    '',
    `${ROW} `,
    ROW.toUpperCase().replace('A', 'B'),
  ]) {
    expect(() => decrypt(KEY, sealed, row)).toThrow();
  }
});

it('does not open when any single bit was changed, nonce and tag included', () => {
  const sealed = encrypt(KEY, PLAIN, ROW);
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const tampered = Buffer.from(sealed);
    tampered[bit >> 3] = (tampered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(() => decrypt(KEY, tampered, ROW)).toThrow();
  }
});

it('does not open when bytes are missing or added', () => {
  const sealed = encrypt(KEY, PLAIN, ROW);
  for (let length = 0; length < sealed.length; length++) {
    expect(() => decrypt(KEY, sealed.subarray(0, length), ROW)).toThrow();
  }
  expect(() => decrypt(KEY, Buffer.concat([sealed, Buffer.alloc(1)]), ROW)).toThrow();
});
