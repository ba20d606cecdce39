import { chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { queryAt } from '@offizin/local-stack/database-client';
import { prepareDatabase } from '@offizin/local-stack/database-roles';
import { type PostgresServer, startPostgres } from '@offizin/local-stack/postgres';
import { readOrCreateSecrets } from '@offizin/local-stack/secrets';
import { TestAuthority } from '@offizin/testkit/certificates';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { testEnvironment } from '@offizin/testkit/environment';
import { eventually } from '@offizin/testkit/eventually';
import { catalogSchema } from '../../../apps/catalog/db/schema';
import { checkDatabase, checkStandby } from './database-check';
import type { Finding } from './finding';

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

/** A PostgreSQL that speaks TLS. Tests follow one another. */
const dataDir = mkdtempSync(join(tmpdir(), 'offizin-postgres-tls-'));
const cluster = join(dataDir, 'postgres');
const hosts = join(cluster, 'pg_hba.conf');
let authority: TestAuthority;
let other: TestAuthority;
let server: PostgresServer;
/** Of catalog, by the name in the certificate. */
let url: string;

beforeAll(async () => {
  [authority, other] = [await TestAuthority.create(), await TestAuthority.create('somebody else')];
  const { postgresAdminPassword: adminPassword, databasePasswords } = readOrCreateSecrets(dataDir);
  server = await startPostgres({ dataDir, adminPassword });
  const urls = await prepareDatabase(server.adminUrl, 'offizin', databasePasswords);
  url = urls.catalog.replace('127.0.0.1', 'localhost');
}, 60_000);
afterAll(async () => {
  await server.process.stop();
  rmSync(dataDir, { recursive: true, force: true });
}, 30_000);

/** The server takes it for new connections. */
async function present(...settings: Parameters<TestAuthority['issue']>[1][]): Promise<void> {
  await authority.issue(cluster, ...settings);
  const { uid, gid } = statSync(cluster);
  chownSync(join(cluster, 'tls.key'), uid, gid);
  await configure({ ssl: 'on', ssl_cert_file: 'tls.crt', ssl_key_file: 'tls.key' });
}

async function configure(settings: Record<string, string>): Promise<void> {
  const lines = Object.entries(settings).map(([name, value]) => `ALTER SYSTEM SET ${name} = '${value}'`);
  await queryAt(server.adminUrl, ...lines, 'SELECT pg_reload_conf()');
}

function withTls({ mode = 'verify-full', ca = authority.caFile, of = url } = {}): string {
  return `${of}?sslmode=${mode}${ca && `&sslrootcert=${ca}`}`;
}

/** Of the certificate if the connection succeeded, else why it did not. */
async function finding(databaseUrl = withTls()): Promise<Finding> {
  const [first] = await checkDatabase({ service: 'catalog', url: databaseUrl });
  if (!first) throw new Error('no finding');
  return first;
}

/** A reload takes effect a moment later. */
async function untilFound(outcome: Finding['outcome'], text: string, databaseUrl?: string): Promise<Finding> {
  return eventually(`${outcome}: ${text}`, async () => {
    const found = await finding(databaseUrl);
    return found.outcome === outcome && found.found.includes(text) && found;
  });
}

it('reports a server without TLS when the URL asks for it, and asks no more of a URL without', async () => {
  const { advice } = await untilFound('problem', 'does not support SSL');
  expect(advice).toContain('ssl = on');
  expect(await finding(url)).toMatchObject({
    of: 'database of catalog, certificate',
    outcome: 'skipped',
    found: 'its URL asks for no TLS (sslmode)',
  });
});

it('is content with a certificate for the host, of the known authority, that is valid for weeks', async () => {
  await present();
  const { of, found } = await untilFound('ok', 'ends on');
  expect(of).toBe('database of catalog, certificate');
  expect(found).toMatch(/^ends on \d{4}-\d\d-\d\d, in (29|30) days$/);
});

it('reports an authority that is not known, or is another one', async () => {
  for (const ca of ['', other.caFile])
    expect(await finding(withTls({ ca }))).toMatchObject({
      outcome: 'problem',
      advice: expect.stringContaining('NODE_EXTRA_CA_CERTS') as string,
    });
});

it('warns of a URL that has nothing verified', async () => {
  expect(await finding(withTls({ mode: 'no-verify', ca: '' }))).toMatchObject({
    outcome: 'warning',
    found: expect.stringContaining('UNABLE_TO_VERIFY_LEAF_SIGNATURE') as string,
    advice: expect.stringContaining('sslmode=verify-full') as string,
  });
});

it('checks the standby that order-core reads from in the same way, and fails over none', async () => {
  const checked = async (readUrl?: string) =>
    (await checkStandby({ service: 'order-core', url: withTls(), readUrl })).map(
      ({ of, outcome, found }) => `${outcome} ${of}: ${found.replace(/ends on.*/, 'ends')}`,
    );
  expect(await checked()).toEqual([]);
  expect(await checked(withTls())).toEqual([
    'ok standby of order-core, certificate: ends',
    'warning standby of order-core: no standby: its reads come from the primary',
  ]);
  expect(await checked(withTls({ ca: other.caFile }))).toEqual([
    expect.stringMatching(/^warning standby of order-core: .*unable to verify/),
  ]);
});

it('states what a server may want that refuses a connection without TLS', async () => {
  writeFileSync(hosts, `hostnossl all offizin_catalog all reject\n${readFileSync(hosts, 'utf8')}`);
  await configure({});
  const { advice } = await untilFound('problem', 'no encryption', url);
  expect(advice).toContain('sslmode=verify-full');
});

it('reports a certificate that ends soon, has ended, or is for another host', async () => {
  await present({ days: 5 });
  await untilFound('warning', 'in 4 days');
  await present({ days: -1 });
  expect((await untilFound('problem', 'expired')).advice).toContain('Renew it');
  await present({ names: ['postgres.example.org'] });
  const { advice } = await untilFound('problem', 'postgres.example.org');
  expect(advice).toContain('Issue it for the host in its URL');
});

it('reports a certificate of an authority that cannot be read, and ends no check', async () => {
  expect(await finding(withTls({ ca: '/nowhere.crt' }))).toMatchObject({
    outcome: 'problem',
    found: expect.stringContaining('/nowhere.crt') as string,
  });
});
