import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addIntegrationSql } from '@offizin/events/outbox';

/** The integration whose request an event concerns; only order-core sets it. */
export class OutboxIntegrations0003 implements MigrationInterface {
  readonly name = '0003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(addIntegrationSql('webhooks'));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0003 cannot be undone: restore a backup instead.'));
  }
}
