import { sign } from 'jsonwebtoken';
import { isScope, type Scope } from '@offizin/contracts/scopes';
import type { SigningKeys } from './signing-keys';

export const ALGORITHM = 'ES256';

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

/** The claims when they are all there and well-formed; a JWT library accepts a token without `exp`. */
export function readClaims(payload: unknown): TokenClaims | null {
  if (typeof payload !== 'object' || payload === null) return null;
  const { sub, org_id, scope, exp, iat } = payload as Record<string, unknown>;
  if (typeof sub !== 'string' || typeof org_id !== 'string' || typeof scope !== 'string') return null;
  if (typeof exp !== 'number' || typeof iat !== 'number') return null;
  return { sub, org_id, scope, exp, iat };
}

export function scopesOf(text: string): Scope[] {
  return text.split(' ').filter(isScope);
}

/** The key id of a token whose header is one that we write: our algorithm, a key id, and no extension that we would have to obey. */
export function keyIdOfHeader(token: string): { kid: string } | null {
  const [encoded = ''] = token.split('.');
  try {
    const header: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString());
    if (typeof header !== 'object' || header === null) return null;
    const { alg, kid, typ, ...others } = header as Record<string, unknown>;
    if (alg !== ALGORITHM || typeof kid !== 'string' || (typ !== undefined && typ !== 'JWT')) return null;
    return Object.keys(others).length === 0 ? { kid } : null;
  } catch {
    return null;
  }
}
