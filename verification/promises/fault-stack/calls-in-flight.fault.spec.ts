import { REQUEST_TIMEOUT_MS } from '@offizin/bus/bus';
import { connectorOperations, organizationOperations } from '@offizin/contracts/operations';
import type { AppName, AppProcess } from '@offizin/local-stack/apps';
import { ANSWERED_WITHIN_MS, killAmong, lockOf, whileCallsWait } from '@offizin/testkit/calls-in-flight';
import { eventually } from '@offizin/testkit/eventually';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import { callOperation } from '@offizin/testkit/operation-call';
import type { Ids } from '@offizin/testkit/organization-things';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { unknownThings } from '@offizin/testkit/organization-things';
import type { OwnStack } from '@offizin/testkit/own-stack';
import { makePdf } from '@offizin/testkit/pdf';
import { untilAnswered } from '@offizin/testkit/race';

/** A service is paused, killed or stopped while it has calls. */
export function callsInFlight(faultStack: () => OwnStack): void {
  let ownStack: OwnStack;
  let organization: TestOrganization;

  beforeAll(async () => {
    ownStack = faultStack();
    organization = await ownStack.platform.organization();
  }, 90_000);

  type Service = 'order-core' | 'catalog' | 'webhook-worker';

  async function restarted(service: Service): Promise<void> {
    expect(await ownStack.stack.apps[service].exited(5_000)).toBe(true);
    await ownStack.stack.apps[service].start();
    await ownStack.stack.apps[service].ready();
  }

  const product = (): Promise<string> => ownStack.platform.stockedProduct(organization, 5);

  it('a service that was paused does not begin a change that its caller has given up', async () => {
    const { id } = await organization.createOrder({ customer_name: 'before' });
    const core = ownStack.stack.apps['order-core'];
    core.kill('SIGSTOP');
    const given = await organization
      .api('PUT', `/orders/${id}`, { customer_name: 'too late' })
      .finally(() => core.kill('SIGCONT'));
    expect(given.status).toBe(504);
    // Its connection is there: it might have gone on.
    expect(given.durationMs).toBeGreaterThan(REQUEST_TIMEOUT_MS - 1_000);
    // It comes behind the other one on the same subject and connection.
    const next = await eventually('an answer', async () => {
      const answer = await organization.api('PUT', `/orders/${id}`, { order_number: 'next' });
      return answer.status === 200 ? answer : null;
    });
    expect(json(next)).toMatchObject({ customer_name: 'before', order_number: 'next' });
    const history = json<{ data: unknown[] }>(await organization.api('GET', `/orders/${id}/history`));
    expect(history.data).toHaveLength(2);
  }, 60_000);

  it('order-core is killed: the calls of that replica end immediately, and those of another one go on', async () => {
    const { process: other } = await ownStack.stack.addReplica('order-core');
    const orders = await Promise.all(Array.from({ length: 16 }, () => organization.createOrder()));
    const ids = orders.map(({ id }) => id);
    const sends = ids.map((id) => () => organization.api('PUT', `/orders/${id}`, { customer_name: 'after' }));
    const { adminDatabaseUrl, apps } = ownStack.stack;
    const { statuses, answeredAfterMs } = await killAmong(
      { adminDatabaseUrl, lock: lockOf('core.orders', 'id', ids), statements: 2, sends },
      () => apps['order-core'].kill('SIGKILL'),
    );
    expect(statuses).toEqual([200, 504]);
    expect(answeredAfterMs).toBeLessThan(ANSWERED_WITHIN_MS);
    for (const send of sends) expect((await untilAnswered(send)).status).toBe(200);
    await restarted('order-core');
    await other.stop();
  }, 60_000);

  const identity = { kind: 'identity', pdf_base64: makePdf().toString('base64') };
  const changed = () => orderRequest({ shop_id: organization.shops[0].shopId, customer_name: 'after' });

  async function bySender(method: 'POST' | 'PUT', tail: string, body: object) {
    const before = orderRequest({ shop_id: organization.shops[0].shopId });
    const { id } = json<{ id: string }>(await organization.api('POST', '/order-requests', before));
    return {
      lock: lockOf('core.order_requests', 'id', [id]),
      send: () => organization.api(method, `/order-requests/${id}${tail}`, body),
    };
  }

  it.each<[string, Service, () => Promise<{ lock: string; send: () => Promise<HttpAnswer> }>]>([
    [
      'a call of the gateway to the catalog',
      'catalog',
      async () => {
        const p1_id = await product();
        const body = { p1_id, delta: 1, reason: 'received' };
        return {
          lock: lockOf('catalog.inventory', 'p1_id', [p1_id]),
          send: () => organization.api('POST', '/inventory/adjust', body, { 'idempotency-key': p1_id }),
        };
      },
    ],
    [
      'a call of the gateway to the webhook-worker',
      'webhook-worker',
      async () => {
        const answer = await organization.api('POST', '/webhooks', { url: 'http://127.0.0.1:9/' });
        const { id } = json<{ id: string }>(answer);
        return {
          lock: lockOf('webhooks.subscriptions', 'id', [id]),
          send: () => organization.api('PUT', `/webhooks/${id}`, { is_active: true }),
        };
      },
    ],
    ['a withdrawal', 'order-core', () => bySender('POST', '/cancel', { reason: 'other' })],
    ['one more document', 'order-core', () => bySender('POST', '/documents', identity)],
    ['a replacement', 'order-core', () => bySender('PUT', '', changed())],
    [
      'a call of order-core to the catalog, for an approval',
      'catalog',
      async () => {
        const p1_id = await product();
        const id = await organization.submit(orderRequest({ items: [{ p1_id, quantity: 1, price: 1 }] }));
        return {
          lock: lockOf('catalog.inventory', 'p1_id', [p1_id]),
          send: () => organization.api('POST', `/order-requests/${id}/approve`, {}),
        };
      },
    ],
  ])(
    '%s ends immediately when the service is killed, and takes effect when it is repeated',
    async (_what, service, prepare) => {
      const { lock, send } = await prepare();
      const { adminDatabaseUrl, apps } = ownStack.stack;
      const { statuses, answeredAfterMs } = await killAmong({ adminDatabaseUrl, lock, sends: [send] }, () =>
        apps[service].kill('SIGKILL'),
      );
      expect(statuses).toEqual([504]);
      expect(answeredAfterMs).toBeLessThan(ANSWERED_WITHIN_MS);
      await restarted(service);
      expect([200, 201]).toContain((await untilAnswered(send, 30_000)).status);
    },
    60_000,
  );

  it('a service that is stopped answers its calls first', async () => {
    const { id } = await organization.createOrder();
    const { adminDatabaseUrl, apps } = ownStack.stack;
    const answers = await whileCallsWait(
      {
        adminDatabaseUrl,
        lock: lockOf('core.orders', 'id', [id]),
        sends: [() => organization.api('PUT', `/orders/${id}`, { customer_name: 'after' })],
      },
      async () => {
        apps['order-core'].end('SIGTERM');
        await eventually('no more calls to be taken', async () => {
          return (await organization.api('GET', '/orders')).status === 503;
        });
      },
    );
    expect(answers.map(({ status }) => status)).toEqual([200]);
    await restarted('order-core');
  }, 60_000);
}

