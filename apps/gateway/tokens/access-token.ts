import { sign } from 'jsonwebtoken';
import { isScope, type Scope } from '@offizin/contracts/scopes';
import type { SigningKeys } from './signing-keys';

export const ALGORITHM = 'ES256';
/** How far the clocks of two replicas may be apart. */
export const CLOCK_LEEWAY_SECONDS = 30;
/** The longest that TOKEN_LIFETIME_SECONDS can be set to: no token of ours lives longer. */
export const MAX_TOKEN_LIFETIME_SECONDS = 86_400;

/** The claims of an access token. */
export interface TokenClaims {
  /** API key id. */
  sub: string;
  org_id: string;
  scope: string;
  exp: number;
  iat: number;
}

export interface TokenSettings {
  issuer: string;
  audience: string;
  lifetimeSeconds: number;
}

export function signToken(
  keys: SigningKeys,
  settings: TokenSettings,
  token: { keyId: string; orgId: string; scopes: readonly Scope[]; tokenId: string },
): string {
  const claims = { org_id: token.orgId, scope: token.scopes.join(' ') };
  return sign(claims, keys.current.privateKey, {
    algorithm: ALGORITHM,
    keyid: keys.current.kid,
    subject: token.keyId,
    jwtid: token.tokenId,
    issuer: settings.issuer,
    audience: settings.audience,
    expiresIn: settings.lifetimeSeconds,
  });
}

/**
 * The claims when they are all there and such as we write them. A JWT library accepts a token without `exp`, one of
 * `1e400` (which is read as Infinity and never passes), an `iat` of next year, and an `aud` that names others beside us.
 */
export function readClaims(payload: unknown, nowSeconds: number): TokenClaims | null {
  if (typeof payload !== 'object' || payload === null) return null;
  const { sub, org_id, scope, aud, exp, iat } = payload as Record<string, unknown>;
  if (typeof sub !== 'string' || typeof org_id !== 'string' || typeof scope !== 'string') return null;
  if (typeof aud !== 'string' || !isSecond(exp) || !isSecond(iat)) return null;
  if (iat > nowSeconds + CLOCK_LEEWAY_SECONDS || exp - iat > MAX_TOKEN_LIFETIME_SECONDS) return null;
  return { sub, org_id, scope, exp, iat };
}

function isSecond(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

export function scopesOf(text: string): Scope[] {
  return text.split(' ').filter(isScope);
}

/**
 * The key id of a token that is written as we write them: three parts in the one base64url spelling of their bytes (a
 * decoder also takes others, so that one signature would have sixteen), our algorithm, a key id, no extension that we
 * would have to obey, and an object of claims (for others the library throws past its own error handling).
 */
export function keyIdOfHeader(token: string): { kid: string } | null {
  const parts = token.split('.');
  const [header = '', claims = ''] = parts;
  if (parts.length !== 3 || !parts.every(isCanonical) || !objectIn(claims)) return null;
  const { alg, kid, typ, ...others } = objectIn(header) ?? {};
  if (alg !== ALGORITHM || typeof kid !== 'string' || (typ !== undefined && typ !== 'JWT')) return null;
  return Object.keys(others).length === 0 ? { kid } : null;
}

function isCanonical(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

function objectIn(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}
