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
    passwords_for_owners_only boolean NOT NULL DEFAULT false,
    version integer NOT NULL,
    changed_by text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE TABLE core.staff_sign_ons (
    hash text CONSTRAINT staff_sign_ons_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    session_id uuid,
    issuer text NOT NULL,
    client_id text NOT NULL,
    return_to text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
  )`,
  `ALTER TABLE core.staff_sessions ADD COLUMN made_by text NOT NULL DEFAULT 'password'`,
  // Whether password, passkey and recovery code of a person open anything: not where the provider is the only way.
  `CREATE FUNCTION core.password_counts(person uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT NOT EXISTS (
      SELECT FROM core.staff p JOIN core.sign_on_providers o ON o.org_id = p.org_id AND o.passwords_for_owners_only
      WHERE p.id = person AND p.role <> 'owner')
  $$`,
  // A session made by password is not live while its person must use the provider: no sign-in can race with the switch.
  `CREATE OR REPLACE FUNCTION core.session_is_live(session_id uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
      SELECT FROM core.staff_sessions s
        JOIN core.staff p ON p.id = s.staff_id AND p.is_active
        JOIN core.organizations g ON g.id = s.org_id AND g.is_active
      WHERE s.id = session_id AND s.ended_at IS NULL AND s.ends_at > now()
        AND s.last_used_at > now() - make_interval(secs => s.idle_seconds)
        AND (s.made_by = 'provider' OR p.role = 'owner' OR NOT EXISTS (
          SELECT FROM core.sign_on_providers o WHERE o.org_id = s.org_id AND o.passwords_for_owners_only)))
  $$`,
];
