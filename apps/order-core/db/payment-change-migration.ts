import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the last update of an order told of its payment, when it changed nothing else. */
export class PaymentChange1763741000000 implements MigrationInterface {
  name = 'PaymentChange1763741000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE core.orders ADD COLUMN payment_change jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE core.orders DROP COLUMN payment_change`);
  }
}
