import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { sign } from 'jsonwebtoken';
import { isScope, type Scope } from '@offizin/contracts/people/scopes';

export const ALGORITHM = 'ES256';
/** Largest accepted difference between the clocks of two replicas. */
export const CLOCK_LEEWAY_SECONDS = 30;
/** Upper bound of TOKEN_LIFETIME_SECONDS. */
export const MAX_TOKEN_LIFETIME_SECONDS = 86_400;

interface TokenClaims {
  /** API key id. */
  sub: string;
  org_id: string;
  scope: string;
  exp: number;
  iat: number;
}

interface TokenSettings {
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
 * Returns the claims if all are present and in the form that we write. A JWT library would also accept a missing
 * `exp`, an `exp` of `1e400` (Infinity, which never passes), an `iat` in the future, and an `aud` with further
 * audiences.
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
 * Returns the key id of a token in the exact form that we write: three parts in canonical base64url, our algorithm, a
 * key id, no other header field, and an object of claims. A decoder also accepts non-canonical base64url, so one
 * signature would have sixteen forms. For claims of another type the library throws past its own error handling.
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

/** P-256 only, each key with its `kid`. */
export class SigningKeys {
  constructor(
    /** Signs new tokens. */
    readonly current: { kid: string; privateKey: KeyObject },
    /** Public keys as PEM by `kid`; a retired signing key stays until its last token has expired. */
    readonly publicPemByKid: ReadonlyMap<string, string>,
    /** The public JWK set, for /.well-known/jwks.json. */
    readonly jwks: { keys: JsonWebKey[] },
  ) {}
}

/** Reads TOKEN_SIGNING_KEYS; throws with the reason when it is invalid. */
export function readSigningKeys(text: string): SigningKeys {
  const keys = parse(text).map((jwk) => {
    const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
    const curve = privateKey.asymmetricKeyDetails?.namedCurve;
    if (curve !== 'prime256v1') throw new Error('TOKEN_SIGNING_KEYS: every key must be on the curve P-256');
    const publicKey = createPublicKey(privateKey);
    const { kid } = jwk;
    if (typeof kid !== 'string' || kid === '') throw new Error('TOKEN_SIGNING_KEYS: every key needs a kid');
    return { kid, privateKey, publicKey };
  });
  const [current] = keys;
  if (!current) throw new Error('TOKEN_SIGNING_KEYS holds no key');
  const pems = keys.map(
    ({ kid, publicKey }) => [kid, publicKey.export({ type: 'spki', format: 'pem' }).toString()] as const,
  );
  const published = keys.map(({ kid, publicKey }) => ({
    ...publicKey.export({ format: 'jwk' }),
    kid,
    alg: 'ES256',
    use: 'sig',
  }));
  return new SigningKeys(current, new Map(pems), { keys: published });
}

function parse(text: string): JsonWebKey[] {
  try {
    return (JSON.parse(text) as { keys: JsonWebKey[] }).keys;
  } catch {
    throw new Error('TOKEN_SIGNING_KEYS must be a JWK set: {"keys": [...]}');
  }
}
