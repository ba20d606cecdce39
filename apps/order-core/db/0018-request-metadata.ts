import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Values of the partner's own on order requests; after 0017, because a migration locks one table. */
export class RequestMetadata0018 implements MigrationInterface {
  readonly name = '0018';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE core.order_requests ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}'`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0018 cannot be undone: restore a backup instead.'));
  }
}
