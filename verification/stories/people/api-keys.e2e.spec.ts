import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { verify as verifyJwt } from 'jsonwebtoken';
import type { ApiKeyListResponse, ApiKeyRow, CreatedApiKey } from '@offizin/contracts/people/directory';
import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { ALL_SCOPES, type Scope } from '@offizin/contracts/people/scopes';
import type { TokenResponse } from '@offizin/contracts/people/tokens';
import { eventually } from '@offizin/testkit/eventually';
import { readToken } from '@offizin/testkit/forged-tokens';
import { codeOf, http, type HttpAnswer, type HttpOptions, json } from '@offizin/testkit/http';
import { type ApiKey, orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';

const platform = usePlatform();

/** An owner manages the keys of the organization: last use, and rotation without an outage. */
describe('API keys', () => {
  let organization: TestOrganization;

  beforeAll(async () => {
    organization = await platform.organization();
  });

  async function rowOf(keyId: string): Promise<ApiKeyRow> {
    const { data } = json<ApiKeyListResponse>(await organization.api('GET', '/api-keys'));
    const row = data.find(({ id }) => id === keyId);
    if (!row) throw new Error('the key is not listed');
    return row;
  }

  async function rotate(keyId: string, body: object = {}): Promise<HttpAnswer> {
    return organization.api('POST', `/api-keys/${keyId}/rotate`, body);
  }

  async function rotated(keyId: string, body: object = {}): Promise<CreatedApiKey> {
    const answer = await rotate(keyId, body);
    expect(answer.status).toBe(201);
    return json<CreatedApiKey>(answer);
  }

  async function secondsUntil(time: string | null | undefined): Promise<number> {
    return (Date.parse(time ?? '') - Date.now()) / 1000;
  }

  async function isAccepted(key: string): Promise<boolean> {
    return (await organization.exchange(key)).status === 200;
  }

  describe('the last use of a key', () => {
    async function lastUseAfter(key: ApiKey, use: () => Promise<HttpAnswer>): Promise<void> {
      expect(await rowOf(key.id)).toMatchObject({ last_used_at: null });
      const startedAt = Date.now();
      await eventually('the key to be known', async () => (await use()).status === 200);
      const lastUsedAt = await eventually(
        'the use to be told',
        async () => (await rowOf(key.id)).last_used_at,
      );
      expect(Date.parse(lastUsedAt)).toBeGreaterThanOrEqual(startedAt);
      expect(Date.parse(lastUsedAt)).toBeLessThanOrEqual(Date.now());
    }

    it('is shown of an organization key', async () => {
      const key = await platform.apiKey(organization.orgId, { kind: 'org' });
      await lastUseAfter(key, () => organization.exchange(key.text));
    });

    it('is shown of an integration key', async () => {
      const key = await platform.apiKey(organization.orgId, { kind: 'int' });
      await lastUseAfter(key, () => organization.connector({ key: key.text, body: orderRequest() }));
    });
  });

  describe('rotation of a key', () => {
    it('makes a successor of the same rights, and both are accepted for a day', async () => {
      const old = await platform.apiKey(organization.orgId, { kind: 'org', scopes: ['orders.read'] });
      const successor = await rotated(old.id);
      expect(successor).toMatchObject({
        kind: 'org',
        scopes: ['orders.read'],
        name: 'test',
        expires_at: null,
      });
      const row = await rowOf(old.id);
      expect(row.replaced_by).toBe(successor.id);
      expect(await secondsUntil(row.expires_at)).toBeCloseTo(24 * 3600, -2);
      await eventually('the successor to be known', () => isAccepted(successor.api_key));
      expect(await isAccepted(old.text)).toBe(true);
      const answer = await organization.exchange(successor.api_key);
      expect(json(answer)['scope']).toBe('orders.read');
    });

    it('ends the old key after the overlap', async () => {
      const old = await platform.apiKey(organization.orgId, { kind: 'org' });
      await rotated(old.id, { overlap_seconds: 2 });
      expect(await isAccepted(old.text)).toBe(true);
      await eventually('the old key to end', async () => !(await isAccepted(old.text)), 5_000);
    });

    it('without overlap ends the old key and its tokens immediately', async () => {
      const old = await platform.apiKey(organization.orgId, { kind: 'org', scopes: ['orders.read'] });
      const token = json<{ access_token: string }>(await organization.exchange(old.text)).access_token;
      const headers = { authorization: `Bearer ${token}` };
      expect((await organization.api('GET', '/orders', undefined, headers)).status).toBe(200);
      await rotated(old.id, { overlap_seconds: 0 });
      await eventually('the token to end', async () => {
        return (await organization.api('GET', '/orders', undefined, headers)).status === 401;
      });
    });

    it('never makes a key live longer than it would have, and gives its successor as long a life', async () => {
      const expires_at = new Date(Date.now() + 600_000).toISOString();
      const old = await platform.apiKey(organization.orgId, { kind: 'org', expires_at });
      const successor = await rotated(old.id);
      expect((await rowOf(old.id)).expires_at).toBe(expires_at);
      expect(await secondsUntil(successor.expires_at)).toBeCloseTo(600, -1);
    });

    it('keeps an integration key bound to its shop', async () => {
      const shop_id = organization.shops[1].shopId;
      const old = await platform.apiKey(organization.orgId, { kind: 'int', shop_id });
      expect(await rotated(old.id)).toMatchObject({ kind: 'int', shop_id, scopes: [] });
    });

    it('is refused a second time, and of a key that is revoked', async () => {
      const old = await platform.apiKey(organization.orgId, { kind: 'org' });
      const { id } = await rotated(old.id);
      const again = await rotate(old.id);
      expect(json<ErrorBody>(again)).toMatchObject({
        error: 'conflict',
        message: expect.stringContaining(id),
      });
      await organization.api('DELETE', `/api-keys/${id}`);
      expect((await rotate(id)).status).toBe(409);
    });
  });

  describe('a key that may change settings', () => {
    /** Calls with the token of a new key of these scopes. */
    async function keyOf(scopes: Scope[]): Promise<{ id: string; call: TestOrganization['api'] }> {
      const { id, text } = await platform.apiKey(organization.orgId, { kind: 'org', scopes });
      const exchanged = await eventually('the key to be known', async () => {
        const answer = await organization.exchange(text);
        return answer.status === 200 && answer;
      });
      const headers = { authorization: `Bearer ${json<{ access_token: string }>(exchanged).access_token}` };
      return { id, call: (method, path, body) => organization.api(method, path, body, headers) };
    }

    it('passes on what it has, and no scope more', async () => {
      const { call } = await keyOf(['settings.write', 'orders.read']);
      const create = (scopes: Scope[]) => call('POST', '/api-keys', { name: 'more', kind: 'org', scopes });
      expect((await create(['orders.read'])).status).toBe(201);
      const refused = await create(['orders.read', 'orders.write', 'prescriptions.read']);
      expect(refused.status).toBe(403);
      expect(json<ErrorBody>(refused)).toMatchObject({
        error: 'insufficient_scope',
        message: expect.stringContaining('orders.write, prescriptions.read'),
      });
      expect((await call('POST', '/api-keys', { name: 'connector', kind: 'int' })).status).toBe(201);
    });

    it('rotates no key that has more, and the refused rotation leaves the old key as it was', async () => {
      const { id, call } = await keyOf(['settings.write']);
      const rich = await platform.apiKey(organization.orgId, { kind: 'org', scopes: ['reports.read'] });
      const refused = await call('POST', `/api-keys/${rich.id}/rotate`, {});
      expect([refused.status, json<ErrorBody>(refused).error]).toEqual([403, 'insufficient_scope']);
      expect(await rowOf(rich.id)).toMatchObject({ replaced_by: null, expires_at: null });
      expect((await call('POST', `/api-keys/${id}/rotate`, {})).status).toBe(201);
    });
  });

  it('a key that would be dead at birth is refused, and a scope named twice is one', async () => {
    const key = { name: 'x', kind: 'org', scopes: ['orders.read', 'orders.read'] };
    const past = await organization.api('POST', '/api-keys', { ...key, expires_at: '2020-01-01T00:00:00Z' });
    expect(past.status).toBe(400);
    const made = await organization.api('POST', '/api-keys', key);
    expect(json(made)).toMatchObject({ scopes: ['orders.read'] });
  });

  it('a token of a key that ends soon states that it ends with it', async () => {
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const body = { name: 'x', kind: 'org', scopes: ['orders.read'], expires_at };
    const { api_key } = json<{ api_key: string }>(await organization.api('POST', '/api-keys', body));
    const { expires_in } = await eventually('the gateway to know the key', async () => {
      const answer = await organization.exchange(api_key);
      return answer.status === 200 && json<{ expires_in: number }>(answer);
    });
    expect(expires_in).toBeGreaterThan(0);
    expect(expires_in).toBeLessThanOrEqual(60);
  });
});

/** API keys are exchanged for tokens, valid until the key is revoked. Forged tokens: forged-tokens.e2e.spec.ts. */
describe('tokens', () => {
  let organization: TestOrganization;
  let foreign: TestOrganization;

  beforeAll(async () => {
    organization = await platform.organization();
    foreign = await platform.organization();
  });

  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

  /** The ways to hand in a key beside OAuth 2.0 (oauth.e2e.spec.ts). */
  const forms: [string, (key: string) => HttpOptions][] = [
    ['JSON', (api_key) => ({ body: { api_key } })],
    ['the header X-API-Key', (key) => ({ headers: { 'X-API-Key': key } })],
    ['the header apikey', (key) => ({ headers: { apikey: key } })],
  ];

  async function exchange(options: HttpOptions, orgId?: string): Promise<HttpAnswer> {
    const path = orgId === undefined ? '/auth/token' : `/api/v2/public/orgs/${orgId}/auth/token`;
    return http(`${organization.urls.baseUrl}${path}`, { method: 'POST', ...options });
  }

  describe.each(forms)('an exchange by %s', (_, form) => {
    it('gives a token of the key at both paths, and is never cached', async () => {
      const { text } = organization.apiKey;
      for (const orgId of [undefined, organization.orgId]) {
        const answer = await exchange(form(text), orgId);
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
      const answer = await exchange(form(foreign.apiKey.text), organization.orgId);
      expect(codeOf(answer)).toBe('403 forbidden');
    });

    it('refuses an integration key, a made-up key and none', async () => {
      const mistyped = organization.apiKey.text.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
      for (const key of [organization.integrationKey.text, mistyped, 'x', ''])
        expect(codeOf(await exchange(form(key)))).toBe('401 unauthorized');
    });
  });

  const KEY_MISSING =
    'The API key is missing: send it as api_key in JSON, in the header X-API-Key, or as client_secret of the form grant_type=client_credentials.';

  it.each<[string, HttpOptions]>([
    ['no body', {}],
    ['an empty object', { body: {} }],
    ['an empty key', { body: { api_key: '' } }],
    ['an empty header', { headers: { apikey: '' } }],
    ['the key as an access token', { headers: { authorization: 'Bearer ofz_org_x' } }],
    ['a form without a secret', { headers: FORM, body: 'grant_type=client_credentials&client_id=x' }],
  ])('an exchange with %s says that the key is missing, and where to send it', async (_, options) => {
    for (const orgId of [undefined, organization.orgId]) {
      const answer = await exchange(options, orgId);
      const { message, error_description: inOAuth = message } = json<ErrorBody>(answer);
      expect(answer.status).toBe(401);
      expect([message, inOAuth]).toEqual([KEY_MISSING, KEY_MISSING]);
    }
  });

  it.each(['foo', 'apikey'])(
    'an exchange with the query parameter %s says that there is none',
    async (name) => {
      const headers = { 'X-API-Key': organization.apiKey.text };
      const url = `${organization.urls.baseUrl}/auth/token?${name}=1`;
      const answer = await http(url, { method: 'POST', headers });
      expect([codeOf(answer), json<ErrorBody>(answer).message]).toEqual([
        '400 invalid_request',
        `${name}: is not a known query parameter: this operation takes none`,
      ]);
    },
  );

  it.each(['9007199254740992', '-9007199254740992', '1e400'])(
    'an exchange with the number %s says what to send',
    async (number) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await exchange({ headers, body: `{"api_key":${number}}` });
      expect(codeOf(answer)).toBe('400 invalid_request');
      expect(json<ErrorBody>(answer).message).toContain(`${number}, a`);
    },
  );

  it.each<[string, () => HttpOptions, string]>([
    [
      'malformed JSON',
      () => ({ headers: { 'content-type': 'application/json' }, body: '{' }),
      '400 invalid_request',
    ],
    ['an unknown field', () => ({ body: { api_key: 'x', password: 'y' } }), '400 invalid_request'],
    ['a key that is not text', () => ({ body: { api_key: 1 } }), '400 invalid_request'],
    ['another grant', () => ({ headers: FORM, body: 'grant_type=password' }), '400 unsupported_grant_type'],
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

    it.each(['Basic', 'Token', 'DPoP'])(
      'is not taken by the scheme %s, nor from the query',
      async (scheme) => {
        const refused = await organization.api('GET', '/orders', undefined, {
          authorization: `${scheme} ${organization.token}`,
        });
        expect(codeOf(refused)).toBe('401 unauthorized');
        const path = `/orders?access_token=${organization.token}`;
        expect((await organization.api('GET', path, undefined, { authorization: '' })).status).toBe(401);
      },
    );
  });
});
