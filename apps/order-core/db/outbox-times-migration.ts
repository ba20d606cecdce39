import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropOutboxTimesSql } from '@offizin/events/outbox';

/** Beside running writers, so outside a transaction. */
export class OutboxTimes1763770000000 implements MigrationInterface {
  name = 'OutboxTimes1763770000000';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(dropOutboxTimesSql('core'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX outbox_created ON core.outbox (created_at)');
  }
}
