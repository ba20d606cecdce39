import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { type Client, Issuer } from 'openid-client';
import { testEnvironment } from '@offizin/testkit/environment';
import { type GatewayProcess, startGateway } from '@offizin/testkit/gateway-process';
import { http, json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { TestPlatform } from '@offizin/testkit/platform';

/** An integrator gets tokens with a stock OAuth 2.0 library, and goes on while the signing keys are rotated. */
let platform: TestPlatform;
let organization: TestOrganization;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
});
afterAll(() => platform.close());

describe('a stock OAuth 2.0 client (openid-client)', () => {
  type Method = 'client_secret_basic' | 'client_secret_post';

  function clientOf(method: Method, secret = organization.apiKey.text): Client {
    const { baseUrl } = testEnvironment();
    const issuer = new Issuer({ issuer: baseUrl, token_endpoint: `${baseUrl}/auth/token` });
    return new issuer.Client({
      client_id: organization.apiKey.id,
      client_secret: secret,
      token_endpoint_auth_method: method,
    });
  }

  it.each<Method>(['client_secret_basic', 'client_secret_post'])(
    'gets a token that opens the API, with %s',
    async (method) => {
      const tokens = await clientOf(method).grant({ grant_type: 'client_credentials' });
      expect(tokens).toMatchObject({ token_type: 'Bearer', expires_at: expect.any(Number) });
      expect(tokens.expired()).toBe(false);
      const headers = { authorization: `Bearer ${tokens.access_token ?? ''}` };
      expect((await organization.api('GET', '/orders', undefined, headers)).status).toBe(200);
    },
  );

  it('narrows the scope', async () => {
    const asked = { grant_type: 'client_credentials', scope: 'orders.read products.read' };
    const tokens = await clientOf('client_secret_basic').grant(asked);
    expect(tokens.scope).toBe('orders.read products.read');
    const headers = { authorization: `Bearer ${tokens.access_token ?? ''}` };
    expect((await organization.api('GET', '/orders', undefined, headers)).status).toBe(200);
    expect((await organization.api('GET', '/webhooks', undefined, headers)).status).toBe(403);
  });

  it('gets the reason when the secret is wrong', async () => {
    const client = clientOf('client_secret_basic', organization.integrationKey.text);
    await expect(client.grant({ grant_type: 'client_credentials' })).rejects.toMatchObject({
      name: 'OPError',
      error: 'unauthorized',
    });
  });
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
    // A gateway that was never told of the new key: the reason why the first step must be complete before the second.
    expect([await statusAt(baseUrl, oldToken), await statusAt(baseUrl, freshToken)]).toEqual([200, 401]);

    const done = await gatewayWith([fresh]);
    expect([await statusAt(done.url, oldToken), await statusAt(done.url, freshToken)]).toEqual([401, 200]);
  }, 90_000);
});
