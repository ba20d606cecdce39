import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addAnswerObjectSql } from '@offizin/idempotency/idempotency-keys';

/** The table of Idempotency-Keys is the same in every service. */
export class AddAnswerObjects1773200000000 implements MigrationInterface {
  readonly name = 'AddAnswerObjects1773200000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of addAnswerObjectSql('webhooks')) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhooks.idempotency_keys DROP COLUMN object_id');
  }
}
