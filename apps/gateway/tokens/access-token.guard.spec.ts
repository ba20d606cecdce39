import { generateKeyPairSync } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { openBucket } from '@offizin/bus/key-value';
import { hashApiKey, KeyUses, newApiKey } from '@offizin/directory/api-key';
import { bucketKey, DIRECTORY_BUCKET, type DirectoryRecord, encodeRecord } from '@offizin/directory/records';
import { DirectoryReplica } from '@offizin/directory/replica';
import { readConfig } from '@offizin/runtime/config';
import { TestBroker } from '@offizin/testkit/broker';
import { GatewayConfig } from '../config';
import { CLOCK_LEEWAY_SECONDS, readSigningKeys, signToken } from './access-token';
import { AccessTokenStrategy, sentenceOf } from './access-token.guard';

/** Tokens while the gateway's clock jumps; the directory is on a real broker. */
const HOUR_MS = 3_600_000;
const LEEWAY_MS = CLOCK_LEEWAY_SECONDS * 1000;
const RECORDS: DirectoryRecord[] = [
  { type: 'organization', org_id: 'o', name: 'o', is_active: true },
  {
    type: 'key',
    key_id: 'k',
    org_id: 'o',
    hash: hashApiKey(newApiKey('org')),
    kind: 'org',
    shop_id: null,
    scopes: ['orders.read'],
    expires_at: null,
  },
  { type: 'complete' },
];
let broker: TestBroker;
let directory: DirectoryReplica;

beforeAll(async () => {
  broker = await TestBroker.start();
  const bucket = await openBucket(await broker.connect('writer'), DIRECTORY_BUCKET);
  for (const record of RECORDS) await bucket.put(bucketKey(record), encodeRecord(record));
  directory = new DirectoryReplica(await broker.connect('gateway'));
  directory.start();
  await directory.untilSynchronized();
});
afterEach(() => jest.useRealTimers());
afterAll(async () => {
  directory.stop();
  await broker.stop();
});

const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
const tokenSigningKeys = JSON.stringify({ keys: [{ ...jwk, kid: 'spec' }] });
const config = readConfig(GatewayConfig, {
  NATS_URL: 'nats://127.0.0.1:1',
  NATS_USER: 'spec',
  NATS_PASSWORD: 'spec',
  ORDER_CORE_URL: 'http://127.0.0.1:1',
  CALL_KEYS: '{"out":{},"in":{}}',
  TOKEN_SIGNING_KEYS: tokenSigningKeys,
});
const keys = readSigningKeys(tokenSigningKeys);
const newStrategy = (): AccessTokenStrategy =>
  new AccessTokenStrategy(config, keys, directory, new KeyUses(() => Promise.resolve()));

/** A request with a token issued now, valid for an hour. */
function requestNow(): FastifyRequest {
  const settings = { issuer: config.publicBaseUrl, audience: config.tokenAudience, lifetimeSeconds: 3_600 };
  const token = { keyId: 'k', orgId: 'o', scopes: ['orders.read'] as const, tokenId: 't' };
  const authorization = `Bearer ${signToken(keys, settings, token)}`;
  return { headers: { authorization } } as FastifyRequest;
}

/** Moves `Date` only; timers keep running. */
function setClock(atMs: number): void {
  jest.useFakeTimers({
    now: atMs,
    doNotFake: [
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
      'setTimeout',
      'clearTimeout',
    ],
  });
}

it.each(['verified before', 'not verified before'])(
  'a token from a clock that was ahead, %s, is valid once the clock is near its time',
  async (which) => {
    const nowMs = Math.floor(Date.now() / 1000) * 1000;
    setClock(nowMs + HOUR_MS);
    const request = requestNow();
    const ahead = newStrategy();
    expect(await ahead.keyIdOf(request)).toBe('k');
    const strategy = which === 'verified before' ? ahead : newStrategy();
    setClock(nowMs);
    expect(await strategy.keyIdOf(request)).toBeNull();
    setClock(nowMs + HOUR_MS - LEEWAY_MS - 1_000);
    expect(await strategy.keyIdOf(request)).toBeNull();
    setClock(nowMs + HOUR_MS - LEEWAY_MS);
    expect(await strategy.keyIdOf(request)).toBe('k');
  },
);

it.each(['verified before', 'not verified before'])(
  'a token from a clock that was behind, %s, expires within the leeway of its expiry',
  async (which) => {
    const nowMs = Math.floor(Date.now() / 1000) * 1000;
    setClock(nowMs - HOUR_MS);
    const request = requestNow();
    const behind = newStrategy();
    expect(await behind.keyIdOf(request)).toBe('k');
    const strategy = which === 'verified before' ? behind : newStrategy();
    setClock(nowMs + LEEWAY_MS - 1_000);
    expect(await strategy.keyIdOf(request)).toBe('k');
    setClock(nowMs + LEEWAY_MS);
    expect(await strategy.keyIdOf(request)).toBeNull();
  },
);

it.each([
  [
    undefined,
    /token is missing: exchange the API key at POST \/auth\/token, then send the header Authorization: Bearer/,
  ],
  ['Bearer ', /token is missing/],
  ['eyJhbGciOi', /does not begin with Bearer: send Authorization: Bearer, a blank and the access token/],
  ['Basic YTpi', /does not begin with Bearer/],
  ['Bearer eyJhbGciOi', /wrong, has expired.*get a new one at POST \/auth\/token/],
  [newApiKey('org'), /an API key, not an access token: exchange it at POST \/auth\/token/],
])('answers the header Authorization %s with what is missing and what to send', (authorization, sentence) => {
  expect(sentenceOf({ headers: authorization === undefined ? {} : { authorization } })).toMatch(sentence);
});
