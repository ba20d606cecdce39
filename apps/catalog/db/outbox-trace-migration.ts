import type { MigrationInterface, QueryRunner } from 'typeorm';
import { traceOutboxSql } from '@offizin/events/outbox';

export class OutboxTrace1763750000000 implements MigrationInterface {
  name = 'OutboxTrace1763750000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(traceOutboxSql('catalog'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE catalog.outbox DROP COLUMN traceparent');
  }
}
