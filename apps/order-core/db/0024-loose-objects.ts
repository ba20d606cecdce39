import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '@offizin/pg/migrate';

/**
 * Documents in the document store (decision 0067). The trigger makes every deletion of a document a deletion of its object,
 * also one by the previous version. Without transaction for the indexes, so each statement can run again.
 */
const STEPS = [
  `CREATE TABLE IF NOT EXISTS core.loose_objects (
    name uuid CONSTRAINT loose_objects_pkey PRIMARY KEY,
    document_id uuid,
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX IF NOT EXISTS loose_objects_due ON core.loose_objects (due_at)`,
  `CREATE UNIQUE INDEX IF NOT EXISTS loose_objects_document ON core.loose_objects (document_id)`,
  `ALTER TABLE core.documents ADD COLUMN IF NOT EXISTS object_name uuid`,
  `CREATE OR REPLACE FUNCTION core.loosen_object() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO core.loose_objects (name) VALUES (OLD.object_name);
     RETURN NULL;
   END $$`,
  `CREATE OR REPLACE TRIGGER loosen_object AFTER DELETE ON core.documents
   FOR EACH ROW WHEN (OLD.object_name IS NOT NULL) EXECUTE FUNCTION core.loosen_object()`,
];

export class LooseObjects0024 implements MigrationInterface {
  readonly name = '0024';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of STEPS) await runner.query(sql);
    const indexes = {
      documents_to_move: '(created_at) WHERE ciphertext IS NOT NULL AND order_request_id IS NOT NULL',
      documents_moved: '(object_name) WHERE object_name IS NOT NULL',
    };
    for (const [name, on] of Object.entries(indexes))
      await createIndexConcurrently(runner, { schema: 'core', name, on: `documents ${on}` });
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0024 cannot be undone: restore a backup instead.'));
  }
}
