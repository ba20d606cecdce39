import {
  constants,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';

/**
 * What a forger may have: a token of its own organization and public data. `ours` serves only to break a single
 * rule.
 */
export interface ForgerInputs {
  /** A live token of all scopes. */
  token: string;
  /** The private key that signs tokens. */
  ours: KeyObject;
  issuer: string;
  /** Id of the key for which the token was issued. */
  keyId: string;
  orgId: string;
  foreignOrgId: string;
  foreignKeyId: string;
  integrationKeyId: string;
  revokedKeyId: string;
  /** A second valid token with other claims. */
  otherToken: string;
  apiKeyText: string;
}

type Forgery = (goods: ForgerInputs) => string;
type Forgeries = Record<string, Forgery>;

const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const strangerP384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
const strangerK1 = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey;
const strangerEd = generateKeyPairSync('ed25519').privateKey;
const strangerRsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING };

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** The real header with a change, signed with our key, so that only the header is wrong. */
function withHeader(change: Record<string, unknown>): Forgery {
  return ({ token, ours }) => {
    const { header, claims } = readToken(token);
    return forge({ ...header, ...change }, claims, ours);
  };
}

function withClaims(change: (goods: ForgerInputs) => Record<string, unknown>): Forgery {
  return (goods) => {
    const { header, claims } = readToken(goods.token);
    return forge(header, { ...claims, ...change(goods) }, goods.ours);
  };
}

/** The claims as different text, signed with our key. */
function withClaimsText(change: (text: string, goods: ForgerInputs) => string): Forgery {
  return (goods) => {
    const { header, claims } = readToken(goods.token);
    return forge(header, change(JSON.stringify(claims), goods), goods.ours);
  };
}

/** HS256 with a public value as the secret. */
function keyConfusion(secretOf: (publicKey: KeyObject) => string | Buffer, alg = 'HS256'): Forgery {
  return ({ token, ours }) => {
    const { header, claims } = readToken(token);
    const hash = alg.replace('HS', 'sha');
    return forge({ ...header, alg }, claims, { key: secretOf(createPublicKey(ours)), hash });
  };
}

/** Signed with the forger's own key, to which the header refers. */
function ownKey(header: () => Record<string, unknown>, key: KeyObject = stranger): Forgery {
  return ({ token }) => {
    const parts = readToken(token);
    return forge({ ...parts.header, ...header() }, parts.claims, key);
  };
}

function ownAlgorithm(alg: string, key: KeyObject, signer: object = {}): Forgery {
  return ({ token }) => {
    const { header, claims } = readToken(token);
    return forge({ ...header, alg }, claims, { key, ...signer });
  };
}

/** Changed claims under the real signature. */
function tampered(change: (goods: ForgerInputs) => Record<string, unknown>): Forgery {
  return (goods) => {
    const { header, claims } = readToken(goods.token);
    return `${unsigned(header, { ...claims, ...change(goods) })}${signatureOf(goods.token)}`;
  };
}

function unsignedAs(alg: string): Forgery {
  return ({ token }) => {
    const { header, claims } = readToken(token);
    return unsigned({ ...header, alg }, claims);
  };
}

const signatureOf = (token: string): string => token.split('.')[2] ?? '';
const signatureBytes = (token: string): Buffer => Buffer.from(signatureOf(token), 'base64url');
const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();
const jwk = (key: KeyObject): object => createPublicKey(key).export({ format: 'jwk' });

const algorithms: Forgeries = {
  'alg none, without signature': unsignedAs('none'),
  'alg None, without signature': unsignedAs('None'),
  'alg NONE, without signature': unsignedAs('NONE'),
  'alg nOnE under the real signature': (goods) => `${unsignedAs('nOnE')(goods)}${signatureOf(goods.token)}`,
  'an empty alg': withHeader({ alg: '' }),
  'no alg': withHeader({ alg: undefined }),
  'alg es256': withHeader({ alg: 'es256' }),
  'an alg in a list': withHeader({ alg: ['ES256'] }),
  'alg ES384 in the header': withHeader({ alg: 'ES384' }),
  'HS256 with our public PEM as secret': keyConfusion(pem),
  'HS256 with our public PEM without its line end': keyConfusion((key) => pem(key).trim()),
  'HS256 with our public DER': keyConfusion((key) => key.export({ type: 'spki', format: 'der' })),
  'HS256 with our published JWK': keyConfusion((key) => JSON.stringify(key.export({ format: 'jwk' }))),
  'HS256 with the x of our JWK': keyConfusion((key) => key.export({ format: 'jwk' }).x ?? ''),
  'HS256 with an empty secret': keyConfusion(() => ''),
  'HS384 with our public PEM': keyConfusion(pem, 'HS384'),
  'HS512 with our public PEM': keyConfusion(pem, 'HS512'),
  'ES384 with a key of its own': ownAlgorithm('ES384', strangerP384, { hash: 'sha384' }),
  'ES256K with a key of its own': ownAlgorithm('ES256K', strangerK1),
  'RS256 with a key of its own': ownAlgorithm('RS256', strangerRsa),
  'PS256 with a key of its own': ownAlgorithm('PS256', strangerRsa, PSS),
  'EdDSA with a key of its own': ownAlgorithm('EdDSA', strangerEd, { hash: null }),
};

