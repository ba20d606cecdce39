import { Client } from 'pg';
import { errorFields, log } from '@offizin/runtime/log';

/**
 * Vacuums tables one after the other, over a connection without the time limits of the pool.
 *
 * A plain VACUUM frees the space of dead rows but does not overwrite it: pages keep the old bytes until new rows take
 * their place. A small table is therefore rewritten (VACUUM FULL). That locks the table; the time of the lock is bounded.
 */

/** A larger table is not rewritten: its rewriting would not end within REWRITE_MS. */
const REWRITTEN_BYTES = 128 * 1024 * 1024;
/** Callers wait while a table is rewritten. Their statements have 4.3 s, so none of them fails. */
const REWRITE_LOCK_MS = 500;
const REWRITE_MS = 2_000;
/** A plain VACUUM leaves the disk to others: it sleeps 2 ms after each 200 units of work, as autovacuum does. */
const GENTLE = `SET vacuum_cost_delay = '2ms'; SET lock_timeout = 0; SET statement_timeout = 0`;
const QUICK = `SET vacuum_cost_delay = 0; SET lock_timeout = ${REWRITE_LOCK_MS}; SET statement_timeout = ${REWRITE_MS}`;

/** False, with nothing done, while another process vacuums under the same lock key. */
export async function vacuumTables(
  databaseUrl: string,
  tables: readonly string[],
  lockKey: number,
): Promise<boolean> {
  const client = new Client({ connectionString: databaseUrl, application_name: 'vacuum' });
  client.on('error', (error) => log.warn(errorFields(error), 'connection of the vacuum lost'));
  await client.connect();
  try {
    const lock = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
      lockKey,
    ]);
    if (!lock.rows[0]?.locked) return false;
    for (const table of tables) await vacuum(client, table);
    return true;
  } finally {
    await client.end();
  }
}

/** New statistics, too: the old ones quote frequent values of columns. */
async function vacuum(client: Client, table: string): Promise<void> {
  const startedAt = performance.now();
  await client.query(GENTLE);
  await client.query(`VACUUM (ANALYZE) ${table}`);
  const rewritten = await rewrite(client, table);
  log.info({ table, rewritten, duration_ms: Math.round(performance.now() - startedAt) }, 'table vacuumed');
}

/** False when the table is too large, in use for too long, or not rewritten in time; it then stays as it was. */
async function rewrite(client: Client, table: string): Promise<boolean> {
  const size = await client.query<{ bytes: number }>('SELECT pg_total_relation_size($1)::float8 AS bytes', [
    table,
  ]);
  if ((size.rows[0]?.bytes ?? Infinity) > REWRITTEN_BYTES) return false;
  await client.query(QUICK);
  try {
    await client.query(`VACUUM (FULL) ${table}`);
    return true;
  } catch (error) {
    log.warn({ table, ...errorFields(error) }, 'table not rewritten');
    return false;
  }
}
