import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The first key of a chain of rotations names the integration; null: the key itself. An installation has few keys. */
export class FirstKeys0020 implements MigrationInterface {
  readonly name = '0020';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE core.api_keys ADD COLUMN first_key_id uuid`);
    await runner.query(
      `WITH RECURSIVE chain AS (
         SELECT k.id, k.replaced_by, k.id AS first_key_id FROM core.api_keys k
         WHERE k.replaced_by IS NOT NULL AND NOT EXISTS (SELECT FROM core.api_keys earlier WHERE earlier.replaced_by = k.id)
         UNION ALL
         SELECT k.id, k.replaced_by, chain.first_key_id FROM chain JOIN core.api_keys k ON k.id = chain.replaced_by
       )
       UPDATE core.api_keys k SET first_key_id = chain.first_key_id
       FROM chain WHERE chain.id = k.id AND chain.first_key_id <> k.id`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0020 cannot be undone: restore a backup instead.'));
  }
}
