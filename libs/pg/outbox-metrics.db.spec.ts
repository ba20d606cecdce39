import type { MigrationInterface, QueryRunner } from 'typeorm';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { createOutboxSql, OutboxRow, traceOutboxSql } from './outbox';
import { outboxBacklog } from './outbox-metrics';

class MakeOutbox1700000000000 implements MigrationInterface {
  name = 'MakeOutbox1700000000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [...createOutboxSql('core'), traceOutboxSql('core')]) await runner.query(sql);
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

let test: TestDatabase;

beforeAll(async () => {
  test = await testDatabase({ schema: 'core', entities: [OutboxRow], migrations: [MakeOutbox1700000000000] });
});
afterAll(() => test.close());

it('counts what is not published and says how long the first of it has waited', async () => {
  expect(await outboxBacklog(test.database, 'core')).toEqual({ unpublished: 0, oldest_age_seconds: null });
  await test.database.dataSource.query(
    `INSERT INTO core.outbox
       (id, org_id, event_type, aggregate_id, sequence, lane, body, created_at, published_at)
     SELECT gen_random_uuid(), gen_random_uuid(), 'order_updated', 'a', n, 'plain', '{}',
       now() - make_interval(secs => 100 - 10 * n), CASE WHEN n = 1 THEN now() END
     FROM generate_series(1, 4) n`,
  );
  const { unpublished, oldest_age_seconds: age } = await outboxBacklog(test.database, 'core');
  expect(unpublished).toBe(3);
  expect(age).toBeGreaterThanOrEqual(80);
  expect(age).toBeLessThan(90);
});
