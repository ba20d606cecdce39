import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What came for the audit log and cannot be read is kept. */
export class UnreadableAudit1763760000000 implements MigrationInterface {
  readonly name = 'UnreadableAudit1763760000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE core.unreadable_audit_records (
      id text CONSTRAINT unreadable_audit_records_pkey PRIMARY KEY,
      reason text NOT NULL,
      content text NOT NULL,
      received_at timestamptz NOT NULL DEFAULT now()
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE core.unreadable_audit_records');
  }
}
