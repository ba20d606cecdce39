import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { canonicalJson } from '@offizin/runtime/canonical-json';
import { ProofSigner } from './proof-signer';

const newKey = (kid: string) => {
  const { privateKey } = generateKeyPairSync('ed25519');
  return { ...privateKey.export({ format: 'jwk' }), kid };
};
const signerOf = (...keys: object[]) => ProofSigner.of(JSON.stringify({ keys }));
const withoutPrivatePart = ({ d: _, ...rest }: ReturnType<typeof newKey>) => rest;

describe('the keys of proofs', () => {
  it('sign with the first, and publish all without their private parts', () => {
    const [first, old] = [newKey('first'), newKey('old')];
    const signer = signerOf(first, withoutPrivatePart(old));
    const shown = { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' };
    expect(signer.publicKeys).toEqual([
      { ...shown, kid: 'first', x: first.x },
      { ...shown, kid: 'old', x: old.x },
    ]);
    const content = { b: [1, null, 'Ä'], a: { d: true, c: 2.5 } };
    const [header = '', payload, signature = ''] = signer.signatureOf(content).split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'EdDSA', kid: 'first' });
    expect(payload).toBe('');
    const signed = `${header}.${Buffer.from(canonicalJson(content)).toString('base64url')}`;
    const key = createPublicKey({ key: { ...signer.publicKeys[0] }, format: 'jwk' });
    expect(verify(null, Buffer.from(signed), key, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(verify(null, Buffer.from(`${signed}A`), key, Buffer.from(signature, 'base64url'))).toBe(false);
  });

  const good = newKey('good');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  it.each([
    ['no JSON', '{', 'must be a JWK set'],
    ['no list', '{"keys": 7}', 'must be a JWK set'],
    ['no key', '{"keys": []}', 'the first key needs its private part'],
    ['a public key first', [withoutPrivatePart(good)], 'the first key needs its private part'],
    ['another curve', [{ ...privateKey.export({ format: 'jwk' }), kid: 'ec' }], 'curve Ed25519'],
    ['no kid', [{ ...good, kid: undefined }], 'needs a kid'],
    ['an empty kid', [{ ...good, kid: '' }], 'needs a kid'],
    ['one kid twice', [good, newKey('good')], 'the same kid'],
    ['a broken key', [{ ...good, d: 'AAAA' }], 'the key good cannot be read'],
  ])('are refused with %s, and the reason quotes no key', (_what, keys, reason) => {
    const text = typeof keys === 'string' ? keys : JSON.stringify({ keys });
    const read = () => ProofSigner.of(text);
    expect(read).toThrow(`PROOF_SIGNING_KEYS: `);
    expect(read).toThrow(reason);
    expect(read).not.toThrow(good.d);
  });
});
