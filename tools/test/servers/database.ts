import { queryAt } from '@offizin/local-stack/database-client';
import { startNats } from '@offizin/local-stack/nats';
import { startPostgres } from '@offizin/local-stack/postgres';
import { readOrCreateSecrets } from '@offizin/local-stack/secrets';
import { TEST_DATABASE } from '@offizin/testkit/database';
import { onStop, publish, serverFolder } from './run-folder';

/** Jest's globalSetup of the database specs: PostgreSQL and NATS, no app. Their data is lost in a crash, and deleted. */
export default async function startDatabase(): Promise<void> {
  const dataDir = serverFolder('database');
  const secrets = readOrCreateSecrets(dataDir);
  const { postgresAdminPassword: adminPassword, natsPasswords } = secrets;
  const [postgres, nats] = await Promise.all([
    startPostgres({ dataDir, adminPassword, disposable: true }),
    startNats({ dataDir, passwords: natsPasswords }),
  ]);
  onStop(() => postgres.process.stop());
  onStop(() => nats.process.stop());
  onStop(() => refuseLeftDatabases(postgres.adminUrl));
  publish(dataDir, {
    adminDatabaseUrl: postgres.adminUrl,
    databasePasswords: secrets.databasePasswords,
    natsUrl: nats.url,
    natsUser: 'operator',
    natsPassword: natsPasswords.operator,
    allCallKeys: secrets.callKeys,
  });
}

async function refuseLeftDatabases(adminUrl: string): Promise<void> {
  const text = `SELECT datname FROM pg_database WHERE starts_with(datname, '${TEST_DATABASE}')`;
  const rows = await queryAt<{ datname: string }>(adminUrl, text);
  const names = rows.map(({ datname }) => datname).join(', ');
  if (names)
    throw new Error(`Databases were left behind: ${names}. Close each testDatabase() in an afterAll.`);
}
