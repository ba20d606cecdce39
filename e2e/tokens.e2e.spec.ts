import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { verify as verifyJwt } from 'jsonwebtoken';
import { ALL_SCOPES } from '@offizin/contracts/scopes';
import type { TokenResponse } from '@offizin/contracts/tokens';
import { codeOf } from '@offizin/testkit/error-code';
import { readToken } from '@offizin/testkit/forged-token';
import { http, type HttpAnswer, type HttpOptions, json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { TestPlatform } from '@offizin/testkit/platform';

/** API keys become tokens, which open what the key may until it is revoked. Forged ones: forged-tokens.e2e.spec.ts. */
let platform: TestPlatform;
let organization: TestOrganization;
let foreign: TestOrganization;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
  foreign = await platform.organization();
});
afterAll(() => platform.close());

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** The ways to hand in a key. */
const forms: [string, (key: string, id: string, scope?: string) => HttpOptions][] = [
  ['JSON', (api_key, _, scope) => ({ body: { api_key, scope } })],
  ['the header X-API-Key', (key) => ({ headers: { 'X-API-Key': key } })],
  ['the header apikey', (key) => ({ headers: { apikey: key } })],
  [
    'an OAuth form with the secret in the body',
    (key, id, scope) => {
      const form = new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: id,
        client_secret: key,
      });
      if (scope !== undefined) form.set('scope', scope);
      return { headers: FORM, body: form.toString() };
    },
  ],
  [
    'an OAuth form with HTTP Basic',
    (key, id, scope) => {
      const form = new URLSearchParams({ grant_type: 'client_credentials' });
      if (scope !== undefined) form.set('scope', scope);
      const basic = Buffer.from(`${id}:${key}`).toString('base64');
      return { headers: { ...FORM, authorization: `Basic ${basic}` }, body: form.toString() };
    },
  ],
];

async function exchange(options: HttpOptions, orgId?: string): Promise<HttpAnswer> {
  const path = orgId === undefined ? '/auth/token' : `/api/v2/public/orgs/${orgId}/auth/token`;
  return http(`${organization.urls.baseUrl}${path}`, { method: 'POST', ...options });
}

describe.each(forms)('an exchange by %s', (name, form) => {
  it('gives a token of the key at both paths, and is never cached', async () => {
    const { id, text } = organization.apiKey;
    for (const orgId of [undefined, organization.orgId]) {
      const answer = await exchange(form(text, id), orgId);
      expect(answer.status).toBe(200);
      expect(answer.headers['cache-control']).toBe('no-store');
      const token = json<TokenResponse>(answer);
      expect(token).toEqual({
        access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: expect.any(String),
        org_id: organization.orgId,
      });
      expect(token.scope.split(' ').sort()).toEqual([...ALL_SCOPES].sort());
      const opened = await organization.api('GET', '/orders', undefined, {
        authorization: `Bearer ${token.access_token}`,
      });
      expect(opened.status).toBe(200);
    }
  });

  it("refuses a key of another organization at an organization's path", async () => {
    const answer = await exchange(form(foreign.apiKey.text, foreign.apiKey.id), organization.orgId);
    expect(codeOf(answer)).toBe('403 forbidden');
  });

  it('refuses an integration key, a made-up key and none', async () => {
    const { id, text } = organization.apiKey;
    const mistyped = text.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    for (const key of [organization.integrationKey.text, mistyped, 'x', '']) {
      const isOAuth = name.startsWith('an OAuth form');
      expect(codeOf(await exchange(form(key, id)))).toBe(isOAuth ? '401 invalid_client' : '401 unauthorized');
    }
  });

  it('narrows the scopes when it is asked to', async () => {
    if (name.startsWith('the header')) return;
    const { id, text } = organization.apiKey;
    const answer = await exchange(form(text, id, 'products.read orders.read'));
    const { scope, access_token } = json<TokenResponse>(answer);
    expect(scope.split(' ').sort()).toEqual(['orders.read', 'products.read']);
    const authorization = `Bearer ${access_token}`;
    expect((await organization.api('GET', '/orders', undefined, { authorization })).status).toBe(200);
    expect((await organization.api('GET', '/webhooks', undefined, { authorization })).status).toBe(403);
  });
});

it('an exchange never gives a scope that the key lacks', async () => {
  const { id, text } = await platform.apiKey(organization.orgId, { kind: 'org', scopes: ['orders.read'] });
  const answer = await exchange({ body: { api_key: text, scope: 'orders.read settings.write' } });
  expect(codeOf(answer)).toBe('403 insufficient_scope');
  expect(id).toBeTruthy();
});

it.each<[string, () => HttpOptions, string]>([
  [
    'malformed JSON',
    () => ({ headers: { 'content-type': 'application/json' }, body: '{' }),
    '400 invalid_request',
  ],
  ['an unknown field', () => ({ body: { api_key: 'x', password: 'y' } }), '400 invalid_request'],
  ['a key that is no text', () => ({ body: { api_key: 1 } }), '400 invalid_request'],
  ['another grant', () => ({ headers: FORM, body: 'grant_type=password' }), '400 unsupported_grant_type'],
  [
    'the wrong client id',
    () => forms[3]?.[1](organization.apiKey.text, foreign.apiKey.id) ?? {},
    '401 invalid_client',
  ],
  [
    'another media type',
    () => ({ headers: { 'content-type': 'text/plain' }, body: 'x' }),
    '415 unsupported_media_type',
  ],
  [
    'a compressed body',
    () => ({ headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' }, body: '{}' }),
    '415 unsupported_media_type',
  ],
  [
    '2 MiB',
    () => ({ headers: { 'content-type': 'application/json' }, body: ' '.repeat(2 * 1024 * 1024) }),
    '413 payload_too_large',
  ],
])('an exchange with %s is refused', async (_, options, code) => {
  expect(codeOf(await exchange(options()))).toBe(code);
});

describe('a token', () => {
  it('is verified by the published keys, with the claims of the contract', async () => {
    const answer = await http(`${organization.urls.baseUrl}/.well-known/jwks.json`);
    const { keys } = json<{ keys: (JsonWebKey & { kid: string; d?: string })[] }>(answer);
    expect(keys.every(({ kty, crv, d }) => kty === 'EC' && crv === 'P-256' && d === undefined)).toBe(true);
    const { header, claims } = readToken(organization.token);
    const jwk = keys.find(({ kid }) => kid === header['kid']);
    const key = createPublicKey({ key: jwk ?? {}, format: 'jwk' });
    const verified = verifyJwt(organization.token, key, { algorithms: ['ES256'] });
    expect(verified).toMatchObject({ org_id: organization.orgId, sub: organization.apiKey.id });
    for (const claim of ['iss', 'aud', 'sub', 'org_id', 'scope', 'iat', 'exp', 'jti'])
      expect(claims).toHaveProperty(claim);
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(3600);
  });

  it.each(['Basic', 'Token', 'DPoP'])('is not taken by the scheme %s, nor from the query', async (scheme) => {
    const refused = await organization.api('GET', '/orders', undefined, {
      authorization: `${scheme} ${organization.token}`,
    });
    expect(codeOf(refused)).toBe('401 unauthorized');
    const path = `/orders?access_token=${organization.token}`;
    expect((await organization.api('GET', path, undefined, { authorization: '' })).status).toBe(401);
  });
});
