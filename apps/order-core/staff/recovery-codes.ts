import { randomInt } from 'node:crypto';
import { keyedHash } from '../crypto/keyed-hash';

/** Without letters and digits that look alike. Ten of these are 50 bits, which the lockout makes safe to guess at. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const HALF = 5;

export function newRecoveryCodes(count: number): string[] {
  return Array.from({ length: count }, () => `${letters()}-${letters()}`);
}

/** However the person types it: case, spaces and the hyphen do not count. */
export function recoveryCodeHash(dataKey: Buffer, staffId: string, code: string): Buffer {
  const letters = code.toLowerCase().replace(/[^a-z0-9]/g, '');
  return keyedHash(dataKey, 'recovery code', `${staffId}\n${letters}`);
}

function letters(): string {
  return Array.from({ length: HALF }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}
