import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropOutboxTimesSql } from '@offizin/events/outbox';

/** Beside running writers, so outside a transaction. */
export class DropOutboxTimes1772800000000 implements MigrationInterface {
  readonly name = 'DropOutboxTimes1772800000000';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(dropOutboxTimesSql('webhooks'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX outbox_created ON webhooks.outbox (created_at)');
  }
}
