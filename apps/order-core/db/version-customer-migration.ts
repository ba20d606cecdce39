import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whose a replaced version of an order request was, so that an erasure finds it. */
export class VersionCustomer1763742000000 implements MigrationInterface {
  name = 'VersionCustomer1763742000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE core.order_request_versions ADD COLUMN customer_digest bytea`);
    await runner.query(
      `CREATE INDEX order_request_versions_customer ON core.order_request_versions (org_id, customer_digest)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE core.order_request_versions DROP COLUMN customer_digest`);
  }
}
