import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the audit log was verified: a check goes on from there. */
export class AuditCheckpoint1763810000000 implements MigrationInterface {
  readonly name = 'AuditCheckpoint1763810000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE core.audit_checkpoints (
      id smallint CONSTRAINT audit_checkpoints_pkey PRIMARY KEY,
      position bigint NOT NULL,
      seal bytea NOT NULL,
      checked bigint NOT NULL,
      mac bytea NOT NULL
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE core.audit_checkpoints');
  }
}
