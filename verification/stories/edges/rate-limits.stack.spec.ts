import type { Stack } from '@offizin/local-stack/stack';
import { eventually } from '@offizin/testkit/eventually';
import { http, type HttpAnswer, type HttpOptions, json } from '@offizin/testkit/http';
import { type ApiKey, orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { type OwnStack, startOwnStack } from '@offizin/testkit/own-stack';
import type { TestPlatform } from '@offizin/testkit/platform';

/** Rate limits, on a separate stack with small limits. */
const API_BURST = 10;
const CONNECTOR_BURST = 6;
const TOKENS_PER_KEY = 5;
const TOKENS_PER_ADDRESS = 30;

let own: OwnStack;
let stack: Stack;
let platform: TestPlatform;
let organization: TestOrganization;

beforeAll(async () => {
  own = await startOwnStack({
    gateway: {
      API_RATE_PER_SECOND: '1',
      API_RATE_BURST: String(API_BURST),
      TOKENS_PER_KEY_PER_MINUTE: String(TOKENS_PER_KEY),
      TOKENS_PER_ADDRESS_PER_MINUTE: String(TOKENS_PER_ADDRESS),
      TRUSTED_PROXIES: '127.0.0.0/8',
    },
    'connector-edge': { CONNECTOR_RATE_PER_SECOND: '1', CONNECTOR_RATE_BURST: String(CONNECTOR_BURST) },
  });
  ({ stack, platform } = own);
  organization = await platform.organization();
}, 120_000);
afterAll(() => own?.stop(), 60_000);

/** Each caller has a separate address, as a load balancer reports it. */
let lastAddress = 0;
function newAddress(): string {
  lastAddress++;
  return `10.0.${lastAddress >> 8}.${lastAddress & 255}`;
}

async function exchange(apiKey: string, address: string, at = stack.urls.gateway): Promise<HttpAnswer> {
  const headers = { 'x-forwarded-for': address };
  return http(`${at}/auth/token`, { method: 'POST', body: { api_key: apiKey }, headers });
}

/** A caller of the organization API with a separate key, whose bucket is full. */
async function newCaller(): Promise<
  (options?: HttpOptions & { path?: string; at?: string }) => Promise<HttpAnswer>
> {
  const scopes = ['orders.read', 'order_requests.write'] as const;
  const { text } = await platform.apiKey(organization.orgId, { kind: 'org', scopes: [...scopes] });
  const token = await eventually('the key to be known', async () => {
    const answer = await exchange(text, newAddress());
    return answer.status === 200 && json<{ access_token: string }>(answer).access_token;
  });
  return async ({ path = '/orders', at = stack.urls.gateway, headers, ...options } = {}) => {
    const url = `${at}/api/v2/public/orgs/${organization.orgId}${path}`;
    return http(url, { ...options, headers: { authorization: `Bearer ${token}`, ...headers } });
  };
}

async function newIntegrationKey(): Promise<ApiKey> {
  const key = await platform.apiKey(organization.orgId, { kind: 'int' });
  // A wrong key costs its owner nothing, so asking until it is known leaves one request less in the bucket.
  await eventually('the key to be known', async () => {
    return (await organization.connector({ method: 'GET', key: key.text })).status === 400;
  });
  return key;
}

function limits({ headers }: HttpAnswer): { limit: number; remaining: number; reset: number } {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers[`ratelimit-${name}`]),
  );
  return { limit: limit ?? NaN, remaining: remaining ?? NaN, reset: reset ?? NaN };
}

function expectRefused(answer: HttpAnswer): void {
  expect(answer.status).toBe(429);
  expect(json(answer)).toEqual({ error: 'rate_limited', message: expect.stringContaining('wait') });
  expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(limits(answer).remaining).toBe(0);
}

const WRONG_KEY = 'ofz_org_0000000000000000000000_000000';

/** Which part of a limit a gateway grants by itself, by what it answers to an address that it has never seen. */
async function shareAt(url: string): Promise<number> {
  return (limits(await exchange(WRONG_KEY, newAddress(), url)).remaining + 1) / TOKENS_PER_ADDRESS;
}

/** `count` requests in one burst; what time grants meanwhile comes on top of the burst. */
async function burst(
  count: number,
  send: () => Promise<HttpAnswer>,
): Promise<{ taken: number; refused: HttpAnswer[]; granted: number }> {
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: count }, send));
  const refused = answers.filter(({ status }) => status === 429);
  const granted = Math.ceil((performance.now() - startedAt) / 1000);
  return { taken: count - refused.length, refused, granted };
}

