import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The integration that handed a request in, for its callback. Null: handed in otherwise, or before this migration. */
export class RequestIntegrations0019 implements MigrationInterface {
  readonly name = '0019';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE core.order_requests ADD COLUMN integration_id uuid`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0019 cannot be undone: restore a backup instead.'));
  }
}
