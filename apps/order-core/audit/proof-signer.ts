import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject, sign } from 'node:crypto';
import { MAX_PROOF_KEYS, type ProofKey } from '@offizin/contracts/requests/request-proof';
import { canonicalJson } from '@offizin/runtime/canonical-json';

/**
 * Signs proofs, and has the public keys that check them: also those of earlier proofs, which are checked for years.
 */
export class ProofSigner {
  private constructor(
    private readonly current: { kid: string; privateKey: KeyObject },
    readonly publicKeys: readonly ProofKey[],
  ) {}

  /** Reads PROOF_SIGNING_KEYS; throws with the reason when it is invalid, without quoting a key. */
  static of(text: string): ProofSigner {
    const keys = keysIn(text).map(readKey);
    const [first] = keys;
    if (!first?.privateKey) throw refused('the first key needs its private part `d`');
    if (new Set(keys.map(({ kid }) => kid)).size < keys.length) throw refused('two keys have the same kid');
    if (keys.length > MAX_PROOF_KEYS) throw refused(`at most ${MAX_PROOF_KEYS} keys`);
    const { kid, privateKey } = first;
    return new ProofSigner({ kid, privateKey }, keys.map(publicPart));
  }

  /** JWS (RFC 7515, appendix F) over the canonical form (RFC 8785) of `content`, which must be plain JSON. */
  signatureOf(content: object): string {
    const { kid, privateKey } = this.current;
    const header = base64url(JSON.stringify({ alg: 'EdDSA', kid }));
    const signed = Buffer.from(`${header}.${base64url(canonicalJson(content))}`);
    return `${header}..${sign(null, signed, privateKey).toString('base64url')}`;
  }
}

interface ReadKey {
  kid: string;
  privateKey: KeyObject | null;
  publicKey: KeyObject;
}

function keysIn(text: string): JsonWebKey[] {
  try {
    const { keys } = JSON.parse(text) as { keys: JsonWebKey[] };
    if (Array.isArray(keys)) return keys;
  } catch {
    // As for JSON of another form.
  }
  throw refused('must be a JWK set: {"keys": [...]}');
}

function readKey(jwk: JsonWebKey): ReadKey {
  const { kty, crv, kid, d } = jwk;
  if (kty !== 'OKP' || crv !== 'Ed25519') throw refused('every key must be on the curve Ed25519');
  if (typeof kid !== 'string' || kid === '') throw refused('every key needs a kid');
  try {
    const privateKey = typeof d === 'string' ? createPrivateKey({ key: jwk, format: 'jwk' }) : null;
    const publicKey = createPublicKey(privateKey ?? { key: jwk, format: 'jwk' });
    return { kid, privateKey, publicKey };
  } catch {
    throw refused(`the key ${kid} cannot be read`);
  }
}

function publicPart({ kid, publicKey }: ReadKey): ProofKey {
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' };
}

function refused(reason: string): Error {
  return new Error(`PROOF_SIGNING_KEYS: ${reason}`);
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