/** The service behind is not there: every operation reports it within its bound. */
export function operationsDown(faultStack: () => OwnStack): void {
  const every = [...organizationOperations, ...connectorOperations];
  // What the edge knows by itself needs no service.
  const all = every.filter(({ service }) => service !== 'connector-edge');
  const SERVICES: AppName[] = ['order-core', 'catalog', 'webhook-worker'];
  /** Source: docs/contract.md#errors (10 s), guarantee G10 (5 s and 1 s); a second more for the call itself. */
  const SILENT_MS = { gateway: 11_000, connector: 6_000 };
  const GONE_MS = 1_000;

  let own: OwnStack;
  let organization: TestOrganization;
  const ids: Ids = unknownThings();

  beforeAll(async () => {
    own = faultStack();
    organization = await own.platform.organization();
  }, 90_000);

  function processes(): AppProcess[] {
    return SERVICES.map((name) => own.stack.apps[name]);
  }

  it('walks operations of every service', () => {
    expect([...new Set(all.map(({ service }) => service))].sort()).toEqual([...SERVICES].sort());
  });

  it('the services hang: 504 on the organization API, 502 on shop domains, each in time', async () => {
    for (const app of processes()) app.kill('SIGSTOP');
    try {
      const answers = await Promise.all(
        all.map(async (op) => ({ op, answer: await callOperation(op, organization, { ids }) })),
      );
      for (const { op, answer } of answers) {
        const connector = op.access === 'connector';
        const code = connector ? '502 core_unreachable' : '504 timeout';
        expect({ op: op.name, code: codeOf(answer) }).toEqual({ op: op.name, code });
        expect(answer.durationMs).toBeLessThan(connector ? SILENT_MS.connector : SILENT_MS.gateway);
      }
    } finally {
      for (const app of processes()) app.kill('SIGCONT');
    }
  }, 60_000);

  describe('the services are gone', () => {
    const allAnswer = async (expected: number) => {
      const paths = ['/orders', '/shops', '/webhooks'];
      const answers = await Promise.all(paths.map((path) => organization.api('GET', path)));
      return answers.every(({ status }) => status === expected);
    };

    beforeAll(async () => {
      await eventually('the services to answer again', () => allAnswer(200));
      for (const app of processes()) app.kill('SIGKILL');
      for (const app of processes()) expect(await app.exited(5_000)).toBe(true);
      // On a busy machine the broker may notice later than this process that their connections are closed.
      await eventually('the broker to notice', () => allAnswer(503), 30_000);
    }, 60_000);
    afterAll(async () => {
      for (const app of processes()) await app.start();
      for (const app of processes()) await app.ready();
    }, 90_000);

    it.each(all.map((op) => [op.name, op] as const))('%s reports it', async (_, op) => {
      const answer = await callOperation(op, organization, { ids });
      const isConnector = op.access === 'connector';
      expect(codeOf(answer)).toBe(isConnector ? '502 core_unreachable' : '503 service_unavailable');
      if (!isConnector) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(answer.durationMs).toBeLessThan(GONE_MS);
    });

    it('the gateway still knows who may call', async () => {
      for (const op of all) {
        const answer = await callOperation(op, organization, { ids, credential: null });
        expect({ op: op.name, code: codeOf(answer) }).toEqual({ op: op.name, code: '401 unauthorized' });
      }
    });
  });
}
