import type { MigrationInterface, QueryRunner } from 'typeorm';
import { deltaOf } from './0002-daily-sum-deltas';

/**
 * Daily sums for reports, second step: the sums, and a delta for each order that exists. The tables appear together with
 * these deltas, so no process can fold or read sums before they are complete.
 */
const SUMS = [
  `CREATE TABLE core.daily_sums (
    org_id uuid NOT NULL,
    shop_id uuid NOT NULL,
    day date NOT NULL,
    status text NOT NULL,
    refunded boolean NOT NULL,
    orders integer NOT NULL,
    with_customer integer NOT NULL,
    amount numeric NOT NULL,
    CONSTRAINT daily_sums_pkey PRIMARY KEY (org_id, shop_id, day, status, refunded)
  ) WITH (fillfactor = 50)`,
  `CREATE TABLE core.customer_days (
    org_id uuid NOT NULL,
    shop_id uuid NOT NULL,
    customer bytea NOT NULL,
    day date NOT NULL,
    orders integer NOT NULL,
    CONSTRAINT customer_days_pkey PRIMARY KEY (org_id, shop_id, customer, day)
  )`,
  `CREATE TABLE core.customer_gaps (
    org_id uuid NOT NULL,
    shop_id uuid NOT NULL,
    day date NOT NULL,
    nth integer NOT NULL,
    orders integer[] NOT NULL,
    CONSTRAINT customer_gaps_pkey PRIMARY KEY (org_id, shop_id, day, nth)
  ) WITH (fillfactor = 50)`,
  // Orders and deltas of a transaction are visible together. So in the snapshot of this statement the visible deltas are
  // part of the visible orders, and the deltas of transactions that are under way are not. No writer waits. Negative
  // positions are folded first: an order is added before a change of it is.
  `WITH contained AS (DELETE FROM core.daily_sum_deltas)
   INSERT INTO core.daily_sum_deltas (position, org_id, shop_id, day, status, refunded, customer, orders, amount)
   SELECT -row_number() OVER (), ${deltaOf('o')}, 1, o.total_amount FROM core.orders o`,
];

export class DailySums0003 implements MigrationInterface {
  readonly name = '0003';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of SUMS) await runner.query(sql);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0003 cannot be undone: restore a backup instead.'));
  }
}
