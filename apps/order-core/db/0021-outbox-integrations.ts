import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addIntegrationSql } from '@offizin/events/outbox';

/** The integration whose request an event concerns; only order-core sets it. */
export class OutboxIntegrations0021 implements MigrationInterface {
  readonly name = '0021';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(addIntegrationSql('core'));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0021 cannot be undone: restore a backup instead.'));
  }
}
