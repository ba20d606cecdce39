import { createHash, randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { type Client, escapeIdentifier } from 'pg';
import { withClient } from '@offizin/local-stack/database-client';
import { prepareDatabase } from '@offizin/local-stack/database-roles';
import { Database, type DatabaseOptions } from '@offizin/pg/database';
import { migrate } from '@offizin/pg/migrate';
import { testEnvironment } from './environment';

/** The schema of a service (apps/<app>/db/schema.ts). */
export type ServiceSchema = Pick<DatabaseOptions, 'schema' | 'entities' | 'migrations' | 'settings'>;

export interface TestDatabase {
  database: Database;
  url: string;
  /** Runs SQL as a superuser, without triggers. */
  forge: (sql: string) => Promise<unknown>;
  /** Closes the pool and drops the database. */
  close: () => Promise<void>;
}

const SERVICE_BY_SCHEMA = { core: 'order-core', catalog: 'catalog', webhooks: 'webhook-worker' } as const;
type Service = (typeof SERVICE_BY_SCHEMA)[keyof typeof SERVICE_BY_SCHEMA];

/** Names of databases of specs begin so; `npm test` reports each that is left. */
export const TEST_DATABASE = 'test_';
/** Any constant. One process makes a template, the others wait for it. */
const TEMPLATE_LOCK = 6_334_495;
const LONGEST_NAME = 63;

/** A new, migrated database on the server of the test run, opened with the service's own role. */
export async function testDatabase(schema: ServiceSchema): Promise<TestDatabase> {
  const service = Object.entries(SERVICE_BY_SCHEMA).find(([name]) => name === schema.schema)?.[1];
  if (!service) throw new Error(`no service owns the schema ${schema.schema}`);
  const { adminDatabaseUrl, databasePasswords } = testEnvironment();
  const name = newName();
  const template = await templateOf(schema, service);
  const urls = await prepareDatabase(adminDatabaseUrl, name, databasePasswords, template);
  const url = urls[service];
  const database = await connect(schema, url);
  return {
    database,
    url,
    forge: (sql) => asAdmin((admin) => admin.query(`SET session_replication_role = replica; ${sql}`), name),
    close: async () => {
      await database.close();
      await asAdmin((admin) => admin.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`));
    },
  };
}

/** One database for all tests of a file. */
export function specDatabase(schema: ServiceSchema): Pick<TestDatabase, 'database' | 'url'> {
  let test: TestDatabase | undefined;
  const opened = (): TestDatabase => {
    if (!test) throw new Error('available from the first beforeAll on');
    return test;
  };
  beforeAll(async () => {
    test = await testDatabase(schema);
  });
  afterAll(() => test?.close());
  return {
    get database() {
      return opened().database;
    },
    get url() {
      return opened().url;
    },
  };
}

/** Says which spec made the database. */
function newName(): string {
  const spec = basename(expect.getState().testPath ?? 'unknown').replace(/\W?(?:db\.)?spec\.ts$/, '');
  const unique = randomBytes(6).toString('hex');
  return `${`${TEST_DATABASE}${spec}`.slice(0, LONGEST_NAME - unique.length - 1)}_${unique}`;
}

/**
 * Migrations take seconds, a copy of a migrated database takes less than one: each chain of migrations runs once per
 * server.
 */
async function templateOf(schema: ServiceSchema, service: Service): Promise<string> {
  // Migrations of SQL files have the same source and differ by their name.
  const migrations = Object.values(schema.migrations).map((one) => JSON.stringify([new one(), String(one)]));
  const key = createHash('sha256').update(migrations.join('\n')).digest('hex').slice(0, 16);
  const name = `template_${schema.schema}_${key}`;
  const { adminDatabaseUrl, databasePasswords } = testEnvironment();
  await asAdmin(async (admin) => {
    await admin.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1 AND datistemplate', [
      name,
    ]);
    if (rowCount !== 0) return;
    const urls = await prepareDatabase(adminDatabaseUrl, name, databasePasswords);
    const database = await connect(schema, urls[service]);
    await migrate(database.dataSource, urls[service]);
    await database.close();
    await admin.query(`ALTER DATABASE ${escapeIdentifier(name)} IS_TEMPLATE true`);
  });
  return name;
}

function connect(schema: ServiceSchema, databaseUrl: string): Promise<Database> {
  // As in production. A race that begins with an empty pool opens all of them together, within the time-out of one.
  return Database.connect({ ...schema, databaseUrl, poolSize: 16, applicationName: 'test' });
}

async function asAdmin<Result>(work: (admin: Client) => Promise<Result>, database?: string): Promise<Result> {
  const url = new URL(testEnvironment().adminDatabaseUrl);
  if (database !== undefined) url.pathname = database;
  return withClient(url.toString(), work);
}
