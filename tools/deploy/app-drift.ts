import { type AppName, appNames } from '@offizin/local-stack/apps';
import { databaseRoles } from '@offizin/local-stack/database-roles';
import { natsPasswordVariable } from '@offizin/local-stack/nats';
import { type DatabaseService, databaseServices } from '@offizin/local-stack/secrets';
import { readConfig, secretFileVariable, SECRETS_FOLDER, settingsOf } from '@offizin/runtime/config';
import { MANAGEMENT_PATHS } from '@offizin/runtime/management';
import { MigrationConfig, type ProcessConfig } from '@offizin/runtime/process-config';
import { appConfigs, TRACE_SETTINGS } from '../docs/app-settings';
import {
  callKeysFile,
  CERTIFICATE_AUTHORITY,
  databaseUrlFile,
  idempotencySecretFile,
} from './installation-secrets';

/**
 * Where a description of an app and its code do not agree, as sentences; none when they do. `secrets` are values for
 * the secrets by name: what an app would read is handed to its own configuration class.
 */
export function appDrift(described: DescribedApp, secrets: Record<string, string>): string[] {
  const problems = [
    ...environmentDrift(described),
    ...secretDrift(described, secrets),
    ...identityDrift(described),
    ...hardeningDrift(described),
    ...configDrift(described, secrets),
  ];
  return problems.map((problem) => `${described.where}: ${problem}`);
}

/** Every app is described once at least, and every service with a schema migrates. */
export function missingApps(
  described: readonly DescribedApp[],
  migrations: readonly DescribedApp[],
): string[] {
  const lacks = (apps: readonly DescribedApp[], app: AppName): boolean =>
    !apps.some((one) => one.app === app);
  return [
    ...appNames.filter((app) => lacks(described, app)).map((app) => `${app} is missing`),
    ...databaseServices.filter((app) => lacks(migrations, app)).map((app) => `nothing migrates ${app}`),
  ];
}

type AppConfig = ProcessConfig & { port?: number };

/** The port of the app by its configuration; undefined when it has none beside the management port. */
export function portOf(described: DescribedApp, secrets: Record<string, string>): number | undefined {
  return described.migration ? undefined : appConfigOf(described, secrets).port;
}

function appConfigOf(described: DescribedApp, secrets: Record<string, string>): AppConfig {
  return readConfig<AppConfig>(appConfigs[described.app], environmentRead(described, secrets));
}

/** A migration reads less than its service. */
function configClassOf({ app, migration }: DescribedApp): new () => object {
  return migration ? MigrationConfig : appConfigs[app];
}

