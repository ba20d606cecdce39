import type { MigrationInterface, QueryRunner } from 'typeorm';

/** That a request came with a prescription outlives the prescription: reports count it after an erasure, too. */
export class ErasedDocuments1763761000000 implements MigrationInterface {
  readonly name = 'ErasedDocuments1763761000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE core.order_requests ADD COLUMN document_erased boolean NOT NULL DEFAULT false',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE core.order_requests DROP COLUMN document_erased');
  }
}
