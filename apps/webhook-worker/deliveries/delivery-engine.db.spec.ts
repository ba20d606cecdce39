import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import * as webhooks from '@offizin/contracts/webhooks/webhooks';
import { eventually } from '@offizin/testkit/eventually';
import { type Database, statement } from '@offizin/pg/database';
import { type Received, workerSpec, type Subscriber, type WorkerFixture } from '../spec/spec-fixture';

let worker: WorkerFixture;
let subscriber: Subscriber;
const test = workerSpec((stage) => ({ worker, subscriber } = stage));

const count = (wanted: number, of = subscriber) =>
  eventually(`${wanted} deliveries`, () => of.received.length >= wanted, 20_000);
const settled = () =>
  eventually('every result is written', async () =>
    (await worker.deliveries()).every(
      ({ status, attempt_count }) => status !== 'pending' || attempt_count > 0,
    ),
  );
const dueNow = () =>
  worker.sql('UPDATE webhooks.deliveries SET next_attempt_at = now() WHERE org_id = $1', worker.orgId);

/** Deliveries that came after one of the same order with a higher sequence. */
function inversions(received: readonly Received[]): number {
  const highest = new Map<string, number>();
  return received.filter(({ orderId, sequence }) => {
    const before = highest.get(orderId) ?? 0;
    highest.set(orderId, Math.max(before, sequence));
    return sequence < before;
  }).length;
}

describe('a delivery', () => {
  it('carries the stored bytes and the signatures that stock libraries verify', async () => {
    const { secret } = await worker.subscribe(subscriber.url);
    worker.startEngine();
    const event = worker.event();
    await worker.inbox.handle([event]);
    await count(1);
    const [received] = subscriber.received;
    expect(received?.body).toBe(event.body);
    expect(received?.headers['x-service-event']).toBe('order_updated');
    const headers = received?.headers as Record<string, string>;
    expect(new Webhook(secret).verify(event.body, headers)).toEqual(JSON.parse(event.body));
    await settled();
    const [delivery] = await worker.deliveries();
    expect(delivery).toMatchObject({ id: headers['x-service-delivery-id'], status: 'succeeded' });
  });

  it('is signed with both secrets after a rotation, the plain signature with the old one until finish', async () => {
    const { id, secret: previous } = await worker.subscribe(subscriber.url);
    worker.startEngine();
    await worker.inbox.handle([worker.event()]);
    await count(1);
    const params = { webhookId: id };
    const { secret } = (await worker.call(webhooks.rotateWebhookSecret, { params })).body;
    await worker.inbox.handle([worker.event()]);
    await count(2);
    const finished = await worker.call(webhooks.rotateWebhookSecret, { params, body: { finish: true } });
    expect(finished.body).toMatchObject({ secret: null, previous_secret_until: null });
    await worker.inbox.handle([worker.event()]);
    await count(3);
    const verifies = (by: string, place: number): boolean => {
      const { body, headers } = subscriber.received[place] ?? { body: '', headers: {} };
      try {
        return Boolean(new Webhook(by).verify(body, headers as Record<string, string>));
      } catch {
        return false;
      }
    };
    expect([0, 1, 2].map((place) => verifies(previous, place))).toEqual([true, true, false]);
    expect([0, 1, 2].map((place) => verifies(secret ?? '', place))).toEqual([false, true, true]);
    const plain = subscriber.received.map(({ body, headers }) =>
      [previous, secret ?? ''].find((by) => {
        const expected = createHmac('sha256', by).update(body).digest('hex');
        return headers['x-service-signature'] === `sha256=${expected}`;
      }),
    );
    expect(plain).toEqual([previous, previous, secret]);
  });

  it('is retried under the same id until it succeeds, and every attempt is recorded', async () => {
    await worker.subscribe(subscriber.url);
    subscriber.answer = () => (subscriber.received.length < 3 ? 500 : 204);
    worker.startEngine();
    await worker.inbox.handle([worker.event()]);
    for (const attempt of [1, 2]) {
      await eventually('the failed attempt is written', async () => {
        const [delivery] = await worker.deliveries();
        return delivery?.attempt_count === attempt && delivery.status === 'pending';
      });
      await dueNow();
    }
    await eventually('it succeeds', async () => (await worker.deliveries())[0]?.status === 'succeeded');
    const ids = subscriber.received.map(({ headers }) => headers['x-service-delivery-id']);
    expect(new Set(ids).size).toBe(1);
    const attempts = await worker.sql<{ number: number; status_code: number; answer: string }>(
      'SELECT number, status_code, answer FROM webhooks.attempts WHERE delivery_id = $1 ORDER BY number',
      ids[0],
    );
    expect(attempts).toEqual([
      { number: 1, status_code: 500, answer: 'answered 500' },
      { number: 2, status_code: 500, answer: 'answered 500' },
      { number: 3, status_code: 204, answer: '' },
    ]);
  });
});

