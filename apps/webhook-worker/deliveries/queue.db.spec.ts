import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { webhookWorkerSchema } from '../db/schema';
import { WorkerFixture } from '../spec-fixture';
import { deliveryQueue } from './queue.store';

let opened: TestDatabase;

beforeAll(async () => {
  opened = await testDatabase(webhookWorkerSchema);
});
afterAll(() => opened.close());

it('reports pending and due deliveries, and the age of the oldest due one', async () => {
  const worker = new WorkerFixture(opened.database);
  expect(await deliveryQueue(opened.database)).toEqual({ pending: 0, due: 0, oldest_due_age_seconds: null });
  await worker.subscribe('https://receiver.example/');
  const events = [worker.event(), worker.event(), worker.event(), worker.event()];
  await worker.inbox.handle(events);
  const [waiting, late, done] = events.map(({ id }) => id);
  const change = (set: string, id: string | undefined) =>
    worker.sql(`UPDATE webhooks.deliveries SET ${set} WHERE event_id = $1`, id);
  await change(`next_attempt_at = now() + interval '1 hour'`, waiting);
  await change(`next_attempt_at = now() - interval '70 seconds'`, late);
  await change(`status = 'succeeded', queue = NULL, next_attempt_at = now() - interval '1 day'`, done);
  const queue = await deliveryQueue(opened.database);
  expect(queue).toMatchObject({ pending: 3, due: 2 });
  expect(queue.oldest_due_age_seconds).toBeGreaterThanOrEqual(70);
  expect(queue.oldest_due_age_seconds).toBeLessThan(100);
});
