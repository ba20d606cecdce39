import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIdempotencySql } from '@offizin/idempotency/idempotency-keys';
import { SCHEMA } from './schema';

export class CreateIdempotencyKeys1763726400000 implements MigrationInterface {
  readonly name = 'CreateIdempotencyKeys1763726400000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of createIdempotencySql(SCHEMA)) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${SCHEMA}.idempotency_keys`);
  }
}
