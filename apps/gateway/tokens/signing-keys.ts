import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';

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