const headers: Forgeries = {
  'our kid, another key': ownKey(() => ({})),
  'another kid': withHeader({ kid: 'other' }),
  'no kid': withHeader({ kid: undefined }),
  'an empty kid': withHeader({ kid: '' }),
  'a kid that is a path': withHeader({ kid: '../../dev/null' }),
  'a kid that is SQL': withHeader({ kid: "' UNION SELECT 'key'; --" }),
  'a kid that is a property of every object': withHeader({ kid: '__proto__' }),
  'a kid that is an address': withHeader({ kid: 'https://example.org/key.pem' }),
  'a kid with a NUL behind it': ({ token, ours }) => {
    const { header, claims } = readToken(token);
    return forge({ ...header, kid: `${String(header['kid'])}\0` }, claims, ours);
  },
  'a kid in a list': ({ token, ours }) => {
    const { header, claims } = readToken(token);
    return forge({ ...header, kid: [header['kid']] }, claims, ours);
  },
  'its own key as jwk': ownKey(() => ({ jwk: jwk(stranger) })),
  'its own key as jwk, and its own kid': ownKey(() => ({ jwk: jwk(stranger), kid: 'mine' })),
  'a jku': withHeader({ jku: 'https://example.org/keys' }),
  'an x5u': withHeader({ x5u: 'https://example.org/certificate' }),
  'an x5c': ownKey(() => ({ x5c: [stranger.export({ type: 'pkcs8', format: 'der' }).toString('base64')] })),
  'an unknown crit': withHeader({ crit: ['b64'], b64: true }),
  'a payload that is not encoded (b64 false)': withHeader({ b64: false }),
  'an empty crit': withHeader({ crit: [] }),
  'typ JWE': withHeader({ typ: 'JWE' }),
  'typ at+jwt, of another profile': withHeader({ typ: 'at+jwt' }),
  'a token in a token': ({ token, ours }) => {
    const { header } = readToken(token);
    return forge({ ...header, cty: 'JWT' }, token, ours);
  },
};

const claims: Forgeries = {
  'no exp': withClaims(() => ({ exp: undefined })),
  'an exp of null': withClaims(() => ({ exp: null })),
  'an exp in a string': withClaims(() => ({ exp: String(nowSeconds() + 999) })),
  'an exp beyond all numbers': withClaimsText((text) => text.replace(/"exp":\d+/, '"exp":1e400')),
  'an exp in milliseconds': withClaims(() => ({ exp: Date.now() + 60_000 })),
  'an exp of two days': withClaims(() => ({ exp: nowSeconds() + 172_800 })),
  'an exp of a minute ago': withClaims(() => ({ exp: nowSeconds() - 60 })),
  'an exp before 1970': withClaims(() => ({ exp: -1 })),
  'an nbf in an hour': withClaims(() => ({ nbf: nowSeconds() + 3600 })),
  'no iat': withClaims(() => ({ iat: undefined })),
  'an iat in an hour': withClaims(() => ({ iat: nowSeconds() + 3600, exp: nowSeconds() + 7200 })),
  'another issuer': withClaims(() => ({ iss: 'https://example.org' })),
  'an issuer that begins as ours': withClaims(({ issuer }) => ({ iss: `${issuer}.example.org` })),
  'issuers in a list': withClaims(({ issuer }) => ({ iss: [issuer] })),
  'no issuer': withClaims(() => ({ iss: undefined })),
  'another audience': withClaims(() => ({ aud: 'other' })),
  'our audience in a list': ({ token, ours }) => {
    const parts = readToken(token);
    return forge(parts.header, { ...parts.claims, aud: ['other', parts.claims['aud']] }, ours);
  },
  'no audience': withClaims(() => ({ aud: undefined })),
  'no scope': withClaims(() => ({ scope: undefined })),
  'scopes in a list': withClaims(() => ({ scope: ['orders.read'] })),
  'another organization': withClaims(({ foreignOrgId }) => ({ org_id: foreignOrgId })),
  'a key of another organization': withClaims(({ foreignKeyId }) => ({ sub: foreignKeyId })),
  'a subject that is not a key': withClaims(({ orgId }) => ({ sub: orgId })),
  'an integration key as subject': withClaims(({ integrationKeyId }) => ({ sub: integrationKeyId })),
  'a revoked key as subject': withClaims(({ revokedKeyId }) => ({ sub: revokedKeyId })),
  'no subject': withClaims(() => ({ sub: undefined })),
  'a subject in a list': withClaims(({ keyId }) => ({ sub: [keyId] })),
  'claims that are a list': withClaimsText((text) => `[${text}]`),
  'claims that are not JSON': withClaimsText((text) => text.slice(1)),
  'claims of null': withClaimsText(() => 'null'),
  'a wider scope under the real signature': tampered(() => ({ scope: 'settings.write orders.write' })),
  'another organization under the real signature': tampered(({ foreignOrgId, foreignKeyId }) => ({
    org_id: foreignOrgId,
    sub: foreignKeyId,
  })),
  'a later exp under the real signature': tampered(() => ({ exp: nowSeconds() + 86_000 })),
};

