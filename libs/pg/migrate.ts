import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { log } from '@offizin/runtime/log';

/** Any number; the same for all services, because they may share a database and take turns. */
const MIGRATION_LOCK = 7_301_967;
const LOCK_WAIT_MS = 120_000;

/**
 * Runs the migrations that are still to run. TypeORM takes no lock, so an advisory lock of the database makes
 * replicas and jobs take turns; its connection is its own, because the pool's have a short query timeout.
 */
export async function migrate(dataSource: DataSource, databaseUrl: string): Promise<void> {
  const lock = new Client({ connectionString: databaseUrl, query_timeout: LOCK_WAIT_MS });
  await lock.connect();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const done = await dataSource.runMigrations({ transaction: 'each' });
    if (done.length > 0) log.info({ migrations: done.map((migration) => migration.name) }, 'migrated');
  } finally {
    await lock.end();
  }
}

/** What the entities say that the database does not (or the other way round), as SQL; empty when they agree. */
export async function schemaDrift(dataSource: DataSource): Promise<string[]> {
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  return upQueries.map((query) => query.query);
}
