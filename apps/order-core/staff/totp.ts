import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

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
