import { rmSync } from 'node:fs';
import type { ErrorBody } from '@offizin/contracts/calls/errors';
import type { Stack } from '@offizin/local-stack/stack';
import { codeOf, type HttpAnswer, json } from '@offizin/testkit/http';
import { eventually } from '@offizin/testkit/eventually';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import type { OwnStack } from '@offizin/testkit/own-stack';
import { type TestPlatform, uniqueTag } from '@offizin/testkit/platform';
import { IS_TEST_ALL } from '@offizin/testkit/test-run';
import { type WebhookBody, WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/** Processes die, hang and lose their files. The tests depend on their order. */
export function outage(faultStack: () => OwnStack): void {
  let stack: Stack;
  let platform: TestPlatform;
  let organization: TestOrganization;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    ({ stack, platform } = faultStack());
    organization = await platform.organization();
    receiver = await WebhookReceiver.start();
    expect((await organization.api('POST', '/webhooks', { url: receiver.url })).status).toBe(201);
  }, 90_000);
  afterAll(() => receiver.close());

  function newRequest(): ReturnType<typeof orderRequest> {
    return orderRequest({}, { external_reference: `outage-${uniqueTag()}` });
  }

  async function rowsOf(body: ReturnType<typeof orderRequest>): Promise<number> {
    const reference = String(body['external_reference']);
    return eventually('the list to answer', async () => {
      const answer = await organization.api('GET', `/order-requests?external_reference=${reference}`);
      return answer.status === 200 && json<{ pagination: { total: number } }>(answer).pagination.total;
    });
  }

  /** Sends the request until it is taken, as a partner does, and resolves with its id. */
  async function untilTaken(body: object, deadlineMs = 10_000): Promise<string> {
    return eventually(
      'the connector to take requests again',
      async () => {
        const answer = await organization.connector({ body });
        return answer.status === 200 && json<{ id: string }>(answer).id;
      },
      deadlineMs,
    );
  }

  async function expectRefusalsAtTheEdge(): Promise<void> {
    const made_up = await organization.connector({ body: newRequest(), key: 'ofz_int_wrong' });
    expect(codeOf(made_up)).toBe('401 unauthorized');
    const nobody = await organization.connector({
      body: newRequest(),
      headers: { host: 'nobody.localhost' },
    });
    expect(codeOf(nobody)).toBe('404 not_found');
  }

  function pids(): (number | undefined)[] {
    return Object.values(stack.apps).map(({ pid }) => pid);
  }

  it('200 equal submissions make one request, also when order-core is killed while they are under way', async () => {
    const body = newRequest();
    const core = stack.apps['order-core'];
    const submissions = Array.from({ length: 200 }, () => organization.connector({ body }));
    // Some were taken, the others are under way.
    await Promise.any(submissions.map(async (sent) => expect((await sent).status).toBe(200)));
    core.kill('SIGKILL');
    const answers = await Promise.all(submissions);
    const taken = answers
      .filter(({ status }) => status === 200)
      .map((answer) => json<{ id: string }>(answer).id);
    const lost = answers.filter(({ status }) => status !== 200).map(codeOf);
    // A race without a loser would prove nothing.
    expect([...new Set(lost)]).toEqual(['502 core_unreachable']);
    expect(await core.exited(5_000)).toBe(true);
    await core.start();
    const id = await untilTaken(body, 30_000);
    expect(new Set([...taken, id]).size).toBe(1);
    const repeated = await Promise.all(Array.from({ length: 200 }, () => untilTaken(body)));
    expect(new Set(repeated)).toEqual(new Set([id]));
    expect(await rowsOf(body)).toBe(1);
    const submitted = async (): Promise<number> =>
      receiver.received.filter(({ body: event }) => event.includes(id) && event.includes('_submitted'))
        .length;
    await eventually('the event', async () => (await submitted()) > 0, 30_000);
    expect(await submitted()).toBe(1);
  }, 60_000);

  it('the broker is killed and its store deleted: requests are taken, events arrive later, no key is forgotten', async () => {
    const broker = stack.nats;
    if (!broker) throw new Error('the stack has no broker of its own');
    const keyed = orderRequest({ shop_id: organization.shops[0].shopId });
    const handIn = () =>
      organization.api('POST', '/order-requests', keyed, { 'idempotency-key': 'across-the-outage' });
    const first = await handIn();
    broker.process.kill('SIGKILL');
    expect(await broker.process.exited(5_000)).toBe(true);
    rmSync(broker.storeDir, { recursive: true, force: true });

    const taken: string[] = [];
    for (let n = 0; n < 5; n++) taken.push(await organization.submit(newRequest()));
    await expectRefusalsAtTheEdge();
    // What usually travels over the bus, and can travel over HTTP.
    const read = await organization.api('GET', `/order-requests/${taken[0]}`);
    const repeated = await handIn();
    expect([read.status, repeated.status, repeated.headers['idempotent-replayed']]).toEqual([
      200,
      200,
      'true',
    ]);
    expect(json<{ id: string }>(repeated).id).toBe(json<{ id: string }>(first).id);
    const list = await organization.api('GET', '/orders');
    // The gateway knows by now that the broker is gone, so the call does not wait for its deadline.
    expect(codeOf(list)).toBe('503 service_unavailable');
    expect(list.durationMs).toBeLessThan(1_000);

    await broker.process.start();
    await broker.process.ready();
    const traffic = keyTraffic();
    const startedAtMs = Date.now();
    const made = await eventually(
      'a new key to be made over the bus',
      async () => {
        const answer = await organization.api('POST', '/api-keys', { name: 'after', kind: 'int' });
        return answer.status === 201 && json<{ api_key: string }>(answer).api_key;
      },
      30_000,
    );
    await eventually(
      'the connector to receive the new key',
      async () => (await organization.connector({ body: newRequest(), key: made })).status === 200,
      60_000,
    );
    const submitted = (): unknown[] =>
      receiver.received
        .map(({ body }) => JSON.parse(body.toString()) as WebhookBody)
        .filter(({ event_type }) => event_type === 'order_request_submitted')
        .map(({ metadata }) => metadata['order_request_id']);
    await eventually(
      'the events of the outage',
      () => taken.every((id) => submitted().includes(id)),
      120_000 - (Date.now() - startedAtMs),
    );
    const statuses = await traffic.stop();
    expect(Object.keys(statuses).sort()).toEqual(['connector 200', 'exchange 200', 'wrong key 401']);
    expect(submitted().filter((id) => taken.includes(String(id)))).toHaveLength(taken.length);
    const { id } = await organization.createOrder();
    await receiver.waitFor(({ metadata }) => metadata['order_id'] === id, 10_000);
  }, 240_000);

  /** Right and wrong keys, one call after the other, until it is stopped; resolves with what was answered how often. */
  function keyTraffic(): { stop: () => Promise<Record<string, number>> } {
    const counts: Record<string, number> = {};
    let stopped = false;
    const count = (what: string, { status }: HttpAnswer): void => {
      counts[`${what} ${status}`] = (counts[`${what} ${status}`] ?? 0) + 1;
    };
    const body = newRequest();
    const running = (async () => {
      while (!stopped) {
        count('connector', await organization.connector({ body }));
        count('exchange', await organization.exchange(organization.apiKey.text));
        count('wrong key', await organization.connector({ body, key: 'ofz_int_wrong' }));
      }
      return counts;
    })();
    return {
      stop: () => {
        stopped = true;
        return running;
      },
    };
  }

  it('PostgreSQL is killed: no process ends, nothing is lost or doubled, and all is well again', async () => {
    const database = stack.postgres;
    if (!database) throw new Error('the stack has no database of its own');
    const before = pids();
    const body = newRequest();
    const id = await organization.submit(body);
    database.process.kill('SIGKILL');
    expect(await database.process.exited(10_000)).toBe(true);
    const during = newRequest();
    const taken = await organization.connector({ body: during });
    expect(['200 pending', '502 core_unreachable']).toContain(
      taken.status === 200 ? '200 pending' : codeOf(taken),
    );
    for (const path of ['/orders', '/shops', '/inventory', '/webhooks']) {
      const answer = await organization.api('GET', path);
      expect(answer.durationMs).toBeLessThan(6_000);
      if (answer.status === 200) continue;
      expect(codeOf(answer)).toBe('503 service_unavailable');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    await expectRefusalsAtTheEdge();
    await database.process.start();
    await database.process.ready();
    expect(await untilTaken(body, 5_000)).toBe(id);
    await untilTaken(during);
    expect([await rowsOf(body), await rowsOf(during)]).toEqual([1, 1]);
    const order = await eventually('an order to be taken', async () => {
      const answer = await organization.api('POST', '/orders', {
        shop_id: organization.shops[0].shopId,
        external_id: uniqueTag(),
      });
      return answer.status === 201 && json<{ id: string }>(answer);
    });
    await receiver.waitFor(({ metadata }) => metadata['order_id'] === order.id, 30_000);
    expect(pids()).toEqual(before);
  }, 90_000);

  it('a restarted edge refuses no key that it does not know yet', async () => {
    for (const name of ['connector-edge', 'gateway'] as const) {
      const app = stack.apps[name];
      app.kill('SIGKILL');
      expect(await app.exited(10_000)).toBe(true);
      await app.start();
      const answers = new Set<number>();
      await eventually(`${name} to answer`, async () => {
        const answer = await (name === 'gateway'
          ? organization.api('GET', '/orders')
          : organization.connector({ body: newRequest() }));
        answers.add(answer.status);
        return answer.status === 200;
      });
      // Refused connections are not answers; the first answer of all is the right one.
      expect([...answers]).toEqual([200]);
    }
  }, 60_000);

  it('a restarted catalog accepts no call before it knows the shops', async () => {
    const messages = new Set<string>();
    for (let time = 0; time < (IS_TEST_ALL ? 3 : 1); time++) {
      const { catalog } = stack.apps;
      catalog.kill('SIGKILL');
      expect(await catalog.exited(10_000)).toBe(true);
      await catalog.start();
      await eventually('the shops', async () => {
        const answers = await Promise.all(Array.from({ length: 4 }, () => organization.api('GET', '/shops')));
        for (const answer of answers)
          if (answer.status !== 200) messages.add(json<ErrorBody>(answer).message ?? '');
        return answers.every(({ status }) => status === 200);
      });
    }
    expect([...messages].filter((message) => message.includes('directory'))).toEqual([]);
  }, 90_000);
}
