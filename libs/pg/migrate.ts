import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client, escapeIdentifier } from 'pg';
import { DataSource, type MigrationInterface, QueryFailedError, type QueryRunner } from 'typeorm';
import { errorFields, log } from '@offizin/runtime/log';
import { settingsOnConnect } from './database';

/** One half of the lock's key. The other is the schema: services that share a database do not wait for each other. */
const MIGRATION_LOCK = 7_301_967;
/** Another replica may build indexes over large tables meanwhile: twice as long as one statement may take. */
const LOCK_WAIT_MS = 60 * 60_000;
const LOCK_PAUSE_MS = 50;
const WAIT_LOGGED_EVERY_MS = 10_000;
const QUERY_TIMEOUT_MS = 5_000;
/** An index over a large table takes longer than any statement of a service may. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000;
/** Below the statement timeout of database.ts: callers queue behind a lock that a migration waits for. */
const LOCK_TIMEOUT_MS = 2_000;
const LOCK_RETRY_PAUSE_MS = 1_000;
const LOCK_RETRY_MS = 10 * 60_000;

/** TypeORM sorts by the number that it reads from the last 13 characters. */
const MIGRATION_NAME = /^\d{4}-[a-z-]{1,8}$/;

const WAIT_FOR_SCHEMA_MS = 1_000;

/**
 * One process at a time, by an advisory lock: TypeORM takes none. Uses no pool connection, for its short query timeout.
 * Throws before any change when a development version created the database. Changes nothing when a newer version
 * migrated it: a roll-back runs the older migration Job first. Throws when an own migration is missing there.
 */
export async function migrate(dataSource: DataSource, databaseUrl: string): Promise<void> {
  for (const name of migrationNames(dataSource))
    if (!MIGRATION_NAME.test(name))
      throw new Error(`The name of migration "${name}" is not four digits, a hyphen and 1 to 8 letters.`);
  const lock = new Client({ connectionString: databaseUrl, query_timeout: QUERY_TIMEOUT_MS });
  await lock.connect();
  try {
    const schema = schemaOf(dataSource);
    await acquireLock(lock, schema);
    await refuseDevelopmentDatabase(dataSource);
    if ((await newerMigrations(dataSource)).length === 0) await runPending(dataSource);
    else await requireMigrations(dataSource);
  } finally {
    await lock.end();
  }
}

/** For readiness: throws the names of the migrations that the schema lacks. Old code may run on a newer schema. */
export async function requireMigrations(dataSource: DataSource): Promise<void> {
  const done = await migrationsDone(dataSource);
  const missing = migrationNames(dataSource).filter((name) => !done.includes(name));
  if (missing.length === 0) return;
  const newer = (await newerMigrations(dataSource)).join(', ');
  const advice =
    newer === ''
      ? ': run "migrate"'
      : `, which cannot follow ${newer} of a newer version: run "migrate" of a version that has both`;
  throw new Error(`schema ${schemaOf(dataSource)} lacks the migration ${missing.join(', ')}${advice}`);
}

/** Waits without an end: a service that is started before its migration serves when the migration has run. */
export async function untilMigrated(dataSource: DataSource): Promise<void> {
  for (let said = ''; ; await setTimeout(WAIT_FOR_SCHEMA_MS)) {
    try {
      return await requireMigrations(dataSource);
    } catch (error) {
      const { message } = errorFields(error).error;
      if (message !== said) log.warn(errorFields(error), 'waiting for the schema');
      said = message;
    }
  }
}

/** Of a newer version. Names begin with four digits, so they compare as texts. */
export async function newerMigrations(dataSource: DataSource): Promise<string[]> {
  const own = migrationNames(dataSource).sort().at(-1) ?? '';
  return (await migrationsDone(dataSource)).filter((name) => name > own).sort();
}

function migrationNames({ migrations }: DataSource): string[] {
  return migrations.map(({ name = '' }) => name);
}

/** Empty before the first migration. */
async function migrationsDone(dataSource: DataSource): Promise<string[]> {
  const table = `${escapeIdentifier(schemaOf(dataSource))}.migrations`;
  const tables: unknown[] = await dataSource.query('SELECT FROM pg_class WHERE oid = to_regclass($1)', [
    table,
  ]);
  if (tables.length === 0) return [];
  const rows: { name: string }[] = await dataSource.query(`SELECT name FROM ${table}`);
  return rows.map(({ name }) => name);
}

/**
 * A migration that is one SQL file, such as `0001-schema.sql`. It runs as a whole, in one transaction, and has the name of
 * the file without `.sql`.
 */
