import { connectBus } from '@offizin/bus/connection';
import type { BusConnection } from '@offizin/bus/key-value';
import type { TokenResponse } from '@offizin/contracts/people/tokens';
import { SMALL_BYTES } from '@offizin/http-body/body-pieces';
import { appNames } from '@offizin/local-stack/apps';
import { callKeysOf } from '@offizin/local-stack/secrets';
import { CALLER_TOKEN_HEADER, CallKeys, signCaller } from '@offizin/runtime/call-keys';
import { testEnvironment } from '@offizin/testkit/environment';
import { eventually } from '@offizin/testkit/eventually';
import { http, type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { usePlatform } from '@offizin/testkit/platform';
import { StolenProcess } from '@offizin/testkit/stolen-process';

/** G24: an attacker with the NATS login and the keys of one process, each process in turn; and revoked keys. */
const environment = testEnvironment();
const REVOKED_WITHIN_MS = 2_000;
const platform = usePlatform();
let victim: TestOrganization;
let operator: BusConnection;
let captured: { subject: string; data: Uint8Array; reply: string };

beforeAll(async () => {
  victim = await platform.organization();
  operator = await connectBus({ ...environment, name: 'operator' });
  captured = await messageOfTheGateway();
}, 60_000);
afterAll(async () => {
  await operator.close();
});

/** A message that the gateway signed just now. */
async function messageOfTheGateway(): Promise<typeof captured> {
  const heard: (typeof captured)[] = [];
  const listening = operator.subscribe('rpc.order-core.orders.list', {
    callback: (_error, { subject, data, reply = '' }) => heard.push({ subject, data, reply }),
  });
  await operator.flush();
  await victim.api('GET', '/orders?limit=1');
  const [message] = await eventually('a message of the gateway', () => heard.length > 0 && heard);
  listening.unsubscribe();
  if (!message) throw new Error('nothing was heard');
  return message;
}

/** A submission at order-core's own port as the connector edge sends it; `sent` is the body that arrives. */
async function submitSigned(sent: string, signed: string | null): Promise<number> {
  const url = '/api/v1/external-order';
  const headers = { 'content-type': 'application/json', 'content-length': String(sent.length) };
  const caller = {
    kind: 'integration' as const,
    orgId: victim.orgId,
    shopId: victim.shops[0].shopId,
    scopes: [],
    actorId: victim.integrationKey.id,
    requestId: 'spec',
  };
  const keys = CallKeys.of('connector-edge', callKeysOf('connector-edge', environment.allCallKeys));
  const pieces = signed === null ? null : [Buffer.from(signed)];
  const token = signCaller(keys, caller, { method: 'POST', url, headers }, pieces);
  const answer = await http(`${environment.orderCoreUrl}${url}`, {
    method: 'POST',
    body: sent,
    headers: { ...headers, [CALLER_TOKEN_HEADER]: token },
  });
  return answer.status;
}

it('a body that was changed between edge and order-core is refused, and not stored', async () => {
  const body = (customer_name: string): string => JSON.stringify(orderRequest({ customer_name }));
  const [signed, changed] = [body('Erika'), body('Erica')];
  expect(await submitSigned(changed, signed)).toBe(401);
  expect(await submitSigned(changed, null)).toBe(401);
  const { data } = json<{ data: object[] }>(await victim.api('GET', '/order-requests?limit=200'));
  expect(data).toEqual([]);
  expect(await submitSigned(signed, signed)).toBe(200);
});

it.each([SMALL_BYTES, SMALL_BYTES + 1])(
  'a body of %d bytes is signed as order-core expects',
  async (size) => {
    const empty = JSON.stringify(orderRequest({ note: '' })).length;
    const body = JSON.stringify(orderRequest({ note: 'x'.repeat(size - empty) }));
    const headers = { 'content-type': 'application/json' };
    expect((await victim.connector({ body, headers })).status).toBe(200);
  },
);

describe.each(appNames)('the secrets of %s', (name) => {
  let thief: StolenProcess;
  beforeAll(
    async () =>
      (thief = await StolenProcess.take(name, { ...environment, callKeys: environment.allCallKeys })),
  );
  afterAll(() => thief.close());

  it('write nothing that belongs to another', async () => {
    expect(await thief.writes()).toEqual([]);
  });

  it('have no service answer to a subject that is not a reply subject', async () => {
    expect(await thief.replies()).toEqual([]);
  });

  it('forge no call of another sender, on the bus and over HTTP', async () => {
    expect(await thief.forgedCalls(victim.orgId)).toEqual([]);
    expect(await thief.forgedRequests(victim.orgId)).toEqual([]);
  });

  it('replay no call elsewhere', async () => {
    captured = await messageOfTheGateway();
    expect(await thief.replays(captured)).toEqual([]);
  });

  it('change no stream and no consumer of another, and read none', async () => {
    expect(await thief.brokerCalls()).toEqual([]);
  });

  it('keep no revoked key alive, and keep nobody from calling', async () => {
    const { id, text } = await platform.apiKey(victim.orgId, { kind: 'org', scopes: ['orders.read'] });
    const token = await eventually('the new key to be known', async () => {
      const answer = await victim.exchange(text);
      return answer.status === 200 && json<{ access_token: string }>(answer).access_token;
    });
    const read = () => victim.api('GET', '/orders?limit=1', undefined, { authorization: `Bearer ${token}` });
    let isOver = false;
    const attack = async (): Promise<void> => {
      while (!isOver) {
        thief.brokerAnswersOnto(`key.${id}`);
        thief.brokerAnswersOnto('complete');
        await thief.replies();
      }
    };
    const attacking = attack();
    try {
      for (let count = 0; count < 10; count++) {
        const [own, other] = await Promise.all([read(), victim.api('GET', '/shops')]);
        expect([own.status, other.status]).toEqual([200, 200]);
      }
      const startedAtMs = performance.now();
      expect((await victim.api('DELETE', `/api-keys/${id}`)).status).toBe(204);
      await eventually('the key to be dead', async () => (await read()).status === 401, REVOKED_WITHIN_MS);
      expect(performance.now() - startedAtMs).toBeLessThan(REVOKED_WITHIN_MS);
      expect((await victim.api('GET', '/orders?limit=1')).status).toBe(200);
    } finally {
      isOver = true;
      await attacking;
    }
  });
});

it('a revoked key ends its tokens and its connector calls within 2 s, during traffic', async () => {
  const mine = await platform.organization();
  const admin = await platform.apiKey(mine.orgId, { kind: 'org', scopes: ['settings.write'] });
  const adminToken = json<TokenResponse>(await mine.exchange(admin.text)).access_token;
  const calls = [
    (): Promise<HttpAnswer> => mine.api('GET', '/orders'),
    (): Promise<HttpAnswer> => mine.exchange(mine.apiKey.text),
    (): Promise<HttpAnswer> => mine.connector({ body: orderRequest() }),
  ];
  let revokedAtMs = Infinity;
  let lastOkAtMs = 0;
  const taken = calls.map(() => 0);
  const traffic = calls.map(async (call, kind) => {
    for (;;) {
      const startedAtMs = Date.now();
      const { status } = await call();
      if (status === 401) return;
      expect(status).toBe(200);
      taken[kind] = (taken[kind] ?? 0) + 1;
      lastOkAtMs = Math.max(lastOkAtMs, startedAtMs);
      if (Date.now() > revokedAtMs + 5_000) throw new Error('a revoked key is still taken after 5 s');
    }
  });
  // The first call of each kind must not meet the revoked key.
  await eventually('traffic of every kind', () => taken.every((count) => count > 0));
  const authorization = `Bearer ${adminToken}`;
  for (const { id } of [mine.apiKey, mine.integrationKey]) {
    expect((await mine.api('DELETE', `/api-keys/${id}`, undefined, { authorization })).status).toBe(204);
  }
  revokedAtMs = Date.now();
  await Promise.all(traffic);
  expect(lastOkAtMs - revokedAtMs).toBeLessThan(2_000);
});
