import { stageOutbox } from '@offizin/testkit/outbox-stage';
import { outboxBacklog } from './outbox-metrics';

const stage = stageOutbox();

it('reports the number of unpublished rows and the age of the oldest', async () => {
  expect(await outboxBacklog(stage.database, 'core')).toEqual({ unpublished: 0, oldest_age_seconds: null });
  await stage.sql(
    `INSERT INTO core.outbox
       (id, org_id, event_type, aggregate_id, sequence, topic, body, created_at, published_at)
     SELECT gen_random_uuid(), gen_random_uuid(), 'order_updated', 'a', n, 'plain', '{}',
       now() - make_interval(secs => 100 - 10 * n), CASE WHEN n = 1 THEN now() END
     FROM generate_series(1, 4) n`,
  );
  const { unpublished, oldest_age_seconds: age } = await outboxBacklog(stage.database, 'core');
  expect(unpublished).toBe(3);
  expect(age).toBeGreaterThanOrEqual(80);
  expect(age).toBeLessThan(90);
});
