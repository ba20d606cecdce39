import type { Pool } from 'pg';

const COPIED = ['orders', 'order_history', 'audit_log', 'outbox'];

/**
 * Tables like the product's, with the same indexes, for what the raw limit writes: in the product's own tables it would
 * be relayed, delivered and counted. Triggers are not copied: what the product keeps for its list is its own expense.
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

/** A table like the product's for the documents of the raw limit. */
export async function emptyRawDocuments(sql: Pool): Promise<void> {
  await sql.query('CREATE SCHEMA IF NOT EXISTS bench_raw');
  await sql.query('DROP TABLE IF EXISTS bench_raw.documents');
  await sql.query('CREATE TABLE bench_raw.documents (LIKE core.documents INCLUDING ALL)');
}

const QUEUE = ['events', 'deliveries', 'attempts'];

/** The worker's tables, empty, with that many deliveries due in them, spread over so many subscriptions. */
export async function fillRawQueue(
  sql: Pool,
  count: number,
  subscriptions: number,
  body: string,
): Promise<void> {
  await sql.query('CREATE SCHEMA IF NOT EXISTS bench_raw');
  for (const table of QUEUE) {
    await sql.query(`DROP TABLE IF EXISTS bench_raw.${table}`);
    await sql.query(`CREATE TABLE bench_raw.${table} (LIKE webhooks.${table} INCLUDING ALL)`);
  }
  await sql.query('ALTER TABLE bench_raw.deliveries SET (fillfactor = 50)');
  await sql.query(
    `WITH subscription AS MATERIALIZED (
       SELECT gen_random_uuid() AS id, place FROM generate_series(0, $2::int - 1) AS place
     ), event AS (
       INSERT INTO bench_raw.events (id, position, org_id, event_type, aggregate_id, sequence, body, created_at)
       SELECT id, place, id, 'order_status_updated', id::text, 1, $3, now()
       FROM (SELECT webhooks.uuid_v7() AS id, place FROM generate_series(1, $1::int) AS place) made
       RETURNING id, position AS place
     )
     INSERT INTO bench_raw.deliveries (id, subscription_id, event_id, org_id, event_type, aggregate_id, queue, sequence)
     SELECT webhooks.uuid_v7(), s.id, e.id, e.id, 'order_status_updated', e.id::text,
       webhooks.queue_of(s.id, e.id::text), 1
     FROM event e JOIN subscription s ON s.place = e.place % $2`,
    [count, subscriptions, body],
  );
  for (const table of QUEUE) await sql.query(`ANALYZE bench_raw.${table}`);
}
