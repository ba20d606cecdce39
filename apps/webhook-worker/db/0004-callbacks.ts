import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The callback of a partner is a subscription of one integration in one shop. There are few subscriptions. */
export class Callbacks0004 implements MigrationInterface {
  readonly name = '0004';

  async up(runner: QueryRunner): Promise<void> {
    for (const text of STATEMENTS) await runner.query(text);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0004 cannot be undone: restore a backup instead.'));
  }
}

const STATEMENTS = [
  `ALTER TABLE webhooks.subscriptions ADD COLUMN integration_id uuid, ADD COLUMN shop_id uuid,
     ADD CONSTRAINT subscriptions_callback_of CHECK ((integration_id IS NULL) = (shop_id IS NULL))`,
  `CREATE UNIQUE INDEX subscriptions_callback ON webhooks.subscriptions (integration_id, shop_id)
   WHERE integration_id IS NOT NULL AND deleted_at IS NULL`,
];
