import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notes and marks of people at an order. */
export class OrderNotes0004 implements MigrationInterface {
  readonly name = '0004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE core.order_notes (
      id uuid CONSTRAINT order_notes_pkey PRIMARY KEY,
      org_id uuid NOT NULL,
      order_id uuid NOT NULL,
      at timestamptz NOT NULL DEFAULT now(),
      actor text NOT NULL,
      kind text NOT NULL,
      text_ciphertext bytea
    )`);
    await runner.query(`CREATE INDEX order_notes_order ON core.order_notes (order_id, id)`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0004 cannot be undone: restore a backup instead.'));
  }
}