describe('the order of one queue', () => {
  it('holds with three workers, twenty orders and ten events each, and nothing is delivered twice', async () => {
    await worker.subscribe(subscriber.url);
    for (let replica = 0; replica < 3; replica++) worker.startEngine();
    const lines = Array.from({ length: 20 }, () => worker.eventsOfOneObject(10));
    // Like batches of several replicas: concurrent, with the events of one order in different batches.
    await Promise.all(
      Array.from({ length: 10 }, (_, place) =>
        worker.inbox.handle(lines.flatMap((ofOneObject) => ofOneObject[place] ?? [])),
      ),
    );
    await count(200);
    expect(inversions(subscriber.received)).toBe(0);
    expect(new Set(subscriber.received.map(({ headers }) => headers['x-service-delivery-id'])).size).toBe(
      200,
    );
    await settled();
    expect(subscriber.received).toHaveLength(200);
  });

  it('blocks the deliveries behind a failed one for a minute', async () => {
    await worker.subscribe(subscriber.url);
    subscriber.answer = ({ sequence }) => (sequence === 1 ? 500 : 200);
    worker.startEngine();
    const ofOneObject = worker.eventsOfOneObject(3);
    await worker.inbox.handle(ofOneObject);
    await count(1);
    await settledFirst();
    // Another order is delivered meanwhile; by then the sweep has also checked this one.
    await worker.inbox.handle(worker.eventsOfOneObject(2).slice(1));
    await worker.inbox.handle([worker.event()]);
    await count(2);
    expect(subscriber.received.filter(({ orderId }) => orderId === ofOneObject[0]?.aggregateId)).toHaveLength(
      1,
    );
    await worker.sql(
      `UPDATE webhooks.deliveries SET last_attempt_at = now() - interval '61 seconds',
         next_attempt_at = now() + interval '1 hour'
       WHERE org_id = $1 AND attempt_count = 1 AND status = 'pending'`,
      worker.orgId,
    );
    const own = () => subscriber.received.filter(({ orderId }) => orderId === ofOneObject[0]?.aggregateId);
    await eventually('the ones behind it go', () => own().length === 3);
    expect(own().map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  });

  it('waits 45 seconds for a missing earlier event', async () => {
    await worker.subscribe(subscriber.url);
    worker.startEngine();
    const [first, second] = worker.eventsOfOneObject(2);
    const [, lost] = worker.eventsOfOneObject(2);
    if (!first || !second || !lost) throw new Error('no events');
    const other = worker.event();
    await worker.inbox.handle([second, lost, other]);
    await count(1);
    await settledFirst();
    expect(subscriber.received.map(({ orderId }) => orderId)).toEqual([other.aggregateId]);
    await worker.inbox.handle([first]);
    await count(3);
    expect(inversions(subscriber.received)).toBe(0);
    await worker.sql(
      `UPDATE webhooks.deliveries SET created_at = now() - interval '46 seconds' WHERE event_id = $1`,
      lost.id,
    );
    await count(4);
  });

  async function settledFirst(): Promise<void> {
    await eventually('the first attempt is written', async () =>
      (await worker.deliveries()).some(({ attempt_count }) => attempt_count === 1),
    );
  }
});

describe('a lease', () => {
  it('that ended is taken over, and the late result of its former holder changes nothing', async () => {
    await worker.subscribe(subscriber.url);
    let answerLate: (status: number) => void = () => undefined;
    const late = new Promise<number>((resolve) => (answerLate = resolve));
    subscriber.answer = () => (subscriber.received.length === 1 ? late : 200);
    const stalled = worker.startEngine();
    await worker.inbox.handle([worker.event()]);
    await count(1);
    const [held] = await worker.deliveries();
    expect(held?.lease_token).not.toBeNull();
    // Its holder stalls: the lease has ended by the database clock, and another replica takes over.
    await worker.sql(`UPDATE webhooks.deliveries SET lease_until = now() WHERE id = $1`, held?.id);
    worker.startEngine();
    await eventually('the other replica delivers', async () =>
      (await worker.deliveries()).every(({ status }) => status === 'succeeded'),
    );
    answerLate(200);
    await stalled.stop();
    expect(await worker.deliveries()).toMatchObject([{ status: 'succeeded', attempt_count: 1 }]);
    const ids = subscriber.received.map(({ headers }) => headers['x-service-delivery-id']);
    expect(ids).toEqual([held?.id, held?.id]);
  });

  it('is released unused when the process stops; requests in flight are finished', async () => {
    await worker.subscribe(subscriber.url);
    const engine = worker.startEngine({ requestsPerEndpoint: 2 });
    await worker.inbox.handle(Array.from({ length: 100 }, () => worker.event()));
    await count(1);
    await engine.stop();
    const states = await worker.deliveries();
    expect(states.every(({ lease_token }) => lease_token === null)).toBe(true);
    const succeeded = states.filter(({ status }) => status === 'succeeded').length;
    expect(subscriber.received).toHaveLength(succeeded);
  });
});

/** Bulk statements, also when a process dies between them. */
describe('bulk statements', () => {
  const forget = statement<never, []>('spec_forget_deliveries', 'DELETE FROM webhooks.deliveries');
  // Engines would also send what the tests above left.
  beforeAll(() => test.database.rows(forget));

  const events = (count: number) => Array.from({ length: count }, () => worker.event());
  const allSucceeded = () =>
    eventually(
      'everything is delivered',
      async () => (await worker.deliveries()).every(({ status }) => status === 'succeeded'),
      20_000,
    );

  type Hook = (statementName: string) => Promise<void> | void;

  /** The same database, with a hook before and after each statement. */
  function watched(database: Database, before: Hook, after: Hook = () => undefined): Database {
    const watching = Object.create(database) as Database;
    watching.rows = async (statement, ...params) => {
      await before(statement.name);
      const rows = await database.rows(statement, ...params);
      await after(statement.name);
      return rows;
    };
    return watching;
  }

  it('reads past a long blocked queue to other objects of the endpoint, before the next sweep', async () => {
    let letSweep: () => void = () => undefined;
    const later = new Promise<void>((resolve) => (letSweep = resolve));
    let hasFailed = false;
    const database = watched(worker.database, (name) =>
      hasFailed && name === 'deliveries_due_subscriptions' ? later : undefined,
    );
    const ofOneObject = worker.eventsOfOneObject(1_000);
    const heldUpId = ofOneObject[0]?.aggregateId;
    subscriber.answer = ({ orderId }) => (orderId === heldUpId ? 500 : 200);
    await worker.subscribe(subscriber.url);
    worker.startEngine({ database });
    await worker.inbox.handle(ofOneObject);
    await eventually('its head has failed', async () =>
      (await worker.deliveries()).some(({ attempt_count: attempts }) => attempts > 0),
    );
    hasFailed = true;
    await worker.inbox.handle(events(100));
    const others = () => new Set(subscriber.received.map(({ orderId }) => orderId)).size - 1;
    await eventually('the others', () => others() === 100).finally(letSweep);
  });

  it('stops leasing while the lease budget is exceeded', async () => {
    let answerAll: (status: number) => void = () => undefined;
    const late = new Promise<number>((resolve) => (answerAll = resolve));
    subscriber.answer = () => late;
    for (let place = 0; place < 10; place++) await worker.subscribe(`${subscriber.url}/${place}`);
    await worker.inbox.handle(events(300));
    let [leases, running] = [0, 0];
    const database = watched(
      worker.database,
      (name) => {
        if (name === 'deliveries_lease') [leases, running] = [leases + 1, running + 1];
      },
      (name) => {
        if (name === 'deliveries_lease') running -= 1;
      },
    );
    worker.startEngine({ database, requestsPerEndpoint: 256, requestsInFlight: 1 });
    const held = async () =>
      (await worker.deliveries()).filter(({ lease_token: token }) => token !== null).length;
    await eventually('the memory is full', async () => (await held()) > 1_000 && running === 0, 20_000);
    const before = leases;
    // A woken subscription would be leased in the same tick.
    await worker.ringEngines();
    await new Promise((resolve) => setImmediate(resolve));
    expect(leases).toBe(before);
    // A wake and the sweep may each exceed the limit by one statement.
    expect(await held()).toBeLessThanOrEqual(1_000 + 2 * 400 + 1);
    // Remaining deliveries would be due for the engines of other specs.
    answerAll(200);
    await worker.stopEngines();
    await worker.sql('DELETE FROM webhooks.deliveries WHERE org_id = $1', worker.orgId);
  });

  it('is sent again under the same id when its process died between the answer and the writing', async () => {
    await worker.subscribe(subscriber.url);
    let died = false;
    const database = watched(worker.database, async (name) => {
      died ||= name === 'deliveries_write';
      // Like a killed process: none of its statements reaches the server.
      if (died) await new Promise(() => undefined);
    });
    const dead = worker.startEngine({ database });
    await worker.inbox.handle(worker.eventsOfOneObject(2));
    await eventually('it dies with a result in hand', () => died);
    expect(subscriber.received).toHaveLength(1);
    worker.abandon(dead);
    worker.startEngine();
    await worker.sql('UPDATE webhooks.deliveries SET lease_until = now() WHERE org_id = $1', worker.orgId);
    await allSucceeded();
    const [first, second] = await worker.deliveries();
    expect(subscriber.received.map(({ headers }) => headers['x-service-delivery-id'])).toEqual([
      first?.id,
      first?.id,
      second?.id,
    ]);
    expect(first?.attempt_count).toBe(1);
  });
});
