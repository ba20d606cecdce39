import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The organization's own subscriptions are found without its callbacks, which may be many. There are few subscriptions. */
export class SubscriptionsApart0005 implements MigrationInterface {
  readonly name = '0005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX subscriptions_own ON webhooks.subscriptions (org_id)
       WHERE integration_id IS NULL AND deleted_at IS NULL`,
    );
    await runner.query(`DROP INDEX webhooks.subscriptions_organization`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0005 cannot be undone: restore a backup instead.'));
  }
}
