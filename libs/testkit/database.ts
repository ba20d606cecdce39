import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { prepareDatabase } from '@offizin/local-stack/database-roles';
import { Database, type DatabaseOptions } from '@offizin/pg/database';
import { migrate } from '@offizin/pg/migrate';
import { testEnvironment } from './environment';

/** The schema of a service (apps/<app>/db/schema.ts). */
export type ServiceSchema = Pick<DatabaseOptions, 'schema' | 'entities' | 'migrations' | 'settings'>;

export interface TestDatabase {
  database: Database;
  url: string;
  /** Closes the pool and drops the database. */
  close: () => Promise<void>;
}

const SERVICE_BY_SCHEMA = { core: 'order-core', catalog: 'catalog', webhooks: 'webhook-worker' } as const;

/** A new, migrated database on the server of the test run, opened with the service's own role. */
export async function testDatabase(schema: ServiceSchema): Promise<TestDatabase> {
  const service = Object.entries(SERVICE_BY_SCHEMA).find(([name]) => name === schema.schema)?.[1];
  if (!service) throw new Error(`no service owns the schema ${schema.schema}`);
  const { adminDatabaseUrl, databasePasswords } = testEnvironment();
  const name = `test_${schema.schema}_${randomBytes(6).toString('hex')}`;
  const urls = await prepareDatabase(adminDatabaseUrl, name, databasePasswords);
  const url = urls[service];
  const database = await Database.connect({
    ...schema,
    databaseUrl: url,
    // As in production. A race that begins with an empty pool opens all of them at once, within the time-out of one.
    poolSize: 16,
    applicationName: 'test',
  });
  await migrate(database.dataSource, url);
  return {
    database,
    url,
    close: async () => {
      await database.close();
      const admin = new Client({ connectionString: adminDatabaseUrl });
      await admin.connect();
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}
