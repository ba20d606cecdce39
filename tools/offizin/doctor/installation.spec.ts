import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedPasswords } from '@offizin/local-stack/database-roles';
import { readOrCreateSecrets } from '@offizin/local-stack/secrets';
import { installationFrom, localInstallation } from './installation';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'offizin-installation-'));
});

function writeDemo(database_url: string, processes: object): void {
  const demo = {
    base_url: 'http://127.0.0.1:3000',
    nats_url: 'nats://127.0.0.1:4222',
    database_url,
    processes,
  };
  writeFileSync(join(folder, 'demo.json'), JSON.stringify(demo));
}

/** The passwords with which the doctor asks the databases of a stack that has these processes. */
function passwordsWith(database_url: string, processes: object): string[] {
  writeDemo(database_url, processes);
  return localInstallation(folder, {}).databases.map(({ url }) => new URL(url).password);
}

it('uses the stored passwords for the server of the stack, and those of its administrator for another one', () => {
  const secrets = readOrCreateSecrets(folder);
  const url = 'postgres://admin:of-my-own@db.example:5432/offizin';
  expect(passwordsWith(url, { postgres: { pid: 1 } })).toEqual(Object.values(secrets.databasePasswords));
  expect(passwordsWith(url, {})).toEqual(Object.values(sharedPasswords(url, secrets)));
});

it('looks at the bucket of a local stack, which the environment names', () => {
  readOrCreateSecrets(folder);
  writeDemo('postgres://admin@127.0.0.1:5432/offizin', { postgres: { pid: 1 } });
  const DOCUMENT_STORE_URL = 'http://127.0.0.1:9000/documents';
  const key = { DOCUMENT_STORE_ACCESS_KEY_ID: 'key', DOCUMENT_STORE_SECRET_ACCESS_KEY: 'secret' };
  const { documentStore } = localInstallation(folder, { DOCUMENT_STORE_URL, ...key });
  expect(documentStore).toMatchObject({ url: DOCUMENT_STORE_URL, accessKeyId: 'key' });
  expect(localInstallation(folder, {}).documentStore).toBeUndefined();
  expect(() => localInstallation(folder, { DOCUMENT_STORE_URL })).toThrow(/DOCUMENT_STORE_ACCESS_KEY_ID/);
});

it('reads passwords and database URLs from files, and states which file is missing', () => {
  const file = join(folder, 'url');
  writeFileSync(file, 'postgres://catalog@db.example/offizin\n');
  expect(installationFrom({ CATALOG_DATABASE_URL_FILE: file }).databases).toEqual([
    { service: 'catalog', url: 'postgres://catalog@db.example/offizin' },
  ]);
  const reads = { ORDER_CORE_DATABASE_URL: 'postgres://a/b', ORDER_CORE_DATABASE_READ_URL_FILE: file };
  expect(installationFrom(reads).databases).toEqual([
    { service: 'order-core', url: 'postgres://a/b', readUrl: 'postgres://catalog@db.example/offizin' },
  ]);
  const missing = { NATS_PASSWORD_FILE: join(folder, 'nowhere') };
  expect(() => installationFrom(missing)).toThrow(/NATS_PASSWORD cannot be read from NATS_PASSWORD_FILE/);
});
