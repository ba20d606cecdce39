import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addAnswerObjectSql } from '@offizin/idempotency/idempotency-keys';

/** Erasure by the id of an object, in stored answers, and the time when the tables were vacuumed after it. */
export class ErasedById1763850000000 implements MigrationInterface {
  readonly name = 'ErasedById1763850000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [...addAnswerObjectSql('core'), ...ERASURES]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE core.idempotency_keys DROP COLUMN object_id');
    await runner.query('DELETE FROM core.erasures WHERE email_hash IS NULL');
    await runner.query(
      `ALTER TABLE core.erasures DROP COLUMN object_kind, DROP COLUMN object_id, DROP COLUMN vacuumed_at,
         ALTER COLUMN email_hash SET NOT NULL`,
    );
  }
}

const ERASURES = [
  `ALTER TABLE core.erasures ADD COLUMN object_kind text, ADD COLUMN object_id uuid,
     ADD COLUMN vacuumed_at timestamptz, ALTER COLUMN email_hash DROP NOT NULL,
     ADD CONSTRAINT erasures_subject CHECK (num_nonnulls(email_hash, object_id) = 1)`,
  `CREATE INDEX erasures_not_vacuumed ON core.erasures (finished_at) WHERE vacuumed_at IS NULL`,
];
