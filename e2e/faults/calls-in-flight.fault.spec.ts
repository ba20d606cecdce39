import { REQUEST_TIMEOUT_MS } from '@offizin/bus/bus';
import type { OwnStack } from '@offizin/testkit/own-stack';
import { eventually } from '@offizin/testkit/eventually';
import { type HttpAnswer, json } from '@offizin/testkit/http';
import { orderRequest } from '@offizin/testkit/order-request';
import type { TestOrganization } from '@offizin/testkit/organization';
import { untilAnswered } from '@offizin/testkit/race';
import { killAmong, lockOf, ANSWERED_WITHIN_MS, whileCallsWait } from '@offizin/testkit/waiting-calls';

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

  async function product(): Promise<string> {
    const [p1Id = ''] = await ownStack.platform.catalogProducts(1);
    await organization.stock(p1Id, 5);
    return p1Id;
  }

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

  it('order-core is killed: the calls of that replica end at once, and those of another one go on', async () => {
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
    '%s ends at once when the service is killed, and takes effect when it is repeated',
    async (_what, service, prepare) => {
      const { lock, send } = await prepare();
      const { adminDatabaseUrl, apps } = ownStack.stack;
      const { statuses, answeredAfterMs } = await killAmong({ adminDatabaseUrl, lock, sends: [send] }, () =>
        apps[service].kill('SIGKILL'),
      );
      expect(statuses).toEqual([504]);
      expect(answeredAfterMs).toBeLessThan(ANSWERED_WITHIN_MS);
      await restarted(service);
      expect((await untilAnswered(send, 30_000)).status).toBe(200);
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
