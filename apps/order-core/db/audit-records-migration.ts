import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Entries of what other services did carry the id of their record, so that each is entered once. */
export class AuditRecords1763734000000 implements MigrationInterface {
  readonly name = 'AuditRecords1763734000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE core.audit_log ADD COLUMN record_id uuid');
    await runner.query(
      'CREATE UNIQUE INDEX audit_log_record ON core.audit_log (record_id) WHERE record_id IS NOT NULL',
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('The seals cover the ids of records: restore a backup instead.'));
  }
}
