import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The workflow that an organization chose for its orders; null is the default. */
export class Workflow1763722000000 implements MigrationInterface {
  name = 'Workflow1763722000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE core.organizations
      ADD COLUMN workflow_mode text NOT NULL DEFAULT 'default', ADD COLUMN workflow jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE core.organizations DROP COLUMN workflow_mode, DROP COLUMN workflow`);
  }
}
