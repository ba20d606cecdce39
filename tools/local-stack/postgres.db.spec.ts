import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queryAt } from './database-client';
import { databaseUrl, prepareDatabase } from './database-roles';
import { startPostgres } from './postgres';
import type { PostgresServer } from './postgres';
import { isAlive } from './process-identity';
import { databaseServices, readOrCreateSecrets } from './secrets';
import type { Secrets } from './secrets';

const schemaOf = { 'order-core': 'core', catalog: 'catalog', 'webhook-worker': 'webhooks' };

describe("the stack's own PostgreSQL", () => {
  // Only the owner may enter a folder of mkdtemp: as root the server runs as another user and must pass it.
  const dataDir = mkdtempSync(join(tmpdir(), 'postgres-'));
  let secrets: Secrets;
  let server: PostgresServer;

  beforeAll(async () => {
    secrets = readOrCreateSecrets(dataDir);
    server = await startPostgres({ dataDir, adminPassword: secrets.postgresAdminPassword });
  }, 60_000);

  afterAll(async () => {
    await server?.process.stop();
    rmSync(dataDir, { recursive: true });
  }, 30_000);

  it('refuses a wrong password', async () => {
    const wrong = server.adminUrl.replace(secrets.postgresAdminPassword, 'wrong');
    await expect(queryAt(wrong, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  });

  it('prepares several databases at the same time, and each again', async () => {
    const names = ['first', 'second', 'third', 'first', 'second', 'third'];
    await Promise.all(names.map((name) => prepareDatabase(server.adminUrl, name, secrets.databasePasswords)));
    const count = `SELECT datname FROM pg_database WHERE datname IN ('first', 'second', 'third')`;
    const rows = await queryAt(server.adminUrl, count);
    expect(rows).toHaveLength(3);
  });

  it('gives each service access to its own schema only', async () => {
    const urls = await prepareDatabase(server.adminUrl, 'offizin', secrets.databasePasswords);
    for (const service of databaseServices) {
      await queryAt(urls[service], `CREATE TABLE ${schemaOf[service]}.own (secret text)`);
    }
    for (const service of databaseServices) {
      await expect(queryAt(urls[service], `SELECT * FROM own`)).resolves.toEqual([]);
      await expect(queryAt(urls[service], 'CREATE TABLE public.t ()')).rejects.toThrow(/permission denied/);
      await expect(queryAt(urls[service], 'CREATE SCHEMA more')).rejects.toThrow(/permission denied/);
      for (const other of databaseServices.filter((name) => name !== service)) {
        const select = `SELECT * FROM ${schemaOf[other]}.own`;
        await expect(queryAt(urls[service], select)).rejects.toThrow(/permission denied for schema/);
      }
    }
  });

  it('lets no other role connect to the database', async () => {
    await queryAt(server.adminUrl, `CREATE ROLE stranger LOGIN PASSWORD 'stranger'`);
    const url = databaseUrl(server.adminUrl, 'offizin', { user: 'stranger', password: 'stranger' });
    await expect(queryAt(url, 'SELECT 1')).rejects.toThrow(/permission denied for database/);
  });

  it('keeps acknowledged data through a SIGKILL, and restarts on the same port', async () => {
    await queryAt(server.adminUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const killed = server.process.pid;
    server.process.kill('SIGKILL');
    expect(await server.process.exited(5_000)).toBe(true);
    await server.process.start();
    await server.process.ready();
    expect(server.process.pid).not.toBe(killed);
    expect(await queryAt(server.adminUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  }, 60_000);

  it('starts although its old process id now belongs to another process', async () => {
    server.process.kill('SIGKILL');
    expect(await server.process.exited(5_000)).toBe(true);
    const file = join(dataDir, 'postgres', 'postmaster.pid');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(process.ppid)));
    await server.process.start();
    await server.process.ready();
  }, 60_000);

  it('leaves no process behind when it is stopped', async () => {
    const { pid = 0 } = server.process;
    expect(isAlive(pid)).toBe(true);
    await server.process.stop();
    expect(isAlive(pid)).toBe(false);
    expect(server.process.pid).toBeUndefined();
  }, 30_000);

  it('logs neither values nor statements of failing commands', () => {
    const log = readFileSync(server.process.logFile, 'utf8');
    expect(log).toContain('permission denied');
    expect(log).not.toContain('CREATE TABLE public.t');
  });

  it('waits for a server that repeats its log after a restore, however long that takes', async () => {
    const cluster = join(dataDir, 'postgres');
    const goAhead = join(dataDir, 'go-ahead');
    // The server asks for the first file of the archive until the progress was reported.
    const command = `until [ -e "${goAhead}" ]; do sleep 0.1; done; false`;
    appendFileSync(
      join(cluster, 'postgresql.auto.conf'),
      `restore_command = '${command}'\nhot_standby = 'off'\n`,
    );
    writeFileSync(join(cluster, 'recovery.signal'), '');
    const lines: string[] = [];
    server = await startPostgres({
      dataDir,
      adminPassword: secrets.postgresAdminPassword,
      // Long enough for a busy machine to open the port.
      readyLimitMs: 3_000,
      onProgress: (line) => {
        lines.push(line);
        writeFileSync(goAhead, '');
      },
    });
    expect(lines).toContain('PostgreSQL repeats its log, after a restore or a crash');
    expect(await queryAt(server.adminUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  }, 60_000);
});
