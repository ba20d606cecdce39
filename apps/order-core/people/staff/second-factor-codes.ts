import { randomBytes, randomInt } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { keyedHash } from '../../crypto/encryption';

/** Codes of an app. Source of the parameters: RFC 6238. */
const STEP_SECONDS = 30;
const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: STEP_SECONDS } as const;
/** RFC 4226, section 4: as long as the hash. */
const SECRET_BYTES = 20;
/** Steps before and after the present one, for clocks that differ. */
const WINDOW_STEPS = 1;

const CODE = /^\d{6}$/;

export function newTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** Base32, and the address that the QR code holds. */
export function shownTotp(
  bytes: Buffer,
  { issuer, email }: { issuer: string; email: string },
): { secret: string; uri: string } {
  const secret = secretOf(bytes);
  return { secret: secret.base32, uri: new TOTP({ ...PARAMETERS, secret, issuer, label: email }).toString() };
}

export function isTotpCode(code: string): boolean {
  return CODE.test(code);
}

/** The time step whose code it is, within one step of now; null of a wrong code. */
export function stepOfCode(bytes: Buffer, code: string, nowMs: number): number | null {
  if (!isTotpCode(code)) return null;
  const totp = new TOTP({ ...PARAMETERS, secret: secretOf(bytes) });
  const delta = totp.validate({ token: code, timestamp: nowMs, window: WINDOW_STEPS });
  return delta === null ? null : Math.floor(nowMs / 1_000 / STEP_SECONDS) + delta;
}

function secretOf(bytes: Buffer): Secret {
  return new Secret({ buffer: new Uint8Array(bytes).buffer });
}

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
