import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Prescriptions with their receipts, the seals of the audit log, and the erasure of customers. */
export class Prescriptions1763730000000 implements MigrationInterface {
  name = 'Prescriptions1763730000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [...PRESCRIPTIONS, ...AUDIT_SEALS, ...ERASURES]) await runner.query(sql);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Prescriptions and seals would be lost: restore a backup instead.'));
  }
}

const PRESCRIPTIONS = [
  `CREATE TABLE core.prescriptions (
    id uuid CONSTRAINT prescriptions_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    shop_id uuid NOT NULL,
    upsert_key bytea NOT NULL,
    body_digest bytea NOT NULL,
    receipt_digest bytea,
    customer_email_hash bytea,
    total_amount numeric(12,2),
    summary_ciphertext bytea NOT NULL,
    body_ciphertext bytea NOT NULL,
    sequence integer NOT NULL DEFAULT 1,
    erased_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT prescriptions_shop_key UNIQUE (shop_id, upsert_key)
  )`,
  `CREATE INDEX prescriptions_org_created ON core.prescriptions (org_id, created_at, id)`,
  `CREATE INDEX prescriptions_customer ON core.prescriptions (org_id, customer_email_hash)`,
  // Encrypted bytes do not compress: storing them outside the row, uncompressed, saves the attempt.
  `ALTER TABLE core.prescriptions ALTER COLUMN body_ciphertext SET STORAGE EXTERNAL`,
  `ALTER TABLE core.documents
    ALTER COLUMN order_request_id DROP NOT NULL,
    ADD COLUMN prescription_id uuid,
    ADD COLUMN url_ciphertext bytea,
    ADD CONSTRAINT documents_owner CHECK (num_nonnulls(order_request_id, prescription_id) = 1)`,
  `CREATE INDEX documents_prescription ON core.documents (prescription_id)`,
];

const AUDIT_SEALS = [
  `CREATE TABLE core.audit_seals (
    position bigint CONSTRAINT audit_seals_pkey PRIMARY KEY,
    hash bytea NOT NULL,
    sealed_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE FUNCTION core.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP;
   END $$`,
  `CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON core.audit_log
     FOR EACH STATEMENT EXECUTE FUNCTION core.refuse_change()`,
  `CREATE TRIGGER audit_seals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON core.audit_seals
     FOR EACH STATEMENT EXECUTE FUNCTION core.refuse_change()`,
];

/** Lower case of an e-mail, as libs/pg/list-page.ts folds text; frozen here, because an index is made of it. */
const folded = (expression: string): string =>
  `translate(lower(${expression}), 'ÄÖÜÀÂÇÉÈÊËÎÏÑÓÔŁŠŽ', 'äöüàâçéèêëîïñóôłšž')`;

const ERASURES = [
  `CREATE TABLE core.erasures (
    id uuid CONSTRAINT erasures_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    email_hash bytea NOT NULL,
    email_ciphertext bytea,
    actor_kind text NOT NULL,
    actor_id text NOT NULL,
    request_id text NOT NULL,
    orders integer NOT NULL DEFAULT 0,
    order_requests integer NOT NULL DEFAULT 0,
    prescriptions integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
  )`,
  `CREATE INDEX erasures_unfinished ON core.erasures (created_at) WHERE finished_at IS NULL`,
  `ALTER TABLE core.order_requests ADD COLUMN erased_at timestamptz`,
  `CREATE INDEX orders_customer_email ON core.orders (org_id, (${folded('customer_email')}))
     WHERE customer_email IS NOT NULL`,
  `CREATE INDEX order_history_customer_email ON core.order_history ((${folded("(fields ->> 'customer_email')")}))
     WHERE fields ->> 'customer_email' IS NOT NULL`,
];
