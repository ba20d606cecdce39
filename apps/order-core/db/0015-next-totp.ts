import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The secret and recovery codes of an app that replaces one in use: they wait for its first code (decision 0048). */
export class NextTotp0015 implements MigrationInterface {
  readonly name = '0015';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE core.staff_totp ADD COLUMN next_secret bytea, ADD COLUMN next_codes bytea[]`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0015 cannot be undone: restore a backup instead.'));
  }
}
