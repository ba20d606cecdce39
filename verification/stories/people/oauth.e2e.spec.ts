import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { ALL_SCOPES } from '@offizin/contracts/people/scopes';
import { codeOf, http, json } from '@offizin/testkit/http';
import { testEnvironment } from '@offizin/testkit/environment';
import { type GatewayProcess, startGateway } from '@offizin/testkit/gateway-process';
import {
  askWithLibrary,
  OAUTH_LIBRARIES,
  OAUTH_METHODS,
  type OAuthAsk,
  type OAuthOutcome,
} from '@offizin/testkit/oauth-client';
import type { TestOrganization } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';

/** An integrator gets tokens with a stock OAuth 2.0 library, and goes on while the signing keys are rotated. */
const platform = usePlatform();
let organization: TestOrganization;
let foreign: TestOrganization;

beforeAll(async () => {
  organization = await platform.organization();
  foreign = await platform.organization();
});

const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

const everyWay = OAUTH_LIBRARIES.flatMap((library) =>
  OAUTH_METHODS.map((method): [string, OAuthAsk['library'], OAuthAsk['method']] => [
    `${library} with ${method}`,
    library,
    method,
  ]),
);

describe.each(everyWay)('a stock OAuth 2.0 client (%s)', (_, library, method) => {
  function ask(changed: Partial<OAuthAsk> = {}): Promise<OAuthOutcome> {
    const { id: clientId, text: secret } = organization.apiKey;
    return askWithLibrary({
      library,
      method,
      issuer: testEnvironment().baseUrl,
      clientId,
      secret,
      ...changed,
    });
  }

  it('finds the endpoint and gets a token of the scope it asks for', async () => {
    const whole = await ask();
    expect(whole).toMatchObject({ access_token: expect.any(String), expires_in: 3600 });
    const narrow = await ask({ scope: 'orders.read products.read' });
    expect(narrow.scope).toBe('orders.read products.read');
    const headers = { authorization: `Bearer ${narrow.access_token ?? ''}` };
    expect((await organization.api('GET', '/orders', undefined, headers)).status).toBe(200);
    expect((await organization.api('GET', '/webhooks', undefined, headers)).status).toBe(403);
  });

  it('reports each error by its name', async () => {
    const limited = await platform.apiKey(organization.orgId, { kind: 'org', scopes: ['orders.read'] });
    const cases: [string, Partial<OAuthAsk>][] = [
      ['invalid_client', { secret: organization.integrationKey.text }],
      ['invalid_client', { secret: foreign.apiKey.text }],
      ['invalid_client', { clientId: foreign.apiKey.id }],
      ['invalid_scope', { clientId: limited.id, secret: limited.text, scope: 'orders.read orders.write' }],
      ['invalid_scope', { scope: 'nothing.read' }],
      ['unsupported_grant_type', { grantType: 'password' }],
    ];
    for (const [error, changed] of cases) {
      const outcome = await ask(changed);
      expect(outcome).toMatchObject({
        error,
        error_description: expect.stringMatching(/^[ !#-[\]-~]{10,}$/),
      });
    }
  });
});

describe('the errors of a token request', () => {
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
  const GRANT = 'grant_type=client_credentials';

  const exchange = (headers: Record<string, string>, body: string | object, orgId?: string) =>
    http(
      `${testEnvironment().baseUrl}${orgId === undefined ? '' : `/api/v2/public/orgs/${orgId}`}/auth/token`,
      { method: 'POST', headers, body },
    );

  it.each<[string, string, Record<string, string>, string]>([
    ['no grant type', '400 invalid_request', FORM, 'client_secret=x'],
    ['an empty grant type', '400 invalid_request', FORM, 'grant_type=&client_secret=x'],
    ['a field name outside ASCII', '400 invalid_request', FORM, `${GRANT}&%22%5C%C3%A4=1&%22%5C%C3%A4=2`],
    ['another grant type', '400 unsupported_grant_type', FORM, 'grant_type=refresh_token&client_secret=x'],
    ['no secret', '401 invalid_client', FORM, GRANT],
    ['an empty secret', '401 invalid_client', FORM, `${GRANT}&client_secret=`],
    ['HTTP Basic without a form', '400 invalid_request', { authorization: basic('x', 'y') }, ''],
    ['an unknown client by Basic', '401 invalid_client', { ...FORM, authorization: basic('x', 'y') }, GRANT],
  ])('%s is %s, told as OAuth 2.0 tells it', async (_, code, headers, body) => {
    const answer = await exchange(headers, body);
    const { error, message, error_description: description } = json<ErrorBody>(answer);
    expect(`${answer.status} ${error}`).toBe(code);
    expect(message).toBeTruthy();
    expect(description).toMatch(/^[ !#-[\]-~]+$/);
    const challenge = answer.status === 401 ? /^Basic realm=/ : /^$/;
    expect(String(answer.headers['www-authenticate'] ?? '')).toMatch(challenge);
  });

  it('are those of the organization API where the request is JSON or a header', async () => {
    const wrong: [Record<string, string>, string | object, string][] = [
      [{}, { api_key: 'x' }, '401 unauthorized'],
      [{ 'x-api-key': 'x' }, '', '401 unauthorized'],
      [{}, { api_key: organization.apiKey.text, scope: 'nothing.read' }, '403 insufficient_scope'],
    ];
    for (const [headers, body, code] of wrong) {
      const answer = await exchange(headers, body);
      expect(codeOf(answer)).toBe(code);
      expect(json<ErrorBody>(answer)).not.toHaveProperty('error_description');
      expect(answer.headers['www-authenticate'] ?? 'Bearer').toBe('Bearer');
    }
  });

  it('say forbidden at the path of another organization', async () => {
    const { id, text } = foreign.apiKey;
    const headers = { ...FORM, authorization: basic(id, text) };
    const answer = await exchange(headers, GRANT, organization.orgId);
    expect(codeOf(answer)).toBe('403 forbidden');
    expect(json<ErrorBody>(answer).error_description).toBeTruthy();
  });
});

it('publishes the metadata of the authorization server, for GET and HEAD', async () => {
  const { baseUrl } = testEnvironment();
  const url = `${baseUrl}/.well-known/oauth-authorization-server`;
  const answer = await http(url);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(json(answer)).toEqual({
    issuer: baseUrl,
    token_endpoint: `${baseUrl}/auth/token`,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    scopes_supported: [...ALL_SCOPES],
    response_types_supported: [],
    grant_types_supported: ['client_credentials'],
    token_endpoint_auth_methods_supported: [...OAUTH_METHODS],
    service_documentation: `${baseUrl}/docs`,
  });
  expect((await http(url, { method: 'HEAD' })).status).toBe(200);
  expect(codeOf(await http(url, { method: 'POST' }))).toBe('405 method_not_allowed');
});

describe('rotation of the signing keys', () => {
  const gateways: GatewayProcess[] = [];
  afterAll(() => Promise.all(gateways.map((gateway) => gateway.stop())));

  function newSigningKey(kid: string): JsonWebKey {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return { ...privateKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' };
  }

  async function gatewayWith(keys: JsonWebKey[]): Promise<GatewayProcess> {
    const gateway = await startGateway({ TOKEN_SIGNING_KEYS: JSON.stringify({ keys }) });
    gateways.push(gateway);
    return gateway;
  }

  async function tokenFrom(url: string): Promise<string> {
    const answer = await http(`${url}/auth/token`, {
      method: 'POST',
      body: { api_key: organization.apiKey.text },
    });
    expect(answer.status).toBe(200);
    return json<{ access_token: string }>(answer).access_token;
  }

  async function statusAt(url: string, token: string): Promise<number> {
    const path = `/api/v2/public/orgs/${organization.orgId}/orders`;
    return (await http(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
  }

  async function publishedAt(url: string): Promise<unknown[]> {
    const { keys } = json<{ keys: JsonWebKey[] }>(await http(`${url}/.well-known/jwks.json`));
    expect(JSON.stringify(keys)).not.toContain('"d"');
    return keys.map(({ kid }) => kid);
  }

  function signerOf(token: string): unknown {
    const header = Buffer.from(token.split('.')[0] ?? '', 'base64url').toString();
    return (JSON.parse(header) as { kid: unknown }).kid;
  }

  it('drops no caller: first both verify, then the new one signs, then the old one goes', async () => {
    const { baseUrl, tokenSigningKeys } = testEnvironment();
    const [old] = (JSON.parse(tokenSigningKeys) as { keys: [JsonWebKey] }).keys;
    const fresh = newSigningKey('fresh');
    const announcing = await gatewayWith([old, fresh]);
    const switched = await gatewayWith([fresh, old]);

    expect(await publishedAt(announcing.url)).toEqual([old.kid, 'fresh']);
    expect(await publishedAt(switched.url)).toEqual(['fresh', old.kid]);

    const oldToken = await tokenFrom(announcing.url);
    const freshToken = await tokenFrom(switched.url);
    expect([signerOf(oldToken), signerOf(freshToken)]).toEqual([old.kid, 'fresh']);
    for (const url of [announcing.url, switched.url]) {
      expect([await statusAt(url, oldToken), await statusAt(url, freshToken)]).toEqual([200, 200]);
    }
    // A gateway without the new key: this is why the first step must be complete before the second.
    expect([await statusAt(baseUrl, oldToken), await statusAt(baseUrl, freshToken)]).toEqual([200, 401]);

    const done = await gatewayWith([fresh]);
    expect([await statusAt(done.url, oldToken), await statusAt(done.url, freshToken)]).toEqual([401, 200]);
  }, 90_000);
});
