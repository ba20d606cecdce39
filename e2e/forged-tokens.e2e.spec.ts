import { createPrivateKey, type JsonWebKey } from 'node:crypto';
import type { ErrorBody } from '@offizin/contracts/errors';
import { testEnvironment } from '@offizin/testkit/environment';
import { eventually } from '@offizin/testkit/eventually';
import { forge, readToken } from '@offizin/testkit/forged-token';
import { forgedTokens, type ForgerInputs } from '@offizin/testkit/forged-tokens';
import { http, json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { TestPlatform } from '@offizin/testkit/platform';

/** Only our own, unexpired tokens of live keys open anything (guarantee G15). */
let platform: TestPlatform;
let organization: TestOrganization;
let goods: ForgerInputs;

beforeAll(async () => {
  platform = await TestPlatform.connect();
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
afterAll(() => platform.close());

/** Id of a key that the gateway knew and that it was told to forget. */
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
