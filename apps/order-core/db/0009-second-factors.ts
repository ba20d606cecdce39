import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Second factors of people, and sign-ins that wait for one. */
export class SecondFactors0009 implements MigrationInterface {
  readonly name = '0009';

  async up(runner: QueryRunner): Promise<void> {
    for (const text of STATEMENTS) await runner.query(text);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0009 cannot be undone: restore a backup instead.'));
  }
}

const STATEMENTS = [
  `CREATE TABLE core.staff_totp (
    staff_id uuid CONSTRAINT staff_totp_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    secret bytea NOT NULL,
    last_step integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    confirmed_at timestamptz
  )`,
  `CREATE TABLE core.staff_recovery_codes (
    staff_id uuid NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT staff_recovery_codes_pkey PRIMARY KEY (staff_id, hash)
  )`,
  `CREATE TABLE core.staff_passkeys (
    id uuid CONSTRAINT staff_passkeys_pkey PRIMARY KEY,
    staff_id uuid NOT NULL,
    org_id uuid NOT NULL,
    credential_id text NOT NULL CONSTRAINT staff_passkeys_credential UNIQUE,
    public_key bytea NOT NULL,
    sign_count bigint NOT NULL,
    transports text[] NOT NULL,
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz
  )`,
  `CREATE INDEX staff_passkeys_staff ON core.staff_passkeys (staff_id)`,
  `CREATE TABLE core.staff_sign_ins (
    hash text CONSTRAINT staff_sign_ins_pkey PRIMARY KEY,
    staff_id uuid NOT NULL,
    org_id uuid NOT NULL,
    expires_at timestamptz NOT NULL
  )`,
  `CREATE INDEX staff_sign_ins_staff ON core.staff_sign_ins (staff_id)`,
  `CREATE TABLE core.staff_challenges (
    owner text NOT NULL,
    purpose text NOT NULL,
    challenge text NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT staff_challenges_pkey PRIMARY KEY (owner, purpose)
  )`,
  `ALTER TABLE core.organizations ADD COLUMN second_factor_roles text[] NOT NULL DEFAULT '{}'`,
  `CREATE FUNCTION core.has_second_factor(person uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM core.staff_totp t WHERE t.staff_id = person AND t.confirmed_at IS NOT NULL)
        OR EXISTS (SELECT FROM core.staff_passkeys k WHERE k.staff_id = person)
  $$`,
];
