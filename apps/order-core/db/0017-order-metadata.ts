import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Values of the caller's own on orders. A constant default rewrites no table. */
export class OrderMetadata0017 implements MigrationInterface {
  readonly name = '0017';

  async up(runner: QueryRunner): Promise<void> {
    for (const text of STATEMENTS) await runner.query(text);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0017 cannot be undone: restore a backup instead.'));
  }
}

const STATEMENTS = [
  `ALTER TABLE core.orders ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}'`,
  // A null of a key removes it, a JSON null in place of the object all. The limit is that of libs/contracts/metadata.ts.
  `CREATE FUNCTION core.merged_metadata(stored jsonb, given jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
    DECLARE
      merged jsonb := CASE WHEN given = 'null' THEN '{}' ELSE jsonb_strip_nulls(stored || given) END;
    BEGIN
      IF (SELECT count(*) FROM jsonb_object_keys(merged)) > 20 THEN
        RAISE EXCEPTION 'more than 20 keys of metadata' USING ERRCODE = 'program_limit_exceeded';
      END IF;
      RETURN merged;
    END $$`,
];