/** Mistakes of its configuration, and what its probes, ports and end do not have as that says. */
function configDrift(described: DescribedApp, secrets: Record<string, string>): string[] {
  try {
    if (!described.migration) return lifeDrift(described, appConfigOf(described, secrets));
    readConfig(MigrationConfig, environmentRead(described, secrets));
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** Read by Node.js, OpenSSL, libuv or OpenTelemetry and not by us. */
const readByOthers = new Set([
  'UV_THREADPOOL_SIZE',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  ...TRACE_SETTINGS.map(([name = '']) => name.replaceAll('`', '')),
]);

function environmentDrift(described: DescribedApp): string[] {
  const { app, environment } = described;
  const settings = settingsOf(configClassOf(described));
  const known = new Set(
    settings.flatMap(({ environment: name, secret }) => (secret ? [name, secretFileVariable(name)] : [name])),
  );
  const secretNames = new Set(settings.filter(({ secret }) => secret).map(({ environment: name }) => name));
  return Object.keys(environment).flatMap((name) => {
    if (secretNames.has(name)) return [`${name} is a secret and is in the environment`];
    if (name.startsWith('EGRESS_')) return [`${name} is for development only`];
    return known.has(name) || readByOthers.has(name) ? [] : [`sets ${name}, which ${app} does not read`];
  });
}

function secretDrift(described: DescribedApp, secrets: Record<string, string>): string[] {
  const { secretFiles } = described;
  const paths = new Map(secretPaths(described));
  const named = fileVariables(described.environment).map(([, path]) => path);
  return [
    ...named
      .filter((path) => secretFiles[path] === undefined)
      .map((path) => `reads ${path}, which nothing mounts`),
    ...Object.keys(secretFiles)
      .filter((path) => ![...paths.values()].includes(path))
      .map((path) => `mounts ${path}, which it does not read`),
    ...Object.values(secretFiles)
      .filter((name) => secrets[name] === undefined && name !== CERTIFICATE_AUTHORITY)
      .map((name) => `the secret ${name} is not one of those that \`deploy\` writes`),
  ];
}

/** Each secret that it may have, and the file that it reads for it. */
function secretPaths(described: DescribedApp): [name: string, path: string][] {
  const secretNames = settingsOf(configClassOf(described)).filter(({ secret }) => secret);
  return [
    ...fileVariables(described.environment).map(([name, path]): [string, string] => [name, path]),
    ...secretNames
      .filter(({ environment: name }) => described.environment[secretFileVariable(name)] === undefined)
      .map(({ environment: name }): [string, string] => [name, `${SECRETS_FOLDER}/${name}`]),
  ];
}

/** It signs in as itself, at the broker and at the database, and it runs what it is called. */
function identityDrift(described: DescribedApp): string[] {
  const { app, environment, migration, secretFiles, image } = described;
  const paths = new Map(secretPaths(described));
  const source = (name: string): string | undefined => secretFiles[paths.get(name) ?? ''];
  const expected: [string, string | undefined, string][] = [
    ['the image', image.split('/').at(-1)?.split(/[:@]/)[0], 'offizin'],
    ['the argument', described.arguments.join(' '), migration ? `migrate ${app}` : app],
  ];
  if (!migration)
    expected.push(
      ['NATS_USER', environment['NATS_USER'], app],
      ['the secret of NATS_PASSWORD', source('NATS_PASSWORD'), natsPasswordVariable(app)],
      ['the secret of CALL_KEYS', source('CALL_KEYS'), callKeysFile(app)],
    );
  if (isDatabaseService(app)) {
    expected.push(['the secret of DATABASE_URL', source('DATABASE_URL'), databaseUrlFile(app)]);
    if (!migration)
      expected.push([
        'the secret of IDEMPOTENCY_SECRET',
        source('IDEMPOTENCY_SECRET'),
        idempotencySecretFile(app),
      ]);
  }
  return expected
    .filter(([, found, wanted]) => found !== wanted)
    .map(([what, found, wanted]) => `${what} is ${found ?? 'missing'}, not ${wanted}`);
}

function hardeningDrift({ hardening }: DescribedApp): string[] {
  return Object.entries(hardening)
    .filter(([, holds]) => !holds)
    .map(([name]) => `${name} does not hold`);
}

function lifeDrift(described: DescribedApp, config: AppConfig): string[] {
  const problems: string[] = [];
  const known = [MANAGEMENT_PATHS.alive, MANAGEMENT_PATHS.ready];
  if (!described.probes.some(({ path }) => path === MANAGEMENT_PATHS.ready))
    problems.push(`no probe asks ${MANAGEMENT_PATHS.ready}`);
  for (const { path, port } of described.probes) {
    if (!known.some((one) => one === path)) problems.push(`a probe asks ${path}, which nobody answers`);
    if (port !== config.managementPort)
      problems.push(`a probe asks port ${port}; the management port is ${config.managementPort}`);
  }
  const listens = [config.port, config.managementPort];
  for (const port of described.servedPorts)
    if (!listens.includes(port)) problems.push(`port ${port} is served, and nothing listens on it`);
  const needed = described.preStopSeconds + config.drainSeconds;
  if (described.graceSeconds <= needed)
    problems.push(`is killed after ${described.graceSeconds} s; pause and drain take ${needed} s`);
  return problems;
}

/** What the app would find in its environment, each secret as its file holds it. */
function environmentRead(described: DescribedApp, secrets: Record<string, string>): Record<string, string> {
  const { environment, secretFiles } = described;
  const read = Object.fromEntries(Object.entries(environment).filter(([name]) => !name.endsWith('_FILE')));
  for (const [name, path] of secretPaths(described)) {
    const value = secrets[secretFiles[path] ?? ''];
    if (value !== undefined) read[name.replace(/_FILE$/, '')] = value;
  }
  return read;
}

/** Settings whose own name ends so, such as NATS_TLS_CA_FILE, count as well, and so does a file that Node.js reads. */
function fileVariables(environment: Record<string, string>): [string, string][] {
  return Object.entries(environment).filter(
    ([name]) => name.endsWith('_FILE') || name === 'NODE_EXTRA_CA_CERTS',
  );
}

function isDatabaseService(app: AppName): app is DatabaseService {
  return Object.hasOwn(databaseRoles, app);
}

/** The description of one app in docker-compose.yml or a Kubernetes manifest, in a common form. */
export interface DescribedApp {
  /** For messages: `docker-compose.yml, gateway`. */
  where: string;
  app: AppName;
  /** It only migrates, and ends. */
  migration: boolean;
  image: string;
  /** Of the image: what it runs. */
  arguments: string[];
  environment: Record<string, string>;
  /** Path of each file that holds a secret, and the name of that secret (see installation-secrets.ts). */
  secretFiles: Record<string, string>;
  probes: { path: string; port: number | undefined }[];
  /** Ports on which others find it, by the name under which they look for it. */
  servedPorts: number[];
  graceSeconds: number;
  /** Pause before the signal to end. */
  preStopSeconds: number;
  hardening: {
    readOnlyRoot: boolean;
    noNewPrivileges: boolean;
    dropsAllCapabilities: boolean;
  };
}
