import { createPrivateKey, type JsonWebKey } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { ErrorBody } from '@offizin/contracts/calls/errors';
import {
  connectorOperations,
  gatewayOperations,
  operations,
  organizationOperations,
} from '@offizin/contracts/operations';
import { ALL_SCOPES } from '@offizin/contracts/people/scopes';
import { testEnvironment } from '@offizin/testkit/environment';
import { eventually } from '@offizin/testkit/eventually';
import { forge, readToken } from '@offizin/testkit/forged-tokens';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import { callOperation, named, namesAThing } from '@offizin/testkit/operation-call';
import type { Ids } from '@offizin/testkit/organization-things';
import { type ApiKey, type TestOrganization, tokenWith } from '@offizin/testkit/organization';
import { thingsOf, unknownThings } from '@offizin/testkit/organization-things';
import { usePlatform } from '@offizin/testkit/platform';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';

const platform = usePlatform();

/** Access: every operation × no token, an expired one, the wrong scope, another organization. */
describe('access', () => {
  let own: TestOrganization;
  let foreign: TestOrganization;
  let expiredKey: ApiKey;
  const ids = unknownThings();

  beforeAll(async () => {
    [own, foreign] = await Promise.all([platform.organization(), platform.organization()]);
    const expires_at = new Date(Date.now() + 1_000).toISOString();
    expiredKey = await platform.apiKey(own.orgId, { kind: 'int', expires_at });
  });

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

  it.each(named(organizationOperations))('%s is for a token with its scope', async (_, op) => {
    const call = (credential: string | null) => callOperation(op, own, { ids, credential });
    const others = ALL_SCOPES.filter((scope) => scope !== op.access);
    const unscoped = await call(await tokenWith(own, others));
    const bare = await callOperation(op, own, {
      ids,
      credential: null,
      headers: { authorization: own.token },
    });
    const refused: [string, HttpAnswer, string, unknown][] = [
      ['a token without the word Bearer', bare, '401 unauthorized', 'Bearer'],
      ['no token', await call(null), '401 unauthorized', 'Bearer'],
      [
        'an expired token',
        await call(expiredToken()),
        '401 unauthorized',
        expect.stringMatching(/^Bearer error="invalid_token"/),
      ],
      [
        'all other scopes',
        unscoped,
        '403 insufficient_scope',
        `Bearer error="insufficient_scope", scope="${op.access}"`,
      ],
    ];
    for (const [what, answer, code, challenge] of refused)
      expect([what, codeOf(answer), answer.headers['www-authenticate']]).toEqual([what, code, challenge]);
    expect(json<ErrorBody>(unscoped).message).toContain(op.access);
    expect(json<ErrorBody>(bare).message).toMatch(
      /^The header Authorization does not begin with Bearer: send Authorization: Bearer, /,
    );
    const scoped = await call(await tokenWith(own, [op.access]));
    expect([401, 403]).not.toContain(scoped.status);
  });

  const inOrganization = organizationOperations.filter(({ path }) => path.includes('{orgId}'));
  it.each(named(inOrganization))(
    '%s of another organization is a 403, whether or not there is one',
    async (_, op) => {
      const answers = await Promise.all(
        [foreign.orgId, uuidv7(), 'no-id'].map((orgId) => callOperation(op, own, { ids, orgId })),
      );
      expect(answers.map(codeOf)).toEqual(answers.map(() => '403 forbidden'));
      for (const { headers } of answers)
        expect(headers['www-authenticate']).toBe('Bearer error="insufficient_scope"');
      expect(new Set(answers.map(({ body }) => body.toString())).size).toBe(1);
    },
  );

  it.each(named(connectorOperations))('%s needs a live key of the shop', async (_, op) => {
    const call = (credential: string | null) => callOperation(op, own, { ids, credential });
    await eventually('the key to expire', async () => (await call(expiredKey.text)).status === 401);
    for (const [what, credential] of [
      ['no key', null],
      ['a made-up key', 'ofz_int_wrong'],
      ['a key for tokens', own.apiKey.text],
      ['an access token', own.token],
      ["another organization's key", foreign.integrationKey.text],
      ['an expired key', expiredKey.text],
    ] as const)
      expect([what, codeOf(await call(credential))]).toEqual([what, '401 unauthorized']);
    expect(json<ErrorBody>(await call(null)).message).toMatch(
      /^The API key is missing: send the key .* in the header apikey or X-API-Key\.$/,
    );
  });
});

