export const AUDIT = [
  `CREATE TABLE core.audit_log (
    position bigserial CONSTRAINT audit_log_pkey PRIMARY KEY,
    org_id uuid,
    at timestamptz NOT NULL DEFAULT now(),
    actor text NOT NULL,
    action text NOT NULL,
    object text NOT NULL,
    request_id text NOT NULL,
    record_id uuid
  )`,
  `CREATE TABLE core.audit_seals (
    position bigint CONSTRAINT audit_seals_pkey PRIMARY KEY,
    hash bytea NOT NULL,
    sealed_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE TABLE core.audit_checkpoints (
    id smallint CONSTRAINT audit_checkpoints_pkey PRIMARY KEY,
    position bigint NOT NULL,
    seal bytea NOT NULL,
    checked bigint NOT NULL,
    mac bytea NOT NULL
  )`,
  `CREATE TABLE core.erasures (
    id uuid CONSTRAINT erasures_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    email_hash bytea,
    email_ciphertext bytea,
    object_kind text,
    object_id uuid,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    request_id text NOT NULL,
    orders integer NOT NULL DEFAULT 0,
    order_requests integer NOT NULL DEFAULT 0,
    prescriptions integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    vacuumed_at timestamptz,
    CONSTRAINT erasures_subject CHECK (num_nonnulls(email_hash, object_id) = 1)
  )`,

  `CREATE INDEX audit_log_org ON core.audit_log (org_id, position)`,
  // The history of one object. Its entries may say more after its id: `order-request:<id>:overrides:2`.
  `CREATE INDEX audit_log_object ON core.audit_log (org_id, object text_pattern_ops, position)`,
  // Each record of another service is entered once.
  `CREATE UNIQUE INDEX audit_log_record ON core.audit_log (record_id) WHERE record_id IS NOT NULL`,
  `CREATE INDEX erasures_unfinished ON core.erasures (created_at) WHERE finished_at IS NULL`,
  `CREATE INDEX erasures_not_vacuumed ON core.erasures (finished_at) WHERE vacuumed_at IS NULL`,

  // The service's role owns the tables, so missing privileges alone cannot make them append-only.
  `CREATE FUNCTION core.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP;
   END $$`,
  `CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON core.audit_log
     FOR EACH STATEMENT EXECUTE FUNCTION core.refuse_change()`,
  `CREATE TRIGGER audit_seals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON core.audit_seals
     FOR EACH STATEMENT EXECUTE FUNCTION core.refuse_change()`,
];
