import { connectBus } from '@offizin/bus/connection';
import type { BusConnection } from '@offizin/bus/key-value';
import { appNames } from '@offizin/local-stack/apps';
import { testEnvironment } from '@offizin/testkit/environment';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { Organization } from '@offizin/testkit/organization';
import { TestPlatform } from '@offizin/testkit/platform';
import { StolenProcess } from '@offizin/testkit/stolen-process';

/** An attacker with the NATS login and the keys of one process; each process in turn. */
const environment = testEnvironment();
const REVOKED_WITHIN_MS = 2_000;
let platform: TestPlatform;
let victim: Organization;
let operator: BusConnection;
let captured: { subject: string; data: Uint8Array; reply: string };

beforeAll(async () => {
  platform = await TestPlatform.connect();
  victim = await platform.organization();
  operator = await connectBus({ ...environment, name: 'operator' });
  captured = await messageOfTheGateway();
}, 60_000);
afterAll(async () => {
  await operator.close();
  await platform.close();
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

  it('have no service answer to a subject that is no inbox', async () => {
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
