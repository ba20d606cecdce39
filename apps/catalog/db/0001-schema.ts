import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createOutboxSql } from '@offizin/events/outbox';
import { createSetAsideSql } from '@offizin/events/set-aside';
import { createIdempotencySql } from '@offizin/idempotency/idempotency-keys';
import { SCHEMA } from './schema';

/** The whole schema of the catalog, in one transaction. Released with 0.1.0 and then never edited: add 0002. */
export class Schema0001 implements MigrationInterface {
  readonly name = '0001';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [
      ...PRODUCTS,
      ...STOCK,
      ...createOutboxSql(SCHEMA),
      ...createSetAsideSql(SCHEMA),
      ...createIdempotencySql(SCHEMA),
    ]) {
      await runner.query(sql);
    }
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0001 cannot be undone: restore a backup instead.'));
  }
}

/** The platform's products, the inventory of organizations, and the assortments of shops. */
const PRODUCTS = [
  `CREATE TABLE ${SCHEMA}.products (
    p1_id text NOT NULL,
    name text NOT NULL,
    slug text NOT NULL,
    description text,
    category text,
    price numeric(12,2) NOT NULL,
    thc double precision,
    cbd double precision,
    available boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT products_pkey PRIMARY KEY (p1_id),
    CONSTRAINT products_price CHECK (price >= 0),
    CONSTRAINT products_thc CHECK (thc BETWEEN 0 AND 100),
    CONSTRAINT products_cbd CHECK (cbd BETWEEN 0 AND 100)
  )`,
  `CREATE TABLE ${SCHEMA}.inventory (
    org_id uuid NOT NULL,
    p1_id text NOT NULL,
    slug text NOT NULL,
    name text,
    description text,
    category text,
    price numeric(12,2),
    thc double precision,
    cbd double precision,
    available boolean,
    stock_quantity integer NOT NULL DEFAULT 0,
    reserved_quantity integer NOT NULL DEFAULT 0,
    low_stock_threshold integer NOT NULL DEFAULT 0,
    log_entries integer NOT NULL DEFAULT 0,
    event_sequence integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT inventory_pkey PRIMARY KEY (org_id, p1_id),
    CONSTRAINT inventory_product FOREIGN KEY (p1_id) REFERENCES ${SCHEMA}.products (p1_id),
    CONSTRAINT inventory_price CHECK (price >= 0),
    CONSTRAINT inventory_thc CHECK (thc BETWEEN 0 AND 100),
    CONSTRAINT inventory_cbd CHECK (cbd BETWEEN 0 AND 100),
    CONSTRAINT inventory_threshold CHECK (low_stock_threshold >= 0),
    CONSTRAINT inventory_stock CHECK (reserved_quantity BETWEEN 0 AND stock_quantity)
  )`,
  `CREATE TABLE ${SCHEMA}.shop_products (
    org_id uuid NOT NULL,
    shop_id uuid NOT NULL,
    p1_id text NOT NULL,
    attached boolean NOT NULL,
    overrides jsonb NOT NULL DEFAULT '{}'::jsonb,
    event_sequence integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT shop_products_pkey PRIMARY KEY (org_id, shop_id, p1_id),
    CONSTRAINT shop_products_item FOREIGN KEY (org_id, p1_id) REFERENCES ${SCHEMA}.inventory (org_id, p1_id)
  )`,

  `CREATE UNIQUE INDEX inventory_slug ON ${SCHEMA}.inventory (org_id, slug)`,
  `CREATE INDEX shop_products_attached ON ${SCHEMA}.shop_products (org_id, shop_id, p1_id) WHERE attached`,
];

/** The stock log, reservations with their lines, and the inbox of order events. */
const STOCK = [
  `CREATE TABLE ${SCHEMA}.stock_log (
    id uuid NOT NULL,
    org_id uuid NOT NULL,
    p1_id text NOT NULL,
    entry_number integer NOT NULL,
    delta integer NOT NULL,
    stock_after integer NOT NULL,
    reason text NOT NULL,
    note text,
    reference text,
    order_id uuid,
    actor text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT stock_log_pkey PRIMARY KEY (id),
    CONSTRAINT stock_log_item FOREIGN KEY (org_id, p1_id) REFERENCES ${SCHEMA}.inventory (org_id, p1_id),
    CONSTRAINT stock_log_after CHECK (stock_after >= 0)
  )`,
  `CREATE TABLE ${SCHEMA}.reservations (
    order_request_id uuid NOT NULL,
    org_id uuid NOT NULL,
    attempt integer NOT NULL,
    state text NOT NULL,
    order_id uuid,
    replaces uuid,
    asked_lines text NOT NULL,
    expires_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT reservations_pkey PRIMARY KEY (order_request_id),
    CONSTRAINT reservations_state CHECK (state IN ('held', 'confirmed', 'released', 'sold', 'replaced'))
  )`,
  `CREATE TABLE ${SCHEMA}.reservation_lines (
    order_request_id uuid NOT NULL,
    p1_id text NOT NULL,
    org_id uuid NOT NULL,
    quantity integer NOT NULL,
    CONSTRAINT reservation_lines_pkey PRIMARY KEY (order_request_id, p1_id),
    CONSTRAINT reservation_lines_reservation FOREIGN KEY (order_request_id)
      REFERENCES ${SCHEMA}.reservations (order_request_id) ON DELETE CASCADE,
    CONSTRAINT reservation_lines_item_fkey FOREIGN KEY (org_id, p1_id)
      REFERENCES ${SCHEMA}.inventory (org_id, p1_id),
    CONSTRAINT reservation_lines_quantity CHECK (quantity > 0)
  )`,
  `CREATE TABLE ${SCHEMA}.inbox (
    event_id uuid NOT NULL,
    order_id uuid,
    move text,
    sequence integer NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT inbox_pkey PRIMARY KEY (event_id)
  )`,

  `CREATE UNIQUE INDEX stock_log_entry ON ${SCHEMA}.stock_log (org_id, p1_id, entry_number)`,
  `CREATE UNIQUE INDEX stock_log_reference ON ${SCHEMA}.stock_log (org_id, p1_id, reference)
   WHERE reference IS NOT NULL`,
  `CREATE INDEX reservations_held ON ${SCHEMA}.reservations (expires_at) WHERE state = 'held'`,
  `CREATE INDEX reservations_order ON ${SCHEMA}.reservations (order_id) WHERE order_id IS NOT NULL`,
  `CREATE INDEX reservation_lines_item ON ${SCHEMA}.reservation_lines (org_id, p1_id)`,
  `CREATE INDEX inbox_order ON ${SCHEMA}.inbox (order_id) WHERE order_id IS NOT NULL`,
  `CREATE INDEX inbox_received ON ${SCHEMA}.inbox (received_at)`,
];
