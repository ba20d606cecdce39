import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organizations whose stock follows the orders that integrators upsert, and the claims by which it does. */
export class StockFollowing1763743000000 implements MigrationInterface {
  name = 'StockFollowing1763743000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE core.organizations ADD COLUMN stock_follows_orders boolean NOT NULL DEFAULT false`,
    );
    await runner.query(`ALTER TABLE core.orders ADD COLUMN stock_claim_id uuid`);
    await runner.query(`CREATE TABLE core.stock_claims (
      id uuid CONSTRAINT stock_claims_pkey PRIMARY KEY,
      order_id uuid,
      created_at timestamptz NOT NULL DEFAULT now()
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE core.stock_claims');
    await runner.query('ALTER TABLE core.orders DROP COLUMN stock_claim_id');
    await runner.query('ALTER TABLE core.organizations DROP COLUMN stock_follows_orders');
  }
}
