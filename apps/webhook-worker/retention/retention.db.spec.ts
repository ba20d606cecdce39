import { newId } from '@offizin/pg/ids';
import { eventually } from '@offizin/testkit/eventually';
import { type WorkerFixture, workerSpec } from '../spec/spec-fixture';
import { deleteOldRows, retention } from './retention.store';

let worker: WorkerFixture;
const test = workerSpec((stage) => ({ worker } = stage));

/** A UUID v7 of that many days ago. */
function idOf(daysAgo: number): string {
  const millis = (Date.now() - daysAgo * 24 * 3600 * 1000).toString(16).padStart(12, '0');
  return `${millis.slice(0, 8)}-${millis.slice(8)}${newId().slice(13)}`;
}

describe('retention', () => {
  it('deletes deliveries with their attempts after 30 days, events some days later, and nothing younger', async () => {
    const { id: subscriptionId } = await worker.subscribe('https://receiver.example/');
    for (const daysAgo of [0, 29, 31, 36]) {
      const event = { ...worker.event(), id: idOf(daysAgo) };
      await worker.inbox.handle([event]);
      await worker.sql(
        `UPDATE webhooks.deliveries SET id = $2, status = 'succeeded', queue = NULL WHERE event_id = $1`,
        event.id,
        idOf(daysAgo),
      );
    }
    await worker.sql(
      `INSERT INTO webhooks.attempts (delivery_id, number, started_at, duration_ms)
       SELECT id, 1, now(), 1 FROM webhooks.deliveries WHERE subscription_id = $1`,
      subscriptionId,
    );
    while ((await deleteOldRows(test.database, 1)) === 1);
    const left = await worker.sql(
      `SELECT (SELECT count(*)::int FROM webhooks.deliveries WHERE org_id = $1) AS deliveries,
         (SELECT count(*)::int FROM webhooks.attempts) AS attempts,
         (SELECT count(*)::int FROM webhooks.events WHERE org_id = $1) AS events`,
      worker.orgId,
    );
    expect(left).toEqual([{ deliveries: 2, attempts: 2, events: 3 }]);
  });

  it('keeps a delivery that is still pending while its event is kept', async () => {
    await worker.subscribe('https://receiver.example/');
    await worker.inbox.handle([worker.event()]);
    const move = (daysAgo: number) =>
      worker.sql('UPDATE webhooks.deliveries SET id = $2 WHERE org_id = $1', worker.orgId, idOf(daysAgo));
    await move(31);
    await deleteOldRows(test.database, 100);
    expect(await worker.deliveries()).toHaveLength(1);
    await move(36);
    await deleteOldRows(test.database, 100);
    expect(await worker.deliveries()).toEqual([]);
  });

  it('cancels deliveries left pending by an interrupted deletion', async () => {
    const { id } = await worker.subscribe('https://receiver.example/');
    await worker.inbox.handle(worker.eventsOfOneObject(2));
    await worker.sql(
      'UPDATE webhooks.subscriptions SET is_active = false, deleted_at = now() WHERE id = $1',
      id,
    );
    const work = retention(test.database);
    work.start();
    await eventually('both are cancelled', async () =>
      (await worker.deliveries()).every(({ status }) => status === 'cancelled'),
    );
    await work.stop();
  });
});