describe('the organization API', () => {
  it('states on every answer what is left, also on a refused and on a proxied one', async () => {
    const call = await newCaller();
    const proxied = { method: 'POST', path: '/order-requests', body: { payload: {} } };
    const answers = [
      await call(),
      await call({ path: '/webhooks' }),
      await call(proxied),
      await call({ path: '/orders/none' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 400, 404]);
    const left = answers.map((answer) => limits(answer).remaining);
    expect(left[0]).toBe(API_BURST - 1);
    expect(left).toEqual([...left].sort((a, b) => b - a));
    for (const answer of answers) {
      expect(limits(answer)).toMatchObject({ limit: API_BURST, reset: expect.any(Number) });
    }
  });

  it('takes a burst, refuses the rest with the time to wait, and takes more after it', async () => {
    const call = await newCaller();
    const { taken, refused, granted } = await burst(3 * API_BURST, call);
    expect(taken).toBeGreaterThanOrEqual(API_BURST);
    expect(taken).toBeLessThanOrEqual(API_BURST + granted);
    for (const answer of refused) expectRefused(answer);
    await eventually('a request to be taken again', async () => (await call()).status === 200, 5_000);
  });

  it('shares the limit among all replicas, as many as there are', async () => {
    const replica = await stack.addReplica('gateway');
    const at = `http://127.0.0.1:${replica.port}`;
    for (const url of [at, stack.urls.gateway]) {
      await eventually('each replica to know of the other', async () => (await shareAt(url)) === 1 / 2);
    }
    const call = await newCaller();
    let turn = 0;
    const { taken, granted } = await burst(4 * API_BURST, () =>
      call({ at: turn++ % 2 === 0 ? at : stack.urls.gateway }),
    );
    expect(taken).toBeGreaterThanOrEqual(API_BURST);
    expect(taken).toBeLessThanOrEqual(API_BURST + granted + 1);
    await replica.process.stop();
    await eventually(
      'the one that is left to grant all',
      async () => (await shareAt(stack.urls.gateway)) === 1,
    );
  }, 60_000);
});

describe('the connector', () => {
  it('takes a burst and refuses the rest before it reads the body', async () => {
    const { text: key } = await newIntegrationKey();
    const { taken, refused } = await burst(4 * CONNECTOR_BURST, () =>
      organization.connector({ key, body: orderRequest() }),
    );
    expect(taken).toBeGreaterThanOrEqual(CONNECTOR_BURST - 1);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expectRefused(answer);
    const broken = await burst(CONNECTOR_BURST, () => organization.connector({ key, body: '{"broken' }));
    expect(broken.refused.length).toBeGreaterThan(0);
  });

  it('lists products ten times a second, beside what a key hands in', async () => {
    const { text: key } = await newIntegrationKey();
    const list = () => organization.connector({ method: 'GET', key, path: '/api/v1/products' });
    const { taken, refused, granted } = await burst(40, list);
    expect(taken).toBeGreaterThanOrEqual(10);
    expect(taken).toBeLessThanOrEqual(10 + 10 * granted);
    for (const answer of refused) expectRefused(answer);
    expect(limits(await list()).limit).toBe(10);
    expect((await organization.connector({ key, body: orderRequest() })).status).toBe(200);
  });

  it('does not count strangers for the key of the shop', async () => {
    const { text: key } = await newIntegrationKey();
    for (let attempt = 0; attempt < 2 * CONNECTOR_BURST; attempt++) {
      const answer = await organization.connector({ key: `${key.slice(0, -1)}!`, body: orderRequest() });
      expect(answer.status).toBe(401);
    }
    expect((await organization.connector({ key, body: orderRequest() })).status).toBe(200);
  });
});

describe('the token exchange', () => {
  it('limits exchanges per key, whatever address they come from', async () => {
    const { text } = await platform.apiKey(organization.orgId, { kind: 'org' });
    const answers = [];
    for (let attempt = 0; attempt <= TOKENS_PER_KEY; attempt++)
      answers.push(await exchange(text, newAddress()));
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(TOKENS_PER_KEY).fill(200), 429]);
    expect(answers.map((answer) => limits(answer).limit)).toEqual(
      Array(TOKENS_PER_KEY + 1).fill(TOKENS_PER_KEY),
    );
    expectRefused(answers.at(-1) as HttpAnswer);
  });

  it('limits attempts per address, whatever key they name', async () => {
    const address = newAddress();
    const wrong = () => exchange(WRONG_KEY, address);
    const { taken, refused, granted } = await burst(TOKENS_PER_ADDRESS + 10, wrong);
    expect(taken).toBeGreaterThanOrEqual(TOKENS_PER_ADDRESS);
    expect(taken).toBeLessThanOrEqual(TOKENS_PER_ADDRESS + granted);
    for (const answer of refused) expectRefused(answer);
    expectRefused(await exchange(organization.apiKey.text, address));
    expect((await exchange(organization.apiKey.text, newAddress())).status).toBe(200);
  });
});
