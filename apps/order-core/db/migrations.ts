import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIdempotencySql } from '@offizin/idempotency/idempotency-keys';
import { createOutboxSql } from '@offizin/events/outbox';
import { AuditCheckpoint1763810000000 } from './audit-checkpoint-migration';
import { AuditRecords1763734000000 } from './audit-records-migration';
import { PaymentChange1763741000000 } from './payment-change-migration';
import { OutboxTrace1763750000000 } from './outbox-trace-migration';
import { ErasedDocuments1763761000000 } from './erased-documents-migration';
import { UnreadableAudit1763760000000 } from './unreadable-audit-migration';
import { FillOrderCounters1763745000001, OrderCounters1763745000000 } from './order-counters-migration';
import { OrderIndexes1763745000002 } from './order-indexes-migration';
import { Prescriptions1763730000000 } from './prescriptions-migration';
import { RequestReview1763727000000 } from './request-review-migration';
import { StockFollowing1763743000000 } from './stock-following-migration';
import { VersionCustomer1763742000000 } from './version-customer-migration';
import { Workflow1763722000000 } from './workflow-migration';
import { OrderSummaries1763780000000 } from './order-summaries-migration';
import { OutboxTimes1763770000000 } from './outbox-times-migration';
import { CountedColumns1763781000000 } from './counted-columns-migration';
import { SetAside1763820000000 } from './set-aside-migration';
import { ErasedById1763850000000 } from './erased-by-id-migration';

/** Additive only, so that the version before can run beside it. Never edit one that has been released: add another. */
class Foundation1763720000000 implements MigrationInterface {
  name = 'Foundation1763720000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [...DIRECTORY, ...ORDERS, ...ORDER_REQUESTS, ...AUDIT, ...createOutboxSql('core')]) {
      await runner.query(sql);
    }
  }

  down(): Promise<void> {
    return Promise.reject(new Error('The foundation is not taken back: restore a backup instead.'));
  }
}

class IdempotencyAndKeyUse1763726400000 implements MigrationInterface {
  name = 'IdempotencyAndKeyUse1763726400000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [...createIdempotencySql('core'), ...KEY_USE]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE core.idempotency_keys');
    await runner.query('ALTER TABLE core.api_keys DROP COLUMN last_used_at, DROP COLUMN replaced_by');
  }
}

const KEY_USE = [
  `ALTER TABLE core.api_keys ADD COLUMN last_used_at timestamptz, ADD COLUMN replaced_by uuid`,
];

const DIRECTORY = [
  `CREATE TABLE core.organizations (
    id uuid CONSTRAINT organizations_pkey PRIMARY KEY,
    name text NOT NULL,
    is_active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE TABLE core.shops (
    id uuid CONSTRAINT shops_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    name text NOT NULL,
    domain text NOT NULL CONSTRAINT shops_domain UNIQUE,
    is_active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX shops_org ON core.shops (org_id)`,
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
    revoked_at timestamptz
  )`,
  `CREATE INDEX api_keys_org ON core.api_keys (org_id)`,
  `CREATE TABLE core.data_keys (
    org_id uuid CONSTRAINT data_keys_pkey PRIMARY KEY,
    wrapped_key bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
];

const ORDERS = [
  // Timestamps leave as ISO 8601 UTC with milliseconds, also where PostgreSQL makes the JSON.
  `CREATE FUNCTION core.iso(at timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE RETURN
     to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  `CREATE TABLE core.orders (
    id uuid CONSTRAINT orders_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    shop_id uuid NOT NULL,
    external_id text NOT NULL,
    order_number text,
    order_datetime timestamptz,
    customer_name text,
    customer_email text,
    address_street text,
    address_city text,
    address_postal_code text,
    address_phone text,
    total_amount numeric(12,2) NOT NULL,
    total_is_given boolean NOT NULL,
    payment_status text NOT NULL,
    payment_reference text,
    shipping_option text,
    shipped boolean NOT NULL DEFAULT false,
    picked_up boolean NOT NULL DEFAULT false,
    cash_on_pickup boolean NOT NULL DEFAULT false,
    status text NOT NULL,
    items jsonb NOT NULL,
    order_request_id uuid,
    sequence integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT orders_shop_external UNIQUE (shop_id, external_id),
    CONSTRAINT orders_amount CHECK (total_amount >= 0)
  )`,
  `CREATE INDEX orders_org_created ON core.orders (org_id, created_at, id)`,
  `CREATE TABLE core.order_history (
    order_id uuid NOT NULL,
    sequence integer NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    actor text NOT NULL,
    action text NOT NULL,
    fields jsonb NOT NULL,
    CONSTRAINT order_history_pkey PRIMARY KEY (order_id, sequence)
  )`,
];

const ORDER_REQUESTS = [
  `CREATE TABLE core.order_requests (
    id uuid CONSTRAINT order_requests_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    shop_id uuid NOT NULL,
    source text NOT NULL,
    external_reference text,
    status text NOT NULL DEFAULT 'pending',
    attempt integer NOT NULL DEFAULT 0,
    sequence integer NOT NULL DEFAULT 1,
    customer_name text,
    total_amount numeric(12,2) NOT NULL,
    payload_ciphertext bytea NOT NULL,
    payload_digest bytea NOT NULL,
    order_id uuid,
    reason text,
    note text,
    partner_message text,
    decided_by text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT order_requests_reference UNIQUE (shop_id, source, external_reference)
  )`,
  `CREATE INDEX order_requests_org_created ON core.order_requests (org_id, created_at, id)`,
  `CREATE INDEX order_requests_open ON core.order_requests (created_at)
     WHERE status IN ('pending', 'needs_clarification')`,
  `CREATE TABLE core.documents (
    id uuid CONSTRAINT documents_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    order_request_id uuid NOT NULL,
    state text NOT NULL,
    url text,
    failure text,
    next_fetch_at timestamptz,
    sha256 bytea,
    size_bytes integer,
    ciphertext bytea,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX documents_request ON core.documents (order_request_id)`,
  `CREATE INDEX documents_waiting ON core.documents (next_fetch_at) WHERE state = 'waiting'`,
  // Encrypted bytes do not compress: storing them outside the row, uncompressed, saves the attempt.
  `ALTER TABLE core.documents ALTER COLUMN ciphertext SET STORAGE EXTERNAL`,
];

const AUDIT = [
  `CREATE TABLE core.audit_log (
    position bigserial CONSTRAINT audit_log_pkey PRIMARY KEY,
    org_id uuid,
    at timestamptz NOT NULL DEFAULT now(),
    actor text NOT NULL,
    action text NOT NULL,
    object text NOT NULL,
    request_id text NOT NULL
  )`,
  `CREATE INDEX audit_log_org ON core.audit_log (org_id, position)`,
];

export const migrations = [
  Foundation1763720000000,
  Workflow1763722000000,
  IdempotencyAndKeyUse1763726400000,
  RequestReview1763727000000,
  Prescriptions1763730000000,
  AuditRecords1763734000000,
  PaymentChange1763741000000,
  VersionCustomer1763742000000,
  StockFollowing1763743000000,
  OrderCounters1763745000000,
  FillOrderCounters1763745000001,
  OrderIndexes1763745000002,
  OutboxTrace1763750000000,
  UnreadableAudit1763760000000,
  ErasedDocuments1763761000000,
  OutboxTimes1763770000000,
  OrderSummaries1763780000000,
  CountedColumns1763781000000,
  AuditCheckpoint1763810000000,
  SetAside1763820000000,
  ErasedById1763850000000,
];
