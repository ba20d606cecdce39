import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { callKeysOf } from '@offizin/local-stack/secrets';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { databaseRoles, databaseUrl } from '@offizin/local-stack/database-roles';
import { freePort } from '@offizin/local-stack/ports';
import { Database, type DatabaseOptions } from '@offizin/pg/database';
import { migrate } from '@offizin/pg/migrate';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { testEnvironment } from '@offizin/testkit/environment';
import { eventually } from '@offizin/testkit/eventually';

/** The job may take half a minute to start. */
const LONG_SECONDS = 155;

class TakeLong9001 implements MigrationInterface {
  readonly name = '9001-long';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SELECT pg_sleep(${LONG_SECONDS})`);
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

class MakeRows0001 implements MigrationInterface {
  readonly name = '0001-rows';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE core.spec_rows (id int)');
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

let test: TestDatabase;

beforeAll(async () => {
  test = await testDatabase({ schema: 'catalog', entities: [], migrations: [] });
});
afterAll(() => test.close());

async function migrateHere(
  url: string,
  schema: Pick<DatabaseOptions, 'schema' | 'migrations'>,
): Promise<void> {
  const options = { databaseUrl: url, entities: [], poolSize: 1, applicationName: 'spec' };
  const database = await Database.connect({ ...schema, ...options });
  await migrate(database.dataSource, url).finally(() => database.close());
}

interface LogLine {
  msg?: string;
  schema?: string;
  seconds?: number;
}

/** The job of catalog, as the image runs it. */
async function runJob(): Promise<{ code: unknown; lines: LogLine[] }> {
  const { natsUrl, natsPasswords, allCallKeys, idempotencySecrets } = testEnvironment();
  const env = {
    PATH: process.env['PATH'],
    NODE_ENV: 'production',
    LOG_LEVEL: 'info',
    BIND_ADDRESS: '127.0.0.1',
    MANAGEMENT_PORT: String(await freePort()),
    NATS_URL: natsUrl,
    NATS_USER: 'catalog',
    NATS_PASSWORD: natsPasswords.catalog,
    CALL_KEYS: callKeysOf('catalog', allCallKeys),
    IDEMPOTENCY_SECRET: idempotencySecrets.catalog,
    DATABASE_URL: test.url,
  };
  const job = spawn(process.execPath, ['dist/apps/catalog/main.js', 'migrate'], { cwd: checkoutRoot, env });
  let output = '';
  job.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(job, 'close')) as unknown[];
  const lines = output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LogLine);
  return { code, lines };
}

it('a job waits for a migration of more than two minutes and says so each 10 s; another schema goes on', async () => {
  let isOver = false;
  const long = migrateHere(test.url, { schema: 'catalog', migrations: [TakeLong9001] }).finally(
    () => (isOver = true),
  );
  await eventually('the long statement to run', async () => {
    const running = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`;
    return (await test.database.dataSource.query<unknown[]>(running)).length === 1;
  });
  const job = runJob();

  const { pathname } = new URL(test.url);
  const login = {
    user: databaseRoles['order-core'],
    password: testEnvironment().databasePasswords['order-core'],
  };
  await migrateHere(databaseUrl(test.url, pathname.slice(1), login), {
    schema: 'core',
    migrations: [MakeRows0001],
  });
  expect(isOver).toBe(false);

  await long;
  const { code, lines } = await job;
  expect(code).toBe(0);
  const waits = lines.filter(({ msg }) => msg === 'waiting for another process that migrates this schema');
  expect(waits.at(-1)?.seconds).toBeGreaterThan(120);
  expect(waits.every(({ schema }) => schema === 'catalog')).toBe(true);
  const pauses = waits.map(({ seconds = 0 }, index) => seconds - (waits[index - 1]?.seconds ?? 0));
  expect(Math.max(...pauses)).toBeLessThanOrEqual(12);
}, 210_000);
