import { createHash, randomBytes } from 'node:crypto';

const COOKIE = '__Host-offizin';
const ATTRIBUTES = 'HttpOnly; Secure; SameSite=Strict; Path=/';

/** Of a session or a link: 256 random bits, so plain SHA-256 is a sufficient hash. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Hex SHA-256, the only form in which a token is stored or sent between processes. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The browser forgets it when it closes; order-core ends the session. */
export function cookieOf(token: string): Record<string, string> {
  return { 'set-cookie': `${COOKIE}=${token}; ${ATTRIBUTES}` };
}

export function clearedCookie(): Record<string, string> {
  return {
    'set-cookie': `${COOKIE}=; ${ATTRIBUTES}; Max-Age=0`,
    'clear-site-data': '"cache", "storage"',
  };
}
