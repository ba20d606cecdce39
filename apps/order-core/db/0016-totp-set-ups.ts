import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A new app for codes lies beside the one that counts until its first code. */
export class TotpSetUps0016 implements MigrationInterface {
  readonly name = '0016';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE core.staff_totp_set_ups (
      staff_id uuid CONSTRAINT staff_totp_set_ups_pkey PRIMARY KEY,
      org_id uuid NOT NULL,
      secret bytea NOT NULL,
      recovery_hashes bytea[] NOT NULL
    )`);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0016 cannot be undone: restore a backup instead.'));
  }
}
