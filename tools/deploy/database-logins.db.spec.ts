import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { queryAt } from '@offizin/local-stack/database-client';
import {
  databaseRoles,
  databaseUrl,
  prepareDatabase,
  secondLogin,
} from '@offizin/local-stack/database-roles';
import { type PostgresServer, startPostgres } from '@offizin/local-stack/postgres';
import {
  databaseServices,
  readOrCreateSecrets,
  ROTATION_STEPS,
  type Secrets,
} from '@offizin/local-stack/secrets';
import { Database, statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { migrate } from '@offizin/pg/migrate';
import { setDatabasePasswords } from '@offizin/testkit/database-passwords';
import { describeWithout, programProblem } from '@offizin/testkit/programs';
import { QUICK_CALL_MS } from '../../apps/order-core/callers/overtaken.store';
import { orderCoreSchema } from '../../apps/order-core/db/schema';
import { isSettled } from '../../apps/order-core/erasure/erasure-jobs.store';
import { checkDatabase } from '../offizin/doctor/database-check';
import { databasePasswordVariable, databaseUrlFile, installationSecrets } from './installation-secrets';
import { rotations } from './secret-rotation';

/** The two logins of a service (deploy/postgres): roles belong to the whole server, so this one is its own. */
const dataDir = mkdtempSync(join(tmpdir(), 'database-logins-'));
let server: PostgresServer;
let adminUrl: string;
let secrets: Secrets;
let files: Record<string, string>;

beforeAll(async () => {
  secrets = readOrCreateSecrets(dataDir);
  server = await startPostgres({ dataDir, adminPassword: secrets.postgresAdminPassword });
  await prepareDatabase(server.adminUrl, 'offizin', secrets.databasePasswords);
  adminUrl = databaseUrl(server.adminUrl, 'offizin');
  files = installationSecrets(secrets, `127.0.0.1:${new URL(server.adminUrl).port}/offizin`);
  await setDatabasePasswords(adminUrl, files);
}, 60_000);
afterAll(async () => {
  await server?.process.stop();
  rmSync(dataDir, { recursive: true });
}, 30_000);

const urlOf = (service: (typeof databaseServices)[number], of = files): string =>
  of[databaseUrlFile(service)] ?? '';
const WHO = 'SELECT current_user AS acts_as, session_user AS login';

it('a rotation changes the login, each step accepts the one of the step before, and both act as one role', async () => {
  const logins: string[] = [];
  for (const step of [...ROTATION_STEPS, ...ROTATION_STEPS]) {
    const before = files;
    files = { ...files, ...rotations.DATABASE.changed(files, step) };
    if (step !== 'switch') await setDatabasePasswords(adminUrl, files);
    for (const service of databaseServices) {
      const role = databaseRoles[service];
      for (const url of [urlOf(service, before), urlOf(service)])
        expect(await queryAt(url, WHO)).toEqual([{ acts_as: role, login: new URL(url).username }]);
    }
    if (step === 'drop') logins.push(new URL(urlOf('catalog')).username);
  }
  expect(logins).toEqual([secondLogin('catalog'), databaseRoles.catalog]);
  expect(databaseServices.map((name) => files[databasePasswordVariable(name)])).not.toEqual(
    databaseServices.map((name) => secrets.databasePasswords[name]),
  );
});

it('a dropped login is refused', async () => {
  const first = urlOf('catalog');
  for (const step of ROTATION_STEPS) {
    files = { ...files, ...rotations.DATABASE.changed(files, step) };
    await setDatabasePasswords(adminUrl, files);
  }
  await expect(queryAt(first, WHO)).rejects.toThrow(/password authentication failed/);
});

it('what the second login makes belongs to the role, and the other services stay closed to it', async () => {
  const [url, other] = [urlOf('catalog'), urlOf('order-core')];
  expect(new URL(url).username).toBe(secondLogin('catalog'));
  await queryAt(url, 'CREATE TABLE made (secret text)');
  const owners = `SELECT tableowner, schemaname FROM pg_tables WHERE tablename = 'made'`;
  expect(await queryAt(url, owners)).toEqual([{ tableowner: databaseRoles.catalog, schemaname: 'catalog' }]);
  await expect(queryAt(other, 'SELECT FROM catalog.made')).rejects.toThrow(/permission denied/);
  await expect(queryAt(url, 'SET ROLE offizin_order_core')).rejects.toThrow(/permission denied/);
});

describeWithout(programProblem('psql'), 'deploy/postgres/passwords.sh', () => {
  const script = join(checkoutRoot, 'deploy', 'postgres', 'passwords.sh');
  const folder = join(dataDir, 'files');

  /** `sh` with these arguments, on the machine of an administrator, with the secrets of the installation. */
  function run(args: string[], settings: Record<string, string> = {}): void {
    mkdirSync(folder, { recursive: true });
    for (const [name, value] of Object.entries(files)) writeFileSync(join(folder, name), value);
    const { hostname, port, password } = new URL(adminUrl);
    const login = { PGHOST: hostname, PGPORT: port, PGPASSWORD: decodeURIComponent(password) };
    const { PATH = '' } = process.env;
    const env = { PATH, ...login, SECRETS_FOLDER: folder, ...settings };
    execFileSync('sh', args, { env, encoding: 'utf8', stdio: 'pipe' });
  }

  it('makes the second logins of a database that has none, and gives both their passwords', async () => {
    for (const service of databaseServices)
      await queryAt(adminUrl, `DROP OWNED BY ${secondLogin(service)}`, `DROP ROLE ${secondLogin(service)}`);
    for (const step of ROTATION_STEPS) {
      files = { ...files, ...rotations.DATABASE.changed(files, step) };
      run([script]);
      for (const service of databaseServices) {
        const url = urlOf(service);
        const login = new URL(url).username;
        expect(await queryAt(url, WHO)).toEqual([{ acts_as: databaseRoles[service], login }]);
      }
    }
  });

  it('is read by another shell, as the image of PostgreSQL does, with the files that the environment names', async () => {
    files = { ...files, ...rotations.DATABASE.changed(files, 'add') };
    const [roles, passwords] = [join(dataDir, 'roles.psql'), join(dataDir, 'passwords.psql')];
    copyFileSync(join(dirname(script), 'roles.sql'), roles);
    copyFileSync(join(dirname(script), 'passwords.sql'), passwords);
    run(['-c', `. ${script}`], { ROLES_SQL: roles, PASSWORDS_SQL: passwords });
    files = { ...files, ...rotations.DATABASE.changed(files, 'switch') };
    expect(await queryAt(urlOf('catalog'), WHO)).toMatchObject([{ acts_as: databaseRoles.catalog }]);
    files = { ...files, ...rotations.DATABASE.changed(files, 'drop') };
    run([script]);
  });

  it('changes nothing when a password is missing', () => {
    expect(() => run([script], { SECRETS_FOLDER: '/nowhere' })).toThrow(/No such file/);
  });
});

const write = statement<{ id: string }, []>('spec_write', 'SELECT pg_current_xact_id()::text AS id');

describe('an erasure', () => {
  let first: Database;
  let second: Database;
  beforeAll(async () => {
    files = { ...files, ...rotations.DATABASE.changed(files, 'add') };
    await setDatabasePasswords(adminUrl, files);
    const added = rotations.DATABASE.changed(files, 'switch');
    const open = (databaseUrl: string): Promise<Database> =>
      Database.connect({ ...orderCoreSchema, databaseUrl, poolSize: 2, applicationName: 'spec' });
    first = await open(urlOf('order-core'));
    second = await open(urlOf('order-core', added));
    await migrate(first.dataSource, urlOf('order-core'));
  }, 60_000);
  afterAll(() => Promise.all([first.close(), second.close()]));

  /** One that was asked for when a quick call that had begun then has to be writing now. */
  async function asked(): Promise<string> {
    const id = newId();
    await queryAt(
      adminUrl,
      `INSERT INTO core.erasures (id, org_id, object_kind, object_id, actor_kind, actor_id, request_id, created_at)
       VALUES ('${id}', '${id}', 'order', '${id}', 'staff', 'spec', 'spec',
         clock_timestamp() - interval '${1.5 * QUICK_CALL_MS} milliseconds')`,
    );
    return id;
  }

  it('by either login waits for a write of the other one', async () => {
    for (const [eraser, writer] of [
      [first, second],
      [second, first],
    ] as const) {
      const id = await writer.transaction(async (tx) => {
        await tx.rows(write);
        const erasure = await asked();
        expect(await isSettled(eraser, erasure)).toBe(false);
        return erasure;
      });
      expect(await isSettled(eraser, id)).toBe(true);
    }
  });

  it('waits where it cannot see what the other login does', async () => {
    await queryAt(adminUrl, `REVOKE pg_read_all_stats FROM ${databaseRoles['order-core']}`);
    await second.ping();
    const url = urlOf('order-core');
    const findings = await checkDatabase({ service: 'order-core', url });
    expect(
      findings.filter(({ of }) => of.endsWith(', rights')).map(({ outcome, found }) => [outcome, found]),
    ).toEqual([
      ['warning', 'does not see the sessions of its other login: an erasure would wait for them forever'],
    ]);
    expect(await isSettled(first, await asked())).toBe(false);
    await queryAt(adminUrl, `GRANT pg_read_all_stats TO ${databaseRoles['order-core']}`);
    expect(await isSettled(first, await asked())).toBe(true);
  });
});
