import type { MigrationInterface, QueryRunner } from 'typeorm';
import { traceOutboxSql } from '@offizin/events/outbox';

/** From the event to its deliveries, so that a request to a subscriber stands in the trace that caused it. */
export class AddTraces1772600000000 implements MigrationInterface {
  readonly name = 'AddTraces1772600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(traceOutboxSql('webhooks'));
    await runner.query('ALTER TABLE webhooks.events ADD COLUMN traceparent text');
    await runner.query('ALTER TABLE webhooks.deliveries ADD COLUMN traceparent text');
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['outbox', 'events', 'deliveries'])
      await runner.query(`ALTER TABLE webhooks.${table} DROP COLUMN traceparent`);
  }
}
