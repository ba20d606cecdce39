import { type GatewayProcess, startGateway } from '@offizin/testkit/gateway-process';
import { http, type HttpAnswer, json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { TestPlatform } from '@offizin/testkit/platform';

/** A gateway behind a balancer that TRUSTED_PROXIES does not name: all callers have the balancer's address. */
const ATTEMPTS = 5;
const WRONG_KEY = 'ofz_org_0000000000000000000000_000000';
const FORWARDED = { 'x-forwarded-for': '203.0.113.7' };
let platform: TestPlatform;
let organization: TestOrganization;
let gateway: GatewayProcess;

beforeAll(async () => {
  platform = await TestPlatform.connect();
  organization = await platform.organization();
  gateway = await startGateway({
    TOKENS_PER_ADDRESS_PER_MINUTE: String(ATTEMPTS),
    TOKENS_PER_KEY_PER_MINUTE: '1000',
  });
}, 60_000);
afterAll(async () => {
  await gateway?.stop();
  await platform.close();
}, 60_000);

const exchange = (key: string, headers: Record<string, string>): Promise<HttpAnswer> =>
  http(`${gateway.url}/auth/token`, { method: 'POST', body: { api_key: key }, headers });

it('counts failures only: wrong keys of one caller do not lock out the others', async () => {
  const wrong: HttpAnswer[] = [];
  for (let attempt = 0; attempt < 3 * ATTEMPTS; attempt++) wrong.push(await exchange(WRONG_KEY, FORWARDED));
  const statuses = wrong.map(({ status }) => status);
  // The gateway of the test run is a second replica: each grants half.
  expect(statuses.slice(0, 2)).toEqual([401, 401]);
  expect(statuses.at(-1)).toBe(429);
  expect(json(wrong.at(-1) as HttpAnswer)).toMatchObject({ error: 'rate_limited' });
  for (let attempt = 0; attempt < 2 * ATTEMPTS; attempt++)
    expect((await exchange(organization.apiKey.text, FORWARDED)).status).toBe(200);
});

it('counts every attempt of a caller that comes by itself', async () => {
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 3 * ATTEMPTS; attempt++)
    statuses.push((await exchange(organization.apiKey.text, {})).status);
  expect(statuses).toContain(429);
});
