import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIdempotencySql } from '@offizin/idempotency/idempotency-keys';

export class CreateIdempotencyKeys1772500000000 implements MigrationInterface {
  readonly name = 'CreateIdempotencyKeys1772500000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of createIdempotencySql('webhooks')) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE webhooks.idempotency_keys');
  }
}
