import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Single sign-on at the provider of an organization, and how each session was made (decision 0049). */
export class SignOn0010 implements MigrationInterface {
  readonly name = '0010';

  async up(runner: QueryRunner): Promise<void> {
    for (const text of STATEMENTS) await runner.query(text);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0010 cannot be undone: restore a backup instead.'));
  }
}

const STATEMENTS = [
  `CREATE TABLE core.sign_on_providers (
    org_id uuid CONSTRAINT sign_on_providers_pkey PRIMARY KEY,
    issuer text NOT NULL,
    client_id text NOT NULL,
    client_secret bytea NOT NULL,
    version integer NOT NULL,
    changed_by text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE TABLE core.staff_sign_ons (
    hash text CONSTRAINT staff_sign_ons_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    issuer text NOT NULL,
    client_id text NOT NULL,
    return_to text NOT NULL,
    expires_at timestamptz NOT NULL
  )`,
  `ALTER TABLE core.staff_sessions ADD COLUMN made_by text NOT NULL DEFAULT 'password'`,
];
