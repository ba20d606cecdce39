import type { Database } from '@offizin/pg/database';
import { testDatabase } from '@offizin/testkit/database';
import { eventually } from '@offizin/testkit/eventually';
import { webhookWorkerSchema } from '../db/schema';
import { stageEachTest, type Subscriber, type WorkerFixture } from '../spec-fixture';

/** Bulk statements, also when a process dies between them. */
let worker: WorkerFixture;
let subscriber: Subscriber;
stageEachTest(
  () => testDatabase(webhookWorkerSchema),
  (stage) => ({ worker, subscriber } = stage),
);

const events = (count: number) => Array.from({ length: count }, () => worker.event());
const allSucceeded = () =>
  eventually(
    'everything is delivered',
    async () => (await worker.deliveries()).every(({ status }) => status === 'succeeded'),
    20_000,
  );

type Look = (statementName: string) => Promise<void> | void;

/** The same database, with a hook before and after each statement. */
function watched(database: Database, before: Look, after: Look = () => undefined): Database {
  const watching = Object.create(database) as Database;
  watching.rows = async (statement, ...params) => {
    await before(statement.name);
    const rows = await database.rows(statement, ...params);
    await after(statement.name);
    return rows;
  };
  return watching;
}

it('writes the results of a stream in statements that start at the pace', async () => {
  const beganAtMs: number[] = [];
  const database = watched(worker.database, (name) => {
    if (name === 'deliveries_mark') beganAtMs.push(performance.now());
  });
  await worker.subscribe(subscriber.url);
  worker.startEngine({ database });
  await worker.inbox.handle(events(300));
  await allSucceeded();
  const gapsMs = beganAtMs.slice(1).map((at, index) => at - (beganAtMs[index] ?? 0));
  // A busy machine may begin one late, which shortens the gap after it: three of four keep the pace, less a millisecond.
  const shorter = gapsMs.filter((gapMs) => gapMs < 4);
  expect(shorter.length).toBeLessThanOrEqual(gapsMs.length / 4);
  expect(subscriber.received).toHaveLength(300);
});

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

it('stops claiming while the claim budget is exceeded', async () => {
  let answerAll: (status: number) => void = () => undefined;
  const late = new Promise<number>((resolve) => (answerAll = resolve));
  subscriber.answer = () => late;
  for (let place = 0; place < 10; place++) await worker.subscribe(`${subscriber.url}/${place}`);
  await worker.inbox.handle(events(300));
  let [claims, running] = [0, 0];
  const database = watched(
    worker.database,
    (name) => {
      if (name === 'deliveries_claim') [claims, running] = [claims + 1, running + 1];
    },
    (name) => {
      if (name === 'deliveries_claim') running -= 1;
    },
  );
  worker.startEngine({ database, requestsPerEndpoint: 256, requestsInFlight: 1 });
  const held = async () =>
    (await worker.deliveries()).filter(({ lease_token: token }) => token !== null).length;
  await eventually('the memory is full', async () => (await held()) > 1_000 && running === 0, 20_000);
  const before = claims;
  // A woken subscription would be claimed in the same tick.
  await worker.ringEngines();
  await new Promise((resolve) => setImmediate(resolve));
  expect(claims).toBe(before);
  // A wake and the sweep may each exceed the limit by one claim.
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
    died ||= name === 'deliveries_mark';
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
    ...[first?.id, first?.id, second?.id],
  ]);
  expect(first?.attempt_count).toBe(1);
});
