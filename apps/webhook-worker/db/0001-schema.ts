import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createOutboxSql } from '@offizin/events/outbox';
import { createSetAsideSql } from '@offizin/events/set-aside';
import { createIdempotencySql } from '@offizin/idempotency/idempotency-keys';

/** The whole schema of webhook-worker, in one transaction. Released with 0.1.0 and then never edited: add 0002. */
export class Schema0001 implements MigrationInterface {
  readonly name = '0001';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [
      ...FUNCTIONS,
      ...SUBSCRIPTIONS,
      ...EVENTS,
      ...DELIVERIES,
      ...createOutboxSql('webhooks'),
      ...createSetAsideSql('webhooks'),
      ...createIdempotencySql('webhooks'),
    ]) {
      await runner.query(sql);
    }
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0001 cannot be undone: restore a backup instead.'));
  }
}

const FUNCTIONS = [
  // Version 7 of RFC 9562: 48 bits of milliseconds, then random bits. PostgreSQL has a built-in function from version 18 on.
  `CREATE FUNCTION webhooks.uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
    SELECT encode(set_bit(set_bit(overlay(
      uuid_send(gen_random_uuid())
      PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
      FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
  $$`,
  // The key of a queue: deliveries of one subscription and object go out one after the other.
  `CREATE FUNCTION webhooks.queue_of(subscription_id uuid, aggregate_id text) RETURNS bigint
   LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT hashtextextended(aggregate_id, hashtextextended(subscription_id::text, 0))
  $$`,
];

const SUBSCRIPTIONS = [
  `CREATE TABLE webhooks.subscriptions (
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
    CONSTRAINT subscriptions_pkey PRIMARY KEY (id)
  )`,

  `CREATE INDEX subscriptions_organization ON webhooks.subscriptions (org_id, created_at)
   WHERE deleted_at IS NULL`,
];

const EVENTS = [
  `CREATE TABLE webhooks.events (
    id uuid NOT NULL,
    position BIGSERIAL NOT NULL,
    org_id uuid NOT NULL,
    event_type text NOT NULL,
    aggregate_id text NOT NULL,
    sequence integer NOT NULL,
    body text NOT NULL,
    created_at timestamptz NOT NULL,
    traceparent text,
    CONSTRAINT events_pkey PRIMARY KEY (id)
  )`,

  `CREATE INDEX events_feed ON webhooks.events (org_id, position)`,
  `CREATE INDEX events_recent ON webhooks.events (org_id, created_at)`,
  `CREATE INDEX events_of_aggregate ON webhooks.events (org_id, aggregate_id, sequence)`,
];

/**
 * Half of each page stays free (fillfactor): leases are written without an index update, even for all rows of a page. Frequent vacuums keep the two partial indexes as small as the backlog.
 *
 * The planner often believes that nothing is pending and that any partial index is cheap to read. So the two have
 * different predicates, `status` and `queue` (set only while pending); neither can serve the other's query.
 */
const DELIVERIES = [
  `CREATE TABLE webhooks.deliveries (
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
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)`,
  `CREATE TABLE webhooks.attempts (
    delivery_id uuid NOT NULL,
    number integer NOT NULL,
    started_at timestamptz NOT NULL,
    duration_ms integer NOT NULL,
    status_code integer,
    failure text,
    answer text,
    CONSTRAINT attempts_pkey PRIMARY KEY (delivery_id, number)
  )`,

  `CREATE UNIQUE INDEX deliveries_once ON webhooks.deliveries (subscription_id, event_id)`,
  `CREATE INDEX deliveries_due ON webhooks.deliveries (subscription_id, next_attempt_at, id)
   WHERE status = 'pending'`,
  `CREATE INDEX deliveries_queue ON webhooks.deliveries (queue, sequence) WHERE queue IS NOT NULL`,
];