/**
 * G14: two organizations are apart. The tests walk the list of operations, so that a new one is covered immediately.
 */
describe('tenants', () => {
  let receiver: WebhookReceiver;
  let own: TestOrganization;
  let foreign: TestOrganization;
  /** Ids of things that exist, but belong to the other organization; by the name of the parameter. */
  let foreignIds: Ids;
  const unknownIds = unknownThings();

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    own = await platform.organization();
    foreign = await platform.organization();
    foreignIds = await thingsOf({ platform, organization: foreign, receiverUrl: receiver.url });
  }, 30_000);
  afterAll(async () => {
    await receiver.close();
  });

  /** What the caller sees, with the ids that it sent itself taken out. */
  function seen(answer: HttpAnswer, ids: Ids): { status: number; body: string } {
    let body = answer.body.toString();
    for (const [name, id] of Object.entries(ids)) body = body.replaceAll(id, `<${name}>`);
    return { status: answer.status, body };
  }

  describe("another organization's thing is answered exactly as one that does not exist", () => {
    const naming = [...organizationOperations, ...connectorOperations].filter(namesAThing);

    it.each(named(naming))('%s', async (_, op) => {
      const unknown = await callOperation(op, own, { ids: unknownIds });
      const other = await callOperation(op, own, { ids: foreignIds });
      expect(seen(other, foreignIds)).toEqual(seen(unknown, unknownIds));
      const { error, results } = json<ErrorBody & { results?: ErrorBody[] }>(other);
      // A batch refuses the member that names it.
      const [status, refused] = results ? [200, results[0]?.error] : [404, error];
      expect([other.status, refused]).toEqual([status, 'not_found']);
    });

    it('and was not touched', async () => {
      const { orderId, requestId, p1Id, webhookId } = foreignIds;
      const order = json(await foreign.api('GET', `/orders/${orderId ?? ''}`));
      expect(order).toMatchObject({ customer_name: 'Untouched', status: 'pending' });
      expect(json(await foreign.api('GET', `/order-requests/${requestId ?? ''}`))).toMatchObject({
        status: 'pending',
      });
      const product = await foreign.api('GET', `/products/${p1Id ?? ''}?shop_id=${foreign.shops[0].shopId}`);
      expect(json(product)).toMatchObject({ price: 4.5, stock_quantity: 5 });
      expect(json(await foreign.api('GET', `/webhooks/${webhookId ?? ''}`))).toMatchObject({
        is_active: true,
      });
      const shop = json(await foreign.api('GET', `/shops/${foreign.shops[0].shopId}`));
      expect(shop).toMatchObject({ domain: foreign.shops[0].domain, is_active: true });
      expect((await foreign.exchange(foreign.apiKey.text)).status).toBe(200);
    });
  });

  it('a list of one organization shows nothing of the other', async () => {
    const mine = await thingsOf({ platform, organization: own, receiverUrl: receiver.url });
    const lists = organizationOperations.filter(
      (op) => op.method === 'GET' && !/\{(?!orgId\})/.test(op.path),
    );
    expect(lists.length).toBeGreaterThan(6);
    for (const op of lists.filter(({ path }) => path.includes('{orgId}'))) {
      const text = (await callOperation(op, own, { ids: mine })).body.toString();
      for (const id of [...Object.values(foreignIds), foreign.orgId]) {
        expect({ op: op.name, leaks: text.includes(id) ? id : null }).toEqual({ op: op.name, leaks: null });
      }
    }
  });
});
