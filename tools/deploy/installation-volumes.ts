import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { databaseServices } from '@offizin/local-stack/secrets';
import {
  databaseUrlFile,
  givenSecrets,
  idempotencySecretFile,
  kubernetesSecrets,
  newSecrets,
} from './installation-secrets';
import {
  completeSecrets,
  readSecrets,
  rotateIn,
  type SecretRotation,
  type SecretsByName,
  undoIn,
  writeSecrets,
} from './secrets-folder';

/**
 * `init` of docker-compose.yml: all secrets, once, in the folder `secrets` of the volume `secrets`, and from there the
 * files of each service in a volume that only this service mounts.
 *
 * Guarantees: a secret is never overwritten but by a step of a rotation, by `undo` or by `--set`, and the volume then holds the
 * former ones, too; while PostgreSQL's volume holds a database none is made, because a new MASTER_KEY could not read it;
 * when it is interrupted, the next run completes it.
 */
export interface InitOptions {
  rotate?: SecretRotation;
  /** Back to the secrets before the last change. */
  undo?: boolean;
  /** Folder with the secrets that are missing: of a backup, or deploy/secrets of an earlier version. */
  take?: string;
  /** New values by the names of the secrets. */
  set?: SecretsByName;
}

/** Service → its files → their names in `newSecrets`. They are in /run/secrets of the service. */
export const composeSecrets: Record<string, Record<string, string>> = {
  ...kubernetesSecrets,
  ...Object.fromEntries(
    databaseServices.map((name) => [`migrate-${name}`, { DATABASE_URL: databaseUrlFile(name) }]),
  ),
};

const READ_URL = 'ORDER_CORE_DATABASE_READ_URL';

/** Secrets that an operator may add: service → its files → their names. */
const GIVEN: Record<string, Record<string, string>> = {
  'order-core': { ...givenSecrets['document-store'], DATABASE_READ_URL: READ_URL },
  operator: { ...givenSecrets['document-store'], [READ_URL]: READ_URL },
};

/** What `--set` changes: those, and keys that no server and no other secret must agree with. */
const SETTABLE = [
  ...new Set(Object.values(GIVEN).flatMap((files) => Object.values(files))),
  'MASTER_KEY',
  'TOKEN_SIGNING_KEYS',
  'PROOF_SIGNING_KEYS',
  ...databaseServices.map(idempotencySecretFile),
];

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
  completeSecrets(folder);
  const lines = [keepSecrets(folder, join(volumes, 'postgres'), options.take)];
  if (options.rotate) lines.push(rotateIn(folder, options.rotate));
  if (options.undo) lines.push(undoIn(folder));
  if (options.set) setIn(folder, options.set);
  const secrets = readSecrets(folder);
  const givenTo = (service: string): Record<string, string> =>
    Object.fromEntries(Object.entries(GIVEN[service] ?? {}).filter(([, name]) => secrets[name]));
  for (const service of new Set([...Object.keys(composeSecrets), ...Object.keys(composeFiles)]))
    fill(join(volumes, 'files', service), {
      ...contents({ ...composeSecrets[service], ...givenTo(service) }, (name) => secrets[name] ?? ''),
      ...contents(composeFiles[service], (path) => readFileSync(join(checkoutRoot, path), 'utf8')),
    });
  return lines.filter((line) => line !== undefined);
}

const TAKE = '"docker compose run --rm -v <folder>:/given:ro init --take /given"';

/** Leaves all secrets in `folder`: those that it holds and the given ones that it lacks, or new ones. */
function keepSecrets(folder: string, database: string, take: string | undefined): string | undefined {
  const fresh = newSecrets();
  const lackingIn = (secrets: SecretsByName): string[] => Object.keys(fresh).filter((name) => !secrets[name]);
  const present = readSecrets(folder);
  const lacking = lackingIn(present);
  if (take !== undefined) {
    if (lacking.length === 0)
      throw new Error(`Secrets are there already, so those in ${take} were not taken over.`);
    const given = readSecrets(take);
    const all = { ...given, ...withoutEmpty(present) };
    if (lackingIn(all).length > 0)
      throw new Error(`${take} lacks ${lackingIn(all).join(', ')}; nothing was taken over.`);
    writeSecrets(folder, all);
    const taken = Object.keys(withoutEmpty(present)).length === 0 ? 'The secrets' : lacking.join(', ');
    return `${taken} in ${take} were taken over.`;
  }
  if (lacking.length === 0) return undefined;
  if (existsSync(folder))
    throw new Error(`The volume "secrets" lacks ${lacking.join(', ')}: take them from a backup by ${TAKE}.`);
  if (holdsDatabase(database))
    throw new Error(
      "PostgreSQL's volume holds a database whose secrets are missing, and new ones could not read it: take over the " +
        `folder "secrets" of its backup, or deploy/secrets of an earlier version, by ${TAKE}.`,
    );
  writeSecrets(folder, fresh);
  return 'New secrets were written: back them up. Without them the stored documents cannot be read.';
}

function withoutEmpty(secrets: SecretsByName): SecretsByName {
  return Object.fromEntries(Object.entries(secrets).filter(([, value]) => value !== ''));
}

function setIn(folder: string, values: SecretsByName): void {
  for (const [name, value] of Object.entries(values)) {
    if (!SETTABLE.includes(name))
      throw new Error(`"init --set" does not change ${name}. It changes: ${SETTABLE.join(', ')}.`);
    if (value === '') throw new Error(`The value of ${name} is empty.`);
  }
  if (Object.keys(values).length > 0) writeSecrets(folder, { ...readSecrets(folder), ...values });
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
  for (const [name, content] of Object.entries(files)) {
    if (present[name] === content) continue;
    const draft = join(folder, `${name}.new`);
    writeFileSync(draft, content, { mode: 0o444 });
    renameSync(draft, join(folder, name));
  }
}
