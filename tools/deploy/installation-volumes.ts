import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { natsPasswordVariable } from '@offizin/local-stack/nats';
import { databaseServices } from '@offizin/local-stack/secrets';
import {
  callKeysFile,
  databaseUrlFile,
  givenSecrets,
  kubernetesSecrets,
  newSecrets,
} from './installation-secrets';
import {
  readSecrets,
  rotateIn,
  type SecretRotation,
  type SecretsByName,
  writeSecrets,
} from './secrets-folder';

/**
 * `init` of docker-compose.yml: all secrets, once, in the folder `secrets` of the volume `secrets`, and from there the
 * files of each service in a volume that only this service mounts.
 *
 * Guarantees: a secret is never overwritten but by a step of a rotation or by `--set`; while PostgreSQL's volume holds a database none
 * is made, because a new MASTER_KEY could not read it; when it is interrupted, the next run completes it.
 */
export interface InitOptions {
  rotate?: SecretRotation;
  /** Folder with all secrets: of a backup, or deploy/secrets of an earlier version. */
  take?: string;
  /** New values by the names of the secrets. */
  set?: SecretsByName;
}

/** Service → its files → their names in `newSecrets`. They are in /run/secrets of the service. */
export const composeSecrets: Record<string, Record<string, string>> = {
  ...kubernetesSecrets,
  // The database URLs are for the doctor.
  operator: {
    NATS_PASSWORD: natsPasswordVariable('operator'),
    CALL_KEYS: callKeysFile('operator'),
    ...Object.fromEntries(databaseServices.map((name) => [databaseUrlFile(name), databaseUrlFile(name)])),
  },
  ...Object.fromEntries(
    databaseServices.map((name) => [`migrate-${name}`, { DATABASE_URL: databaseUrlFile(name) }]),
  ),
};

/** Secrets that an operator may add, and who gets them. */
const GIVEN = Object.keys(givenSecrets['document-store'] ?? {});
const GIVEN_TO = ['order-core', 'operator'];

/** Service → its other files → where they are in the image. A new version brings new ones. */
export const composeFiles: Record<string, Record<string, string>> = {
  nats: Object.fromEntries(
    ['server.conf', 'permissions.conf', 'with-secrets.sh', 'alive.sh'].map((name) => [
      name,
      `deploy/nats/${name}`,
    ]),
  ),
  // Its volume is the folder of the scripts for the first start, too: it runs each one whose name ends in .sql or .sh.
  postgres: {
    'passwords.sh': 'deploy/postgres/passwords.sh',
    'passwords.psql': 'deploy/postgres/passwords.sql',
    'roles.psql': 'deploy/postgres/roles.sql',
  },
  proxy: { Caddyfile: 'deploy/proxy/Caddyfile' },
};

/**
 * `volumes` holds the mounted volumes: `secrets`, `postgres`, and in `files` one for each service. Resolves with what was
 * done, as sentences. Throws one when nothing may be written.
 */
export function initialize(volumes: string, options: InitOptions = {}): string[] {
  const folder = join(volumes, 'secrets', 'secrets');
  const lines = [keepSecrets(folder, join(volumes, 'postgres'), options.take)];
  if (options.rotate) lines.push(rotateIn(folder, options.rotate));
  setSecrets(folder, options.set);
  const secrets = readSecrets(folder);
  const given = Object.fromEntries(GIVEN.flatMap((name) => (secrets[name] ? [[name, secrets[name]]] : [])));
  for (const service of new Set([...Object.keys(composeSecrets), ...Object.keys(composeFiles)]))
    fill(join(volumes, 'files', service), {
      ...contents(composeSecrets[service], (name) => secrets[name] ?? ''),
      ...(GIVEN_TO.includes(service) && given),
      ...contents(composeFiles[service], (path) => readFileSync(join(checkoutRoot, path), 'utf8')),
    });
  return lines.filter((line) => line !== undefined);
}

/** Leaves all secrets in `folder`, which are those that it holds, the given ones, or new ones. */
function keepSecrets(folder: string, database: string, take: string | undefined): string | undefined {
  const fresh = newSecrets();
  const lackingIn = (secrets: SecretsByName): string[] => Object.keys(fresh).filter((name) => !secrets[name]);
  const lacking = lackingIn(readSecrets(folder));
  if (take !== undefined) {
    if (existsSync(folder))
      throw new Error(`Secrets are there already, so those in ${take} were not taken over.`);
    const given = readSecrets(take);
    if (lackingIn(given).length > 0)
      throw new Error(`${take} lacks ${lackingIn(given).join(', ')}; nothing was taken over.`);
    writeSecrets(folder, given);
    return `The secrets in ${take} were taken over.`;
  }
  if (lacking.length === 0) return undefined;
  if (existsSync(folder))
    throw new Error(`The volume "secrets" lacks ${lacking.join(', ')}: restore it from a backup.`);
  if (holdsDatabase(database))
    throw new Error(
      "PostgreSQL's volume holds a database whose secrets are missing, and new ones could not read it: take over the " +
        'folder "secrets" of its backup, or deploy/secrets of an earlier version, by ' +
        '"docker compose run --rm -v <folder>:/given:ro init --take /given".',
    );
  writeSecrets(folder, fresh);
  return 'New secrets were written: back them up. Without them the stored documents cannot be read.';
}

function setSecrets(folder: string, values: SecretsByName = {}): void {
  const known = new Set([...GIVEN, ...Object.keys(readSecrets(folder))]);
  for (const [name, value] of Object.entries(values)) {
    if (!known.has(name)) throw new Error(`There is no secret ${name}. Known: ${[...known].join(', ')}.`);
    if (value === '') throw new Error(`The value of ${name} is empty.`);
    replaceFile(folder, name, value);
  }
}

/** In a folder of the server's version, or in none. */
function holdsDatabase(volume: string): boolean {
  const below = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name));
  const versions = below(volume);
  return [volume, ...versions, ...versions.flatMap(below)].some((one) => existsSync(join(one, 'PG_VERSION')));
}

function contents(files: Record<string, string> = {}, contentOf: (source: string) => string): SecretsByName {
  return Object.fromEntries(Object.entries(files).map(([name, source]) => [name, contentOf(source)]));
}

/** Leaves these files in the folder and no others. Each changes as a whole: the broker reads them while it runs. */
function fill(folder: string, files: SecretsByName): void {
  mkdirSync(folder, { recursive: true });
  const present = readSecrets(folder);
  for (const name of Object.keys(present)) if (files[name] === undefined) rmSync(join(folder, name));
  for (const [name, content] of Object.entries(files))
    if (present[name] !== content) replaceFile(folder, name, content);
}

function replaceFile(folder: string, name: string, content: string): void {
  const draft = join(folder, `${name}.new`);
  rmSync(draft, { force: true });
  writeFileSync(draft, content, { mode: 0o444 });
  renameSync(draft, join(folder, name));
}
