export const REVIEW = [
  `CREATE TABLE core.review_marks (
    order_request_id uuid NOT NULL,
    version integer NOT NULL,
    org_id uuid NOT NULL,
    issued_on date,
    signature_seen boolean NOT NULL DEFAULT false,
    prescriber_checked boolean NOT NULL DEFAULT false,
    dose_plausible boolean NOT NULL DEFAULT false,
    note_ciphertext bytea,
    changed_by text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT review_marks_pkey PRIMARY KEY (order_request_id, version)
  )`,
  `CREATE TABLE core.review_settings (
    org_id uuid NOT NULL,
    version integer NOT NULL,
    marks text[] NOT NULL,
    marks_only_for_thc boolean NOT NULL,
    amber_days integer NOT NULL,
    red_days integer NOT NULL,
    templates jsonb NOT NULL,
    changed_by text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT review_settings_pkey PRIMARY KEY (org_id)
  )`,
  `CREATE TABLE core.review_views (
    session_id text NOT NULL,
    order_request_id uuid NOT NULL,
    viewed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT review_views_pkey PRIMARY KEY (session_id, order_request_id)
  )`,

  `CREATE INDEX review_views_viewed ON core.review_views (viewed_at)`,
];
