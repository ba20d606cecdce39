/** Prescriptions, and the documents of prescriptions and order requests. */
export const PRESCRIPTIONS = [
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
  `CREATE TABLE core.documents (
    id uuid CONSTRAINT documents_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    order_request_id uuid,
    prescription_id uuid,
    version integer NOT NULL DEFAULT 1,
    state text NOT NULL,
    url_ciphertext bytea,
    failure text,
    next_fetch_at timestamptz,
    fetch_attempts integer NOT NULL DEFAULT 0,
    sha256 bytea,
    size_bytes integer,
    ciphertext bytea,
    signature text,
    pages integer,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT documents_owner CHECK (num_nonnulls(order_request_id, prescription_id) = 1)
  )`,
  // Ciphertext does not compress: external uncompressed storage saves the attempt.
  `ALTER TABLE core.prescriptions ALTER COLUMN body_ciphertext SET STORAGE EXTERNAL`,
  `ALTER TABLE core.documents ALTER COLUMN ciphertext SET STORAGE EXTERNAL`,

  `CREATE INDEX prescriptions_org_created ON core.prescriptions (org_id, created_at, id)`,
  `CREATE INDEX prescriptions_customer ON core.prescriptions (org_id, customer_email_hash)`,
  `CREATE INDEX documents_request ON core.documents (order_request_id)`,
  `CREATE INDEX documents_prescription ON core.documents (prescription_id)`,
  `CREATE INDEX documents_sha256 ON core.documents (org_id, sha256)`,
  `CREATE INDEX documents_waiting ON core.documents (next_fetch_at) WHERE state = 'waiting'`,
];