/** The last character of 64 bytes in base64url carries two bits; a lenient decoder drops the four others. */
function withLooseBits({ token }: ForgerInputs): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return `${token.slice(0, -1)}${alphabet[alphabet.indexOf(token.slice(-1)) + 1]}`;
}

const signatures: Forgeries = {
  'our header, without signature': ({ token }) => `${token.slice(0, token.lastIndexOf('.'))}.`,
  'the signature of another token': ({ token, otherToken }) =>
    withSignature(token, signatureBytes(otherToken)),
  'a signature of zeros (CVE-2022-21449)': ({ token }) => withSignature(token, Buffer.alloc(64)),
  'a signature of the order of the curve': ({ token }) => {
    const order = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');
    return withSignature(token, Buffer.concat([order, order]));
  },
  'a signature in DER': ({ token, ours }) => {
    const parts = readToken(token);
    return forge(parts.header, parts.claims, { key: ours, dsaEncoding: 'der' });
  },
  'a flipped bit in the signature': ({ token }) => {
    const bytes = signatureBytes(token);
    return withSignature(token, Buffer.concat([Buffer.from([(bytes[0] ?? 0) ^ 1]), bytes.subarray(1)]));
  },
  'loose bits behind the signature': withLooseBits,
  'a byte behind the signature': ({ token }) =>
    withSignature(token, Buffer.concat([signatureBytes(token), Buffer.alloc(1)])),
  'a cut signature': ({ token }) => token.slice(0, -4),
  'padding behind the signature': ({ token }) => `${token}==`,
  'padding behind each part': ({ token }) =>
    token
      .split('.')
      .map((part) => `${part}=`)
      .join('.'),
  'a character of the other base64 alphabet behind it': ({ token }) => `${token}+`,
  'four parts': ({ token }) => `${token}.x`,
  'five parts, as an encrypted one': ({ token }) => `${token}.x.x`,
  'a dot before': ({ token }) => `.${token}`,
  'a dot behind': ({ token }) => `${token}.`,
  'no dots': ({ token }) => token.replaceAll('.', ''),
  'the parts in another order': ({ token }) => token.split('.').reverse().join('.'),
  'JSON in place of the compact form': ({ token }) => {
    const [protectedHeader, payload, signature] = token.split('.');
    return JSON.stringify({ protected: protectedHeader, payload, signature });
  },
  'nothing in it': () => '',
  'dots only': () => '..',
  'the API key itself': ({ apiKeyText }) => apiKeyText,
  '6,000 characters': () => `${'a'.repeat(2_000)}.${'b'.repeat(2_000)}.${'c'.repeat(2_000)}`,
};

/** All tokens that must be refused, by their defect. */
export const forgedTokens: Forgeries = { ...algorithms, ...headers, ...claims, ...signatures };

type Part = Record<string, unknown>;

export function readToken(token: string): { header: Part; claims: Part } {
  const [header = {}, claims = {}] = token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Part);
  return { header, claims };
}

/** An unsigned token; ends with the last dot. */
function unsigned(header: Part, claims: Part | string): string {
  const texts = [JSON.stringify(header), typeof claims === 'string' ? claims : JSON.stringify(claims)];
  return `${texts.map((text) => Buffer.from(text).toString('base64url')).join('.')}.`;
}

interface Signer {
  /** A text or bytes for HMAC, else a private key. */
  key: string | Buffer | KeyObject;
  /** Default SHA-256; null for a key that defines its own (Ed25519). */
  hash?: string | null;
  dsaEncoding?: 'der' | 'ieee-p1363';
  padding?: number;
}

/** A signed token of any header and claims (text is used unchanged). */
export function forge(header: Part, claims: Part | string, signer: KeyObject | Signer): string {
  const { key, hash = 'sha256', ...options } = 'key' in signer ? signer : { key: signer };
  const start = unsigned(header, claims);
  const bytes = Buffer.from(start.slice(0, -1));
  const signature =
    typeof key === 'string' || Buffer.isBuffer(key)
      ? createHmac(hash ?? 'sha256', key)
          .update(bytes)
          .digest()
      : sign(hash, bytes, { dsaEncoding: 'ieee-p1363', ...options, key });
  return `${start}${signature.toString('base64url')}`;
}

function withSignature(token: string, signature: Buffer): string {
  return `${token.slice(0, token.lastIndexOf('.'))}.${signature.toString('base64url')}`;
}
