import { createPrivateKey, type JsonWebKey } from 'node:crypto';
import type { ErrorBody } from '@offizin/contracts/calls/errors';
import { testEnvironment } from '@offizin/testkit/environment';
import { eventually } from '@offizin/testkit/eventually';
import { forge, forgedTokens, type ForgerInputs, readToken } from '@offizin/testkit/forged-tokens';
import { type GatewayProcess, startGateway } from '@offizin/testkit/gateway-process';
import { http, type HttpAnswer, json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';

const platform = usePlatform();

/** Only our own, unexpired tokens of live keys open anything (guarantee G15). */
describe('forged tokens', () => {
  let organization: TestOrganization;
  let goods: ForgerInputs;

  beforeAll(async () => {
    organization = await platform.organization();
    const foreign = await platform.organization();
    const [jwk] = (JSON.parse(testEnvironment().tokenSigningKeys) as { keys: JsonWebKey[] }).keys;
    goods = {
      token: organization.token,
      apiKeyText: organization.apiKey.text,
      keyId: organization.apiKey.id,
      orgId: organization.orgId,
      issuer: testEnvironment().baseUrl,
      integrationKeyId: organization.integrationKey.id,
      foreignOrgId: foreign.orgId,
      foreignKeyId: foreign.apiKey.id,
      ours: createPrivateKey({ key: jwk ?? {}, format: 'jwk' }),
      revokedKeyId: await revokedKey(),
      otherToken: json<{ access_token: string }>(await organization.exchange(organization.apiKey.text))
        .access_token,
    };
  });

  /** Id of a key that the gateway knew and that was revoked. */
  async function revokedKey(): Promise<string> {
    const { id, text } = await platform.apiKey(organization.orgId, { kind: 'org', scopes: ['orders.read'] });
    await eventually('the key to be known', async () => (await organization.exchange(text)).status === 200);
    expect((await organization.api('DELETE', `/api-keys/${id}`)).status).toBe(204);
    await eventually('the key to be gone', async () => (await organization.exchange(text)).status === 401);
    return id;
  }

  async function answerTo(token: string): Promise<{ outcome: string; challenge: unknown }> {
    const url = `${organization.urls.baseUrl}/api/v2/public/orgs/${organization.orgId}/orders`;
    const answer = await http(url, { headers: { authorization: `Bearer ${token}` } });
    const error = answer.status === 200 ? 'it opens' : json<ErrorBody>(answer).error;
    return { outcome: `${answer.status} ${error}`, challenge: answer.headers['www-authenticate'] };
  }

  describe('a token with', () => {
    it.each(Object.entries(forgedTokens))('%s opens nothing', async (_, make) => {
      const { outcome, challenge } = await answerTo(make(goods));
      expect(outcome).toBe('401 unauthorized');
      expect(challenge).toMatch(/^Bearer/);
    });

    it('one of at least 40 forgeries, no two the same', () => {
      const tokens = Object.values(forgedTokens).map((make) => make(goods));
      expect(new Set(tokens).size).toBe(tokens.length);
      expect(tokens.length).toBeGreaterThanOrEqual(40);
    });

    it.each<[string, () => Record<string, unknown>]>([
      ['nothing changed', () => ({})],
      ['an exp within the leeway of the clocks', () => ({ exp: Math.floor(Date.now() / 1000) - 10 })],
      ['an iat within the leeway of the clocks', () => ({ iat: Math.floor(Date.now() / 1000) + 10 })],
      ['a part of the scopes', () => ({ scope: 'orders.read' })],
    ])('%s, made as ours are, does open: the others fail for their own reason', async (_, change) => {
      const { header, claims } = readToken(goods.token);
      const token = forge(header, { ...claims, ...change(), jti: `again-${Math.random()}` }, goods.ours);
      expect((await answerTo(token)).outcome).toBe('200 it opens');
    });
  });
});

/** A gateway behind a balancer that TRUSTED_PROXIES does not name: all callers have the balancer's address. */
describe('a proxy that is not declared', () => {
  /** The gateways of the test run and of other specs are replicas: each of up to four grants two. */
  const ATTEMPTS = 8;
  const WRONG_KEY = 'ofz_org_0000000000000000000000_000000';
  const FORWARDED = { 'x-forwarded-for': '203.0.113.7' };
  let organization: TestOrganization;
  let gateway: GatewayProcess;

  beforeAll(async () => {
    organization = await platform.organization();
    gateway = await startGateway({
      TOKENS_PER_ADDRESS_PER_MINUTE: String(ATTEMPTS),
      TOKENS_PER_KEY_PER_MINUTE: '1000',
      SIGN_INS_PER_ADDRESS_PER_MINUTE: String(ATTEMPTS),
    });
  }, 60_000);
  afterAll(async () => {
    await gateway?.stop();
  }, 60_000);

  const exchange = (key: string, headers: Record<string, string>): Promise<HttpAnswer> =>
    http(`${gateway.url}/auth/token`, { method: 'POST', body: { api_key: key }, headers });

  it('counts failures only: wrong keys of one caller do not lock out the others', async () => {
    const wrong: HttpAnswer[] = [];
    for (let attempt = 0; attempt < 3 * ATTEMPTS; attempt++) wrong.push(await exchange(WRONG_KEY, FORWARDED));
    const statuses = wrong.map(({ status }) => status);
    expect(statuses.slice(0, 2)).toEqual([401, 401]);
    expect(statuses.at(-1)).toBe(429);
    expect(json(wrong.at(-1) as HttpAnswer)).toMatchObject({ error: 'rate_limited' });
    for (let attempt = 0; attempt < 2 * ATTEMPTS; attempt++)
      expect((await exchange(organization.apiKey.text, FORWARDED)).status).toBe(200);
  });

  it('counts wrong links for this operation only, and right passwords never', async () => {
    const person = await platform.person(organization.orgId, 'owner');
    const headers = { ...FORWARDED, origin: testEnvironment().baseUrl, 'x-offizin-console': '1' };
    const post = async (path: string, body: object): Promise<number> =>
      (await http(`${gateway.url}/console/api/${path}`, { method: 'POST', body, headers })).status;
    const wrong: number[] = [];
    for (let attempt = 0; attempt < 3 * ATTEMPTS; attempt++)
      wrong.push(await post('links/read', { token: 'x'.repeat(43) }));
    expect(wrong.slice(0, 2)).toEqual([404, 404]);
    expect(wrong.at(-1)).toBe(429);
    const { email, password } = person;
    for (let attempt = 0; attempt < 2 * ATTEMPTS; attempt++)
      expect(await post('sign-in', { email, password })).toBe(200);
  });

  it('counts every attempt of a caller that comes by itself', async () => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 3 * ATTEMPTS; attempt++)
      statuses.push((await exchange(organization.apiKey.text, {})).status);
    expect(statuses).toContain(429);
  });
});
