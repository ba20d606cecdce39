export const DIRECTORY = [
  `CREATE TABLE core.organizations (
    id uuid CONSTRAINT organizations_pkey PRIMARY KEY,
    name text NOT NULL,
    is_active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    workflow_mode text NOT NULL DEFAULT 'default',
    workflow jsonb,
    stock_follows_orders boolean NOT NULL DEFAULT false
  )`,
  `CREATE TABLE core.shops (
    id uuid CONSTRAINT shops_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    name text NOT NULL,
    domain text NOT NULL CONSTRAINT shops_domain UNIQUE,
    is_active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE TABLE core.api_keys (
    id uuid CONSTRAINT api_keys_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    hash text NOT NULL CONSTRAINT api_keys_hash UNIQUE,
    scopes text[] NOT NULL,
    shop_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    replaced_by uuid
  )`,
  `CREATE TABLE core.data_keys (
    org_id uuid CONSTRAINT data_keys_pkey PRIMARY KEY,
    wrapped_key bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,

  `CREATE INDEX shops_org ON core.shops (org_id)`,
  `CREATE INDEX api_keys_org ON core.api_keys (org_id)`,
];
