import type { Pool } from 'pg';

/**
 * The raw limits of the order rows: the rows that the product writes and reads, by one prepared statement each, without
 * parsing, validation, idempotency and rights.
 */
const HISTORY_AUDIT_EVENT = `
  history AS (
    INSERT INTO bench_raw.order_history (order_id, sequence, actor, action, fields)
    SELECT id, sequence, 'raw', 'updated', $3::jsonb FROM written
  ), audit AS (
    INSERT INTO bench_raw.audit_log (org_id, actor, action, object, request_id)
    SELECT $1, 'raw', 'order.update', 'order:' || id, $4 FROM written
  ), event AS (
    INSERT INTO bench_raw.outbox (id, org_id, event_type, aggregate_id, sequence, topic, body)
    SELECT $2::uuid, $1, 'order_updated', id::text, sequence, 'plain', $5 FROM written
  )
  SELECT * FROM written`;

/** $1 organization, $2 event id, $3 fields, $4 request id, $5 event, $6 id, $7 shop, $8 external id, $9 number, $10 items */
export const rawUpsert = {
  name: 'raw_upsert',
  text: `WITH written AS (
    INSERT INTO bench_raw.orders AS o (id, org_id, shop_id, external_id, order_number, customer_name, customer_email,
      address_street, address_city, address_postal_code, total_amount, total_is_given, payment_status, status, items)
    VALUES ($6::uuid, $1::uuid, $7::uuid, $8, $9, 'Erika Mustermann', 'erika@example.org', 'Hauptstraße 1', 'Köln',
      '50667', 29.85, false, 'pending', 'pending', $10::jsonb)
    ON CONFLICT (shop_id, external_id) DO UPDATE SET order_number = excluded.order_number, items = excluded.items,
      total_amount = excluded.total_amount, sequence = o.sequence + 1, updated_at = now()
    RETURNING *
  ), ${HISTORY_AUDIT_EVENT}`,
};

/** $1 to $5 as above, $6 id, $7 payment status */
export const rawPatch = {
  name: 'raw_patch',
  text: `WITH written AS (
    UPDATE bench_raw.orders SET payment_status = $7, sequence = sequence + 1, updated_at = now()
    WHERE org_id = $1::uuid AND id = $6::uuid AND payment_status <> $7
    RETURNING id, sequence, updated_at
  ), ${HISTORY_AUDIT_EVENT}`,
};

/** $1 organization, $2 id */
export const rawDetail = {
  name: 'raw_detail',
  text: 'SELECT * FROM core.orders WHERE org_id = $1::uuid AND id = $2::uuid',
};

/** A page of 50 with the exact total out of kept counters. $1 organization */
export const rawList = {
  name: 'raw_list',
  text: `SELECT id, external_id, status, shop_id, customer_name, total_amount::float8, payment_status, created_at,
      updated_at, (SELECT sum(total) FROM bench_raw.totals WHERE org_id = $1::uuid) AS total
    FROM core.orders WHERE org_id = $1::uuid ORDER BY created_at DESC, id DESC LIMIT 50`,
};

const COPIED = ['orders', 'order_history', 'audit_log', 'outbox'];

/**
 * Tables like the product's, with the same indexes, for the writes of the raw limit: in the product's tables these would be
 * relayed, delivered and counted. Triggers are not copied: what the product keeps for its list is part of its cost.
 */
export async function emptyRawTables(sql: Pool): Promise<void> {
  await sql.query('CREATE SCHEMA IF NOT EXISTS bench_raw');
  for (const table of COPIED) {
    await sql.query(`DROP TABLE IF EXISTS bench_raw.${table}`);
    await sql.query(`CREATE TABLE bench_raw.${table} (LIKE core.${table} INCLUDING ALL)`);
  }
  // LIKE copies no triggers, and the raw statement does not write the text that a trigger of the product writes.
  await sql.query('ALTER TABLE bench_raw.orders ALTER COLUMN summary DROP NOT NULL');
  await sql.query('CREATE SEQUENCE IF NOT EXISTS bench_raw.position');
  for (const table of ['audit_log', 'outbox']) {
    await sql.query(
      `ALTER TABLE bench_raw.${table} ALTER COLUMN position SET DEFAULT nextval('bench_raw.position')`,
    );
  }
}
