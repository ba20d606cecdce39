import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '@offizin/pg/migrate';

/**
 * The audit log by period and by person. Programs make most entries, and only those of people are looked for by actor:
 * the second index costs the calls of programs nothing.
 */
export class AuditFilters0007 implements MigrationInterface {
  readonly name = '0007';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const schema = 'core';
    await createIndexConcurrently(runner, {
      schema,
      name: 'audit_log_time',
      on: 'audit_log (org_id, at, position)',
    });
    await createIndexConcurrently(runner, {
      schema,
      name: 'audit_log_staff',
      on: `audit_log (org_id, actor, position) WHERE left(actor, 6) = 'staff:'`,
    });
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0007 cannot be undone: restore a backup instead.'));
  }
}
