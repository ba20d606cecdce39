import { Client } from 'pg';
import { errorFields, log } from '@offizin/runtime/log';

/**
 * VACUUM leaves the bytes of dead rows in the pages until new rows overwrite them. So small tables are rewritten with
 * VACUUM FULL, which locks them for a bounded time.
 */

/** Larger tables would not be rewritten within REWRITE_MS. */
const REWRITTEN_BYTES = 128 * 1024 * 1024;
/** Bounds the wait of callers below their statement timeout. */
const REWRITE_LOCK_MS = 500;
const REWRITE_MS = 2_000;
/** Throttled as autovacuum is, to leave the disk to other work. */
const GENTLE = `SET vacuum_cost_delay = '2ms'; SET lock_timeout = 0; SET statement_timeout = 0`;
const QUICK = `SET vacuum_cost_delay = 0; SET lock_timeout = ${REWRITE_LOCK_MS}; SET statement_timeout = ${REWRITE_MS}`;

/** False while another process holds `lockKey`. */
export async function vacuumTables(
  databaseUrl: string,
  tables: readonly string[],
  lockKey: number,
): Promise<boolean> {
  const client = new Client({ connectionString: databaseUrl, application_name: 'vacuum' });
  client.on('error', (error) => log.warn(errorFields(error), 'vacuum connection lost'));
  await client.connect();
  try {
    const lock = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
      lockKey,
    ]);
    if (!lock.rows[0]?.locked) return false;
    for (const table of tables) for (const part of await partsOf(client, table)) await vacuum(client, part);
    return true;
  } finally {
    await client.end();
  }
}

/** The table, or its partitions: each is rewritten by its own size. */
async function partsOf(client: Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ part: string }>(
    `SELECT relid::regclass::text AS part FROM pg_partition_tree($1::text::regclass) WHERE isleaf
     UNION ALL SELECT $1::text FROM pg_class WHERE oid = $1::text::regclass AND relkind = 'r' ORDER BY part`,
    [table],
  );
  return rows.map(({ part }) => part);
}

/** ANALYZE as well: old statistics contain frequent column values. */
async function vacuum(client: Client, table: string): Promise<void> {
  const startedAt = performance.now();
  await client.query(GENTLE);
  await client.query(`VACUUM (ANALYZE) ${table}`);
  const rewritten = await rewrite(client, table);
  log.info({ table, rewritten, duration_ms: Math.round(performance.now() - startedAt) }, 'table vacuumed');
}

/** False if the table is too large, locked for too long or not rewritten in time. */
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
