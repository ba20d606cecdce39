import { Secret, TOTP } from 'otpauth';

const STEP_MS = 30_000;

/**
 * What the app of a person shows for a secret in base32; `later` steps from now. A code counts once, and within a step of
 * now: a story sets up with 0 and signs in with 1, which both stay valid for 30 s at least.
 */
export function codeOfApp(secret: string, later = 0): string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  return totp.generate({ timestamp: Date.now() + later * STEP_MS });
}
