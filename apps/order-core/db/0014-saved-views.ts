import type { MigrationInterface, QueryRunner } from 'typeorm';

/** As `folded` of libs/pg writes it today: a migration does not change with it. */
const FOLDED = `translate(lower(name), 'ÄÖÜÀÂÇÉÈÊËÎÏÑÓÔŁŠŽ', 'äöüàâçéèêëîïñóôłšž')`;

/** Saved views of the console, and the columns that a person chose for the table of orders. */
export class SavedViews0014 implements MigrationInterface {
  readonly name = '0014';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE core.saved_views (
      id uuid CONSTRAINT saved_views_pkey PRIMARY KEY,
      org_id uuid NOT NULL,
      staff_id uuid,
      screen text NOT NULL,
      name text NOT NULL,
      query jsonb NOT NULL,
      columns text[] NOT NULL,
      version integer NOT NULL DEFAULT 1,
      changed_at timestamptz NOT NULL DEFAULT now()
    )`);
    await runner.query(`CREATE UNIQUE INDEX saved_views_own
      ON core.saved_views (org_id, staff_id, screen, ${FOLDED}) WHERE staff_id IS NOT NULL`);
    await runner.query(`CREATE UNIQUE INDEX saved_views_shared
      ON core.saved_views (org_id, screen, ${FOLDED}) WHERE staff_id IS NULL`);
    await runner.query(`ALTER TABLE core.staff ADD COLUMN order_columns text[] NOT NULL DEFAULT '{}'`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0014 cannot be undone: restore a backup instead.'));
  }
}
