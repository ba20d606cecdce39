import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '@offizin/pg/migrate';

/** The first of two approvals, kept with the request, and the rule that asks for two (decision 0047). */
export class FourEyes0008 implements MigrationInterface {
  readonly name = '0008';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE core.review_settings
      ADD COLUMN IF NOT EXISTS four_eyes text NOT NULL DEFAULT 'off',
      ADD COLUMN IF NOT EXISTS four_eyes_categories text[] NOT NULL DEFAULT '{}'`);
    await runner.query(`ALTER TABLE core.order_requests
      ADD COLUMN IF NOT EXISTS first_approved_by uuid,
      ADD COLUMN IF NOT EXISTS first_approved_at timestamptz,
      ADD COLUMN IF NOT EXISTS first_approval_digest bytea,
      ADD COLUMN IF NOT EXISTS first_approval_ciphertext bytea`);
    await createIndexConcurrently(runner, {
      schema: 'core',
      name: 'order_requests_second_look',
      on: `order_requests (org_id, created_at, id) WHERE status = 'pending' AND first_approved_by IS NOT NULL`,
    });
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0008 cannot be undone: restore a backup instead.'));
  }
}
