import { timeJson } from './0001-stored-time';

/** One expression without a query: PL/pgSQL evaluates it without running a plan. */
const SUMMARY = `'{"id":"' || NEW.id || '","status":"' || NEW.status || '","shop_id":"' || NEW.shop_id
  || '","source":' || to_json(NEW.source)
  || ',"external_reference":' || coalesce(to_json(NEW.external_reference)::text, 'null')
  || ',"customer_name":' || coalesce(to_json(NEW.customer_name)::text, 'null')
  || ',"total_amount":' || trim_scale(NEW.total_amount)
  || ',"order_id":' || coalesce('"' || NEW.order_id || '"', 'null')
  || ',"created_at":' || ${timeJson('NEW.created_at')} || 'Z","updated_at":' || ${timeJson('NEW.updated_at')} || 'Z"}'`;

export const ORDER_REQUESTS = [
  `CREATE TABLE core.order_requests (
    id uuid CONSTRAINT order_requests_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    shop_id uuid NOT NULL,
    source text NOT NULL,
    external_reference text,
    status text NOT NULL DEFAULT 'pending',
    attempt integer NOT NULL DEFAULT 0,
    attempt_lines bytea,
    sequence integer NOT NULL DEFAULT 1,
    version integer NOT NULL DEFAULT 1,
    version_at timestamptz,
    customer_name text,
    customer_digest bytea,
    search_text text NOT NULL DEFAULT '',
    lines_ciphertext bytea,
    line_count integer NOT NULL DEFAULT 0,
    shipping_option text,
    total_amount numeric(12,2) NOT NULL,
    payload_ciphertext bytea NOT NULL,
    payload_digest bytea NOT NULL,
    corrections_ciphertext bytea,
    override_ciphertext bytea,
    document_erased boolean NOT NULL DEFAULT false,
    order_id uuid,
    reason text,
    note text,
    partner_message text,
    question text,
    decided_by text,
    erased_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    summary text NOT NULL,
    CONSTRAINT order_requests_reference UNIQUE (shop_id, source, external_reference)
  )`,
  `CREATE TABLE core.order_request_versions (
    order_request_id uuid NOT NULL,
    number integer NOT NULL,
    org_id uuid NOT NULL,
    payload_ciphertext bytea NOT NULL,
    payload_digest bytea NOT NULL,
    customer_digest bytea,
    question text,
    created_at timestamptz NOT NULL,
    CONSTRAINT order_request_versions_pkey PRIMARY KEY (order_request_id, number)
  )`,

  `CREATE INDEX order_requests_org_created ON core.order_requests (org_id, created_at, id)`,
  `CREATE INDEX order_requests_org_shop_created ON core.order_requests (org_id, shop_id, created_at, id)`,
  // The tabs of the review list: open and asked by their status, decided by an index of their own.
  `CREATE INDEX order_requests_org_status_created ON core.order_requests (org_id, status, created_at, id)`,
  `CREATE INDEX order_requests_decided ON core.order_requests (org_id, created_at, id)
     WHERE status IN ('approved', 'rejected', 'expired')`,
  `CREATE INDEX order_requests_customer ON core.order_requests (org_id, customer_digest, created_at)`,
  `CREATE INDEX order_requests_open ON core.order_requests (created_at)
     WHERE status IN ('pending', 'needs_clarification')`,
  `CREATE INDEX order_request_versions_customer ON core.order_request_versions (org_id, customer_digest)`,

  // The JSON text of a request in the list, as of an order (0001-orders.ts).
  `CREATE FUNCTION core.summarize_order_request() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     NEW.summary := ${SUMMARY};
     RETURN NEW;
   END $$`,
  `CREATE TRIGGER order_request_summary BEFORE INSERT OR UPDATE ON core.order_requests
     FOR EACH ROW EXECUTE FUNCTION core.summarize_order_request()`,
];
