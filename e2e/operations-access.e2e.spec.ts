import { createPrivateKey, type JsonWebKey } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { ErrorBody } from '@offizin/contracts/errors';
import type { Operation } from '@offizin/contracts/operation';
import {
  connectorOperations,
  gatewayOperations,
  operations,
  organizationOperations,
} from '@offizin/contracts/operations';
import { ALL_SCOPES } from '@offizin/contracts/scopes';
import { testEnvironment } from '@offizin/testkit/environment';
import { codeOf } from '@offizin/testkit/error-code';
import { eventually } from '@offizin/testkit/eventually';
import { forge, readToken } from '@offizin/testkit/forged-token';
import { json } from '@offizin/testkit/http';
import { callOperation } from '@offizin/testkit/operation-call';
import type { ApiKey, TestOrganization } from '@offizin/testkit/organization';
import { unknownThings } from '@offizin/testkit/organization-things';
import { TestPlatform } from '@offizin/testkit/platform';
import { tokenWith } from '@offizin/testkit/tokens';

/** Who may call: every operation × no token, an expired one, the wrong scope, another organization. */
let platform: TestPlatform;
let own: TestOrganization;
let foreign: TestOrganization;
let expiredKey: ApiKey;
const ids = unknownThings();

beforeAll(async () => {
  platform = await TestPlatform.connect();
  [own, foreign] = await Promise.all([platform.organization(), platform.organization()]);
  const expires_at = new Date(Date.now() + 1_000).toISOString();
  expiredKey = await platform.apiKey(own.orgId, { kind: 'int', expires_at });
});
afterAll(() => platform.close());

function names(ops: readonly Operation[]): [string, Operation][] {
  return ops.map((op) => [`${op.name} (${op.method} ${op.path})`, op]);
}

/** The organization's own token as it will be when it has expired, longer ago than the leeway. */
function expiredToken(): string {
  const [jwk] = (JSON.parse(testEnvironment().tokenSigningKeys) as { keys: JsonWebKey[] }).keys;
  const { header, claims } = readToken(own.token);
  const nowSeconds = Math.floor(Date.now() / 1000);
  const past = { ...claims, iat: nowSeconds - 3_631, exp: nowSeconds - 31 };
  return forge(header, past, createPrivateKey({ key: jwk ?? {}, format: 'jwk' }));
}

it('every operation is of exactly one kind: behind a scope, on a shop domain, for anyone, or internal', () => {
  const internal = operations.filter(({ access }) => access === 'internal');
  expect(internal.filter(({ path }) => path !== '')).toEqual([]);
  expect(new Set([...gatewayOperations, ...connectorOperations, ...internal])).toEqual(new Set(operations));
  expect(gatewayOperations.length + connectorOperations.length + internal.length).toBe(operations.length);
  expect(new Set(organizationOperations.map(({ access }) => access)).size).toBeGreaterThan(8);
});

describe.each(names(organizationOperations))('%s', (_, op) => {
  it('without a token is a 401', async () => {
    const answer = await callOperation(op, own, { ids, credential: null });
    expect(codeOf(answer)).toBe('401 unauthorized');
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('with an expired token is a 401', async () => {
    const answer = await callOperation(op, own, { ids, credential: expiredToken() });
    expect(codeOf(answer)).toBe('401 unauthorized');
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer error="invalid_token"/);
  });

  it('without its scope is a 403 that names the scope', async () => {
    const others = ALL_SCOPES.filter((scope) => scope !== op.access);
    const answer = await callOperation(op, own, { ids, credential: await tokenWith(own, others) });
    expect(codeOf(answer)).toBe('403 insufficient_scope');
    expect(json<ErrorBody>(answer).message).toContain(op.access);
    const challenge = `Bearer error="insufficient_scope", scope="${op.access}"`;
    expect(answer.headers['www-authenticate']).toBe(challenge);
  });

  it('needs no other scope', async () => {
    const credential = await tokenWith(own, [op.access]);
    expect([401, 403]).not.toContain((await callOperation(op, own, { ids, credential })).status);
  });

  it('of another organization is a 403, whether or not there is one', async () => {
    if (!op.path.includes('{orgId}')) return;
    const answers = await Promise.all(
      [foreign.orgId, uuidv7(), 'no-id'].map((orgId) => callOperation(op, own, { ids, orgId })),
    );
    expect(answers.map(codeOf)).toEqual(answers.map(() => '403 forbidden'));
    expect(new Set(answers.map(({ body }) => body.toString())).size).toBe(1);
  });
});

describe.each(names(connectorOperations))('%s', (_, op) => {
  it.each<[string, () => string | null | Promise<string | null>]>([
    ['no key', () => null],
    ['a made-up key', () => 'ofz_int_wrong'],
    ['a key for tokens', () => own.apiKey.text],
    ['an access token', () => own.token],
    ["another organization's key", () => foreign.integrationKey.text],
    ['an expired key', () => expiredKey.text],
  ])('with %s is a 401', async (what, credentialOf) => {
    const credential = await credentialOf();
    const call = () => callOperation(op, own, { ids, credential });
    if (what === 'an expired key')
      await eventually('the key to expire', async () => (await call()).status === 401);
    expect(codeOf(await call())).toBe('401 unauthorized');
  });
});
