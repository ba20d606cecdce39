import { Client } from 'pg';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { testEnvironment } from '@offizin/testkit/environment';
import { catalogSchema } from '../../../apps/catalog/db/catalog-schema';
import { checkDatabase } from './database-check';

let test: TestDatabase;
let admin: Client;

beforeAll(async () => {
  test = await testDatabase(catalogSchema);
  const url = new URL(testEnvironment().adminDatabaseUrl);
  url.pathname = new URL(test.url).pathname;
  admin = new Client({ connectionString: url.toString() });
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await test.close();
});

async function lines(): Promise<string[]> {
  const findings = await checkDatabase({ service: 'catalog', url: test.url });
  return findings.map(
    ({ of, outcome, found }) => `${outcome} ${of.replace('database of catalog', '')}: ${found}`,
  );
}

it('finds a database as it should be well, but for the durability that the server of specs lacks', async () => {
  const found = await lines();
  const others = found.filter((line) => !line.startsWith('ok'));
  expect(others).toEqual([
    'skipped , certificate: its URL asks for no TLS (sslmode)',
    'problem : fsync, full_page_writes off',
  ]);
  expect(found).toEqual(
    expect.arrayContaining([
      'ok , sessions: kept between transactions',
      'ok , rights: on every table',
      'ok , locks: no table is locked',
      'ok , replication: no standby',
    ]),
  );
});

it('names the rights that the role has lost', async () => {
  await admin.query('REVOKE INSERT, DELETE ON catalog.stock_log FROM offizin_catalog');
  await admin.query('REVOKE SELECT ON catalog.inventory FROM offizin_catalog');
  const found = await lines();
  await admin.query('GRANT ALL ON ALL TABLES IN SCHEMA catalog TO offizin_catalog');
  expect(found).toContain('problem , rights: lacks SELECT on inventory; INSERT, DELETE on stock_log');
});

it('names a table that a session keeps locked, and who that is', async () => {
  await admin.query('BEGIN');
  await admin.query('LOCK TABLE catalog.stock_log IN EXCLUSIVE MODE');
  const { rows } = await admin.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const found = await lines();
  await admin.query('ROLLBACK');
  expect(found).toContain(
    `problem , locks: writers wait for stock_log, locked by process ${rows[0]?.pid ?? 0}`,
  );
});
