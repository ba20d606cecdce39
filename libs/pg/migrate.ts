import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { log } from '@offizin/runtime/log';

/** Any number; the same for all services, because they may share a database and take turns. */
const MIGRATION_LOCK = 7_301_967;
const LOCK_WAIT_MS = 120_000;
const LOCK_PAUSE_MS = 50;
const QUERY_TIMEOUT_MS = 5_000;
/** An index over a large table takes longer than any statement of a service may. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000;

/**
 * Runs the migrations that are still to run. TypeORM takes no lock, so an advisory lock of the database makes
 * replicas and jobs take turns; its connection is its own, as are those of the migrations, because the pool's have a
 * short query timeout.
 */
export async function migrate(dataSource: DataSource, databaseUrl: string): Promise<void> {
  const lock = new Client({ connectionString: databaseUrl, query_timeout: QUERY_TIMEOUT_MS });
  await lock.connect();
  try {
    await takeTurn(lock);
    await runPending(dataSource);
  } finally {
    await lock.end();
  }
}

/**
 * Asks again and again: who waits inside a statement holds a snapshot, and CREATE INDEX CONCURRENTLY of whoever has the
 * lock waits until that is gone, so that each would wait for the other.
 */
async function takeTurn(lock: Client): Promise<void> {
  const endsAtMs = Date.now() + LOCK_WAIT_MS;
  for (;;) {
    const { rows } = await lock.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [
      MIGRATION_LOCK,
    ]);
    if (rows[0]?.mine === true) return;
    if (Date.now() > endsAtMs) throw new Error('Another process has been migrating for two minutes.');
    await setTimeout(LOCK_PAUSE_MS);
  }
}

async function runPending({ options }: DataSource): Promise<void> {
  if (options.type !== 'postgres') throw new Error(`no migrations for ${options.type}`);
  const extra = { query_timeout: STATEMENT_TIMEOUT_MS, statement_timeout: STATEMENT_TIMEOUT_MS };
  const patient = await new DataSource({ ...options, poolSize: 1, extra }).initialize();
  try {
    const done = await patient.runMigrations({ transaction: 'each' });
    if (done.length > 0) log.info({ migrations: done.map((migration) => migration.name) }, 'migrated');
  } finally {
    await patient.destroy();
  }
}

/** What the entities say that the database does not (or the other way round), as SQL; empty when they agree. */
export async function schemaDrift(dataSource: DataSource): Promise<string[]> {
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  return upQueries.map((query) => query.query);
}