export function sqlMigration(path: string): new () => MigrationInterface {
  const name = basename(path, '.sql');
  return class implements MigrationInterface {
    readonly name = name;

    async up(runner: QueryRunner): Promise<void> {
      await runner.query(await readFile(path, 'utf8'));
    }

    down(): Promise<void> {
      return Promise.reject(new Error(`${name} cannot be undone: restore a backup instead.`));
    }
  };
}

/** Its name is a class and a time, or four digits only: migrations before the single `0001-schema`. */
export function isDevelopmentMigration(name: string): boolean {
  return !MIGRATION_NAME.test(name);
}

export const DEVELOPMENT_DATABASE_ADVICE =
  'Start with an empty database ("npm start -- --fresh" deletes the data in the local data folder).';

class DevelopmentDatabase extends Error {
  override readonly name = 'DevelopmentDatabase';
  /** Left out of the log: it would hide the message from the person who starts the service. */
  override readonly stack = undefined;

  constructor(schema: string) {
    const created = 'this database was created by an earlier development version and cannot be upgraded';
    super(`schema ${schema}: ${created}. ${DEVELOPMENT_DATABASE_ADVICE}`);
  }
}

async function refuseDevelopmentDatabase(dataSource: DataSource): Promise<void> {
  const names = await migrationsDone(dataSource);
  if (names.some(isDevelopmentMigration)) throw new DevelopmentDatabase(schemaOf(dataSource));
}

function schemaOf({ options }: DataSource): string {
  if (options.type !== 'postgres' || !options.schema) throw new Error('The data source has no schema.');
  return options.schema;
}

/**
 * Polls: a process that waits inside a statement holds a snapshot, for which CREATE INDEX CONCURRENTLY of the lock's
 * owner would wait.
 */
async function acquireLock(lock: Client, schema: string): Promise<void> {
  const startedAtMs = Date.now();
  let loggedAtMs = startedAtMs;
  for (;;) {
    const { rows } = await lock.query<{ acquired: boolean }>(
      'SELECT pg_try_advisory_lock($1, hashtext($2)) AS acquired',
      [MIGRATION_LOCK, schema],
    );
    if (rows[0]?.acquired === true) return;
    const nowMs = Date.now();
    if (nowMs - startedAtMs > LOCK_WAIT_MS)
      throw new Error(`Another process has been migrating the schema ${schema} for an hour.`);
    if (nowMs - loggedAtMs >= WAIT_LOGGED_EVERY_MS) {
      const seconds = Math.round((nowMs - startedAtMs) / 1_000);
      log.info({ schema, seconds }, 'waiting for another process that migrates this schema');
      loggedAtMs = nowMs;
    }
    await setTimeout(LOCK_PAUSE_MS);
  }
}

/** A migration that met a held lock is rolled back and tried again, so that statements of callers run in between. */
async function runPending(dataSource: DataSource): Promise<void> {
  const endsAtMs = Date.now() + LOCK_RETRY_MS;
  for (;;) {
    try {
      return await runOnce(dataSource);
    } catch (error) {
      if (!isLockTimeout(error) || Date.now() > endsAtMs) throw error;
      log.warn(errorFields(error), 'a migration waits for a lock');
      await setTimeout(LOCK_RETRY_PAUSE_MS);
    }
  }
}

async function runOnce({ options }: DataSource): Promise<void> {
  if (options.type !== 'postgres') throw new Error(`no migrations for ${options.type}`);
  const onConnect = settingsOnConnect({
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
  });
  const extra = { query_timeout: STATEMENT_TIMEOUT_MS, onConnect };
  const patient = await new DataSource({ ...options, poolSize: 1, extra }).initialize();
  try {
    const done = await patient.runMigrations({ transaction: 'each' });
    if (done.length > 0) log.info({ migrations: done.map((migration) => migration.name) }, 'migrated');
  } finally {
    await patient.destroy();
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof QueryFailedError && 'code' in error && error.code === '55P03';
}

/**
 * For a migration with `transaction = false`; writers go on. CREATE INDEX CONCURRENTLY waits without blocking others,
 * so it needs no lock timeout. An aborted attempt leaves an index behind, which is dropped.
 */
export async function createIndexConcurrently(
  runner: QueryRunner,
  { schema, name, on }: { schema: string; name: string; on: string },
): Promise<void> {
  await runner.query('SET lock_timeout = 0');
  await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${schema}.${name}`);
  await runner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${schema}.${on}`);
  await runner.query('RESET lock_timeout');
}

export async function schemaDrift(dataSource: DataSource): Promise<string[]> {
  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  return upQueries.map((query) => query.query);
}
