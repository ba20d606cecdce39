-- The whole schema of webhook-worker. docs/recipes.md#the-schema describes how to change it.
-- The entities beside this file describe the same tables; they say what each column means.

-- Version 7 of RFC 9562: 48 bits of milliseconds, then random bits. PostgreSQL has a built-in function from version 18 on.
CREATE FUNCTION webhooks.uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT encode(set_bit(set_bit(overlay(
    uuid_send(gen_random_uuid())
    PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
    FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
$$;

-- The key of a queue: deliveries of one subscription and object go out one after the other.
CREATE FUNCTION webhooks.queue_of(subscription_id uuid, aggregate_id text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT hashtextextended(aggregate_id, hashtextextended(subscription_id::text, 0))
$$;

-- The callback of a partner is a subscription of one integration in one shop.
CREATE TABLE webhooks.subscriptions (
  id uuid NOT NULL,
  org_id uuid NOT NULL,
  url text NOT NULL,
  event_types text[],
  description text,
  is_active boolean NOT NULL DEFAULT true,
  rate_per_second integer,
  paced_until timestamptz NOT NULL DEFAULT now(),
  secret bytea NOT NULL,
  previous_secret bytea,
  previous_secret_until timestamptz,
  disabled_reason text,
  disabled_at timestamptz,
  failing_since timestamptz,
  event_sequence integer NOT NULL DEFAULT 0,
  revision integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz,
  integration_id uuid,
  shop_id uuid,
  CONSTRAINT subscriptions_pkey PRIMARY KEY (id),
  CONSTRAINT subscriptions_callback_of CHECK ((integration_id IS NULL) = (shop_id IS NULL))
);
-- The organization's own subscriptions are found without its callbacks, which may be many.
CREATE INDEX subscriptions_own ON webhooks.subscriptions (org_id)
  WHERE integration_id IS NULL AND deleted_at IS NULL;
CREATE UNIQUE INDEX subscriptions_callback ON webhooks.subscriptions (integration_id, shop_id)
  WHERE integration_id IS NOT NULL AND deleted_at IS NULL;

CREATE TABLE webhooks.events (
  id uuid NOT NULL,
  position bigserial NOT NULL,
  org_id uuid NOT NULL,
  event_type text NOT NULL,
  aggregate_id text NOT NULL,
  sequence integer NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL,
  traceparent text,
  CONSTRAINT events_pkey PRIMARY KEY (id)
);
CREATE INDEX events_feed ON webhooks.events (org_id, position);
CREATE INDEX events_recent ON webhooks.events (org_id, created_at);
CREATE INDEX events_of_aggregate ON webhooks.events (org_id, aggregate_id, sequence);

-- Half of each page stays free (fillfactor): leases are written without an index update, even for all rows of a page.
-- Frequent vacuums keep the two partial indexes of the backlog as small as it is.
CREATE TABLE webhooks.deliveries (
  id uuid NOT NULL,
  subscription_id uuid NOT NULL,
  event_id uuid NOT NULL,
  org_id uuid NOT NULL,
  event_type text NOT NULL,
  aggregate_id text NOT NULL,
  queue bigint,
  sequence integer NOT NULL,
  status text NOT NULL DEFAULT 'pending',
  attempt_count integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  last_attempt_at timestamptz,
  lease_token uuid,
  lease_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  traceparent text,
  CONSTRAINT deliveries_pkey PRIMARY KEY (id),
  CONSTRAINT deliveries_in_queue CHECK ((queue IS NOT NULL) = (status = 'pending')),
  CONSTRAINT deliveries_status CHECK (status IN ('pending', 'succeeded', 'failed', 'cancelled'))
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
CREATE UNIQUE INDEX deliveries_once ON webhooks.deliveries (subscription_id, event_id);
-- The planner often believes that nothing is pending and that any partial index is cheap to read. So these two have
-- different predicates, `status` and `queue` (set only while pending); neither can serve the other's query.
CREATE INDEX deliveries_due ON webhooks.deliveries (subscription_id, next_attempt_at, id) WHERE status = 'pending';
CREATE INDEX deliveries_queue ON webhooks.deliveries (queue, sequence) WHERE queue IS NOT NULL;
-- For the statistics of the last hours.
CREATE INDEX deliveries_tried ON webhooks.deliveries (subscription_id, last_attempt_at)
  WHERE last_attempt_at IS NOT NULL;
-- Those that will not be tried again. They are rare, and searched when an endpoint fails.
CREATE INDEX deliveries_given_up ON webhooks.deliveries (subscription_id, event_id)
  WHERE status IN ('failed', 'cancelled');

CREATE TABLE webhooks.attempts (
  delivery_id uuid NOT NULL,
  number integer NOT NULL,
  started_at timestamptz NOT NULL,
  duration_ms integer NOT NULL,
  status_code integer,
  failure text,
  answer text,
  CONSTRAINT attempts_pkey PRIMARY KEY (delivery_id, number)
);

-- Bus: events to send, messages that cannot be processed, idempotency keys (libs/events, libs/idempotency).

CREATE TABLE webhooks.outbox (
  id uuid NOT NULL,
  position bigserial NOT NULL,
  org_id uuid NOT NULL,
  event_type text NOT NULL,
  aggregate_id text NOT NULL,
  sequence integer NOT NULL,
  topic text NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  published_at timestamptz,
  traceparent text,
  integration_id uuid,
  CONSTRAINT outbox_pkey PRIMARY KEY (id)
);
CREATE INDEX outbox_unpublished ON webhooks.outbox (position) WHERE published_at IS NULL;

CREATE TABLE webhooks.set_aside (
  id text CONSTRAINT set_aside_pkey PRIMARY KEY,
  kind text NOT NULL,
  subject text NOT NULL,
  event_id uuid,
  reason text NOT NULL,
  content bytea NOT NULL,
  set_aside_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX set_aside_event ON webhooks.set_aside (event_id) WHERE event_id IS NOT NULL;

CREATE TABLE webhooks.idempotency_keys (
  org_id uuid NOT NULL,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  status text NOT NULL,
  lease_token uuid NOT NULL,
  lease_until timestamptz NOT NULL,
  answer_status integer,
  answer_headers jsonb,
  answer_ciphertext bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  object_id uuid,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (org_id, key)
);
CREATE INDEX idempotency_keys_created ON webhooks.idempotency_keys (created_at);
-- For erasures.
CREATE INDEX idempotency_keys_object ON webhooks.idempotency_keys (object_id) WHERE object_id IS NOT NULL;
