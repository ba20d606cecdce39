import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { natsPasswordVariable } from '@offizin/local-stack/nats';
import { compiledFile } from '@offizin/testkit/programs';
import { newSecrets } from './installation-secrets';
import { composeFiles, composeSecrets, initialize } from './installation-volumes';
import { readSecrets } from './secrets-folder';

/** What the service `init` of docker-compose.yml does with the volumes, from an empty one to a lost one. */
const folder = mkdtempSync(join(tmpdir(), 'offizin-volumes-'));
let volumes: string;
let number = 0;

beforeEach(() => {
  volumes = join(folder, `${(number += 1)}`);
  for (const name of ['secrets', 'postgres', 'files']) mkdirSync(join(volumes, name), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Node.js takes the folder of temporary files from TMPDIR; Docker gives a read-only container none. */
const WITHOUT_TMP = 'const [, file, volumes] = process.argv; require(file).initialize(volumes);';

const store = (): string => join(volumes, 'secrets', 'secrets');
const secret = (name: string): string => readFileSync(join(store(), name), 'utf8');
const fileOf = (service: string, name: string): string =>
  readFileSync(join(volumes, 'files', service, name), 'utf8');

function everything(): Record<string, string> {
  const entries = readdirSync(volumes, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(entries.sort().map((file) => [file, readFileSync(file, 'utf8')]));
}

function makeDatabase(): void {
  const file = join(volumes, 'postgres', '18', 'docker', 'PG_VERSION');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '18\n');
}

it('makes all secrets, and gives each service its own files and no others', () => {
  expect(initialize(volumes)).toEqual([expect.stringMatching(/^New secrets were written: back them up/)]);
  expect(readdirSync(store()).sort()).toEqual(Object.keys(newSecrets()).sort());
  expect(statSync(store()).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(join(volumes, 'files'))) {
    const wanted = { ...composeSecrets[name], ...composeFiles[name] };
    expect([name, readdirSync(join(volumes, 'files', name)).sort()]).toEqual([
      name,
      Object.keys(wanted).sort(),
    ]);
    for (const [file, source] of Object.entries(composeSecrets[name] ?? {}))
      expect(fileOf(name, file)).toBe(secret(source));
    for (const file of Object.keys(wanted))
      expect(statSync(join(volumes, 'files', name, file)).mode & 0o777).toBe(0o444);
  }
  expect(fileOf('order-core', 'DATABASE_URL')).toContain(secret('ORDER_CORE_DATABASE_PASSWORD'));
});

it('changes nothing in a second run, with a database or without', () => {
  initialize(volumes);
  const before = everything();
  expect(initialize(volumes)).toEqual([]);
  expect(everything()).toEqual(before);
  makeDatabase();
  expect(initialize(volumes)).toEqual([]);
});

it('completes the volumes of the services, and takes away what they must not have', () => {
  initialize(volumes);
  makeDatabase();
  const before = everything();
  rmSync(join(volumes, 'files', 'gateway'), { recursive: true });
  rmSync(join(volumes, 'files', 'nats', 'server.conf'));
  writeFileSync(join(volumes, 'files', 'nats', 'permissions.conf.new'), 'half');
  writeFileSync(join(volumes, 'files', 'catalog', 'MASTER_KEY'), 'stale');
  writeFileSync(join(volumes, 'files', 'postgres', '10-roles.sql'), 'of an earlier version');
  rmSync(join(volumes, 'files', 'postgres', 'roles.psql'));
  writeFileSync(join(volumes, 'files', 'postgres', 'roles.psql'), 'of an earlier version');
  initialize(volumes);
  expect(everything()).toEqual(before);
});

it('begins again after a run that was interrupted while it made the secrets', () => {
  mkdirSync(`${store()}.new`);
  writeFileSync(join(`${store()}.new`, 'MASTER_KEY'), 'half');
  initialize(volumes);
  expect(readdirSync(join(volumes, 'secrets'))).toEqual(['secrets']);
  expect(secret('MASTER_KEY')).not.toBe('half');
});

describe('while PostgreSQL has a database', () => {
  it('makes no secret, and names both ways to get them back', () => {
    makeDatabase();
    const before = everything();
    expect(() => initialize(volumes)).toThrow(
      /^PostgreSQL's volume holds a database whose secrets are missing.* its backup, or deploy\/secrets .*init --take \/given"\.$/,
    );
    expect(everything()).toEqual(before);
  });

  it('sees one without the folder of its version, too', () => {
    writeFileSync(join(volumes, 'postgres', 'PG_VERSION'), '15\n');
    expect(() => initialize(volumes)).toThrow(/holds a database/);
  });
});

it.each([true, false])('names secrets that are missing among others (database: %s)', (hasDatabase) => {
  initialize(volumes);
  if (hasDatabase) makeDatabase();
  rmSync(join(store(), 'MASTER_KEY'));
  rmSync(join(store(), 'GATEWAY_CALL_KEYS'));
  const before = everything();
  expect(() => initialize(volumes)).toThrow(
    /^The volume "secrets" lacks GATEWAY_CALL_KEYS, MASTER_KEY: take them from a backup by "docker .* --take/,
  );
  expect(everything()).toEqual(before);
});

describe('init --take', () => {
  let given: string;

  beforeEach(() => {
    given = join(volumes, 'given');
    mkdirSync(given);
    for (const [name, value] of Object.entries(newSecrets())) writeFileSync(join(given, name), value);
  });

  it('takes over the secrets of a backup, or deploy/secrets of an earlier version', () => {
    makeDatabase();
    expect(initialize(volumes, { take: given })).toEqual([`The secrets in ${given} were taken over.`]);
    expect(secret('MASTER_KEY')).toBe(readFileSync(join(given, 'MASTER_KEY'), 'utf8'));
    expect(fileOf('order-core', 'MASTER_KEY')).toBe(secret('MASTER_KEY'));
  });

  it('fills in what the volume lacks, and overwrites nothing', () => {
    initialize(volumes);
    makeDatabase();
    const before = readSecrets(store());
    rmSync(join(store(), 'MASTER_KEY'));
    rmSync(join(store(), 'TOKEN_SIGNING_KEYS'));
    writeFileSync(join(store(), 'TOKEN_SIGNING_KEYS'), '');
    expect(initialize(volumes, { take: given })).toEqual([
      `MASTER_KEY, TOKEN_SIGNING_KEYS in ${given} were taken over.`,
    ]);
    const { MASTER_KEY = '', TOKEN_SIGNING_KEYS = '' } = readSecrets(given);
    expect(readSecrets(store())).toEqual({ ...before, MASTER_KEY, TOKEN_SIGNING_KEYS });
    expect(fileOf('webhook-worker', 'MASTER_KEY')).toBe(MASTER_KEY);
  });

  it('refuses a folder that lacks one, and a volume that has secrets', () => {
    rmSync(join(given, 'MASTER_KEY'));
    expect(() => initialize(volumes, { take: given })).toThrow(
      `${given} lacks MASTER_KEY; nothing was taken over.`,
    );
    expect(readdirSync(join(volumes, 'secrets'))).toEqual([]);
    initialize(volumes);
    const before = everything();
    expect(() => initialize(volumes, { take: given })).toThrow(/^Secrets are there already/);
    expect(everything()).toEqual(before);
  });
});

it('changes secrets by the steps of a rotation, in their order', () => {
  initialize(volumes);
  const [name, first] = [natsPasswordVariable('gateway'), secret(natsPasswordVariable('gateway'))];
  expect(() => initialize(volumes, { rotate: { secret: 'NATS', step: 'drop' } })).toThrow(
    /drop is not the next step/,
  );
  expect(initialize(volumes, { rotate: { secret: 'NATS', step: 'add' } })).toEqual([
    expect.stringMatching(/^add: done/),
  ]);
  expect(secret(name)).toMatch(new RegExp(`^${first},gateway-2:`));
  expect(fileOf('nats', name)).toBe(secret(name));
  expect(fileOf('gateway', 'NATS_PASSWORD')).toBe(secret(name));
  initialize(volumes, { rotate: { secret: 'CALL_KEYS', step: 'add' } });
  expect(fileOf('catalog', 'CALL_KEYS')).toBe(secret('CATALOG_CALL_KEYS'));
});

describe('a step of a rotation', () => {
  const step = { rotate: { secret: 'CALL_KEYS', step: 'add' } } as const;
  let before: Record<string, string>;

  beforeEach(() => {
    initialize(volumes);
    makeDatabase();
    before = readSecrets(store());
  });

  it('that ended while it wrote leaves the secrets as they were', () => {
    mkdirSync(`${store()}.new`);
    writeFileSync(join(`${store()}.new`, 'MASTER_KEY'), '');
    initialize(volumes);
    expect(readSecrets(store())).toEqual(before);
    initialize(volumes, step);
    expect(readSecrets(`${store()}.before`)).toEqual(before);
  });

  it('that ended between its two renamings is completed', () => {
    initialize(volumes, step);
    const after = readSecrets(store());
    renameSync(store(), `${store()}.new`);
    initialize(volumes);
    expect(readSecrets(store())).toEqual(after);
    expect(fileOf('catalog', 'CALL_KEYS')).toBe(after['CATALOG_CALL_KEYS']);
  });

  it('is undone, and done again', () => {
    expect(() => initialize(volumes, { undo: true })).toThrow('No former secrets are there.');
    initialize(volumes, step);
    const after = readSecrets(store());
    expect(initialize(volumes, { undo: true })).toEqual([expect.stringMatching(/^The secrets before/)]);
    expect(readSecrets(store())).toEqual(before);
    expect(fileOf('catalog', 'CALL_KEYS')).toBe(before['CATALOG_CALL_KEYS']);
    initialize(volumes, { undo: true });
    expect(readSecrets(store())).toEqual(after);
  });
});

it('makes secrets where nothing but the volumes can be written', () => {
  const args = ['-e', WITHOUT_TMP, compiledFile('tools/deploy/installation-volumes.ts'), volumes];
  const env = { ...process.env, TMPDIR: '/nowhere' };
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  expect([status, stderr]).toEqual([0, '']);
  expect(readdirSync(store()).sort()).toEqual(Object.keys(newSecrets()).sort());
});

it('sets a secret by its name, and gives those of a document store and a standby to order-core and the operator', () => {
  initialize(volumes);
  const keys = `${secret('MASTER_KEY')},${newSecrets()['MASTER_KEY']}`;
  initialize(volumes, { set: { MASTER_KEY: keys, DOCUMENT_STORE_ACCESS_KEY_ID: 'id' } });
  expect([secret('MASTER_KEY'), fileOf('webhook-worker', 'MASTER_KEY')]).toEqual([keys, keys]);
  const owners = readdirSync(join(volumes, 'files')).filter((name) =>
    readdirSync(join(volumes, 'files', name)).includes('DOCUMENT_STORE_ACCESS_KEY_ID'),
  );
  expect(owners.sort()).toEqual(['operator', 'order-core']);
  initialize(volumes, { set: { ORDER_CORE_DATABASE_READ_URL: 'postgres://a' } });
  const readUrls = [
    fileOf('order-core', 'DATABASE_READ_URL'),
    fileOf('operator', 'ORDER_CORE_DATABASE_READ_URL'),
  ];
  expect(readUrls).toEqual(['postgres://a', 'postgres://a']);
  const before = everything();
  for (const name of ['MAIN_KEY', 'POSTGRES_PASSWORD', 'CATALOG_DATABASE_URL', 'NATS_GATEWAY_PASSWORD'])
    expect(() => initialize(volumes, { set: { [name]: 'x' } })).toThrow(
      `"init --set" does not change ${name}. It changes: DOCUMENT_STORE_ACCESS_KEY_ID, `,
    );
  expect(() => initialize(volumes, { set: { MASTER_KEY: '' } })).toThrow('The value of MASTER_KEY is empty.');
  expect(initialize(volumes)).toEqual([]);
  expect(everything()).toEqual(before);
});

it.each(['api.example.org', ''])(
  'answers to the address %j with a sentence, and writes nothing',
  (address) => {
    const { status, stderr } = spawnSync(process.execPath, [compiledFile('tools/deploy/start.ts'), 'init'], {
      encoding: 'utf8',
      env: { ...process.env, PUBLIC_BASE_URL: address },
    });
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/- PUBLIC_BASE_URL (must be a URL|is not set)/),
    ]);
  },
);
