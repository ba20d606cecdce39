import type { Pool } from 'pg';

const COPIED = ['orders', 'order_history', 'audit_log', 'outbox'];

/**
 * Tables like the product's, with the same indexes, for what the raw limit writes: in the product's own tables it would
 * be relayed, delivered and counted.
 */
export async function emptyRawTables(sql: Pool): Promise<void> {
  await sql.query('CREATE SCHEMA IF NOT EXISTS bench_raw');
  for (const table of COPIED) {
    await sql.query(`DROP TABLE IF EXISTS bench_raw.${table}`);
    await sql.query(`CREATE TABLE bench_raw.${table} (LIKE core.${table} INCLUDING ALL)`);
  }
  await sql.query('CREATE SEQUENCE IF NOT EXISTS bench_raw.position');
  for (const table of ['audit_log', 'outbox']) {
    await sql.query(
      `ALTER TABLE bench_raw.${table} ALTER COLUMN position SET DEFAULT nextval('bench_raw.position')`,
    );
  }
}
