import { parseAllDocuments, stringify } from 'yaml';
import {
  callKeysOf,
  createSecrets,
  databaseServices,
  natsUsers,
  type Secrets,
} from '@offizin/local-stack/secrets';
import { databaseRoles } from '@offizin/local-stack/database-roles';
import { natsPasswordVariable } from '@offizin/local-stack/nats';

/** The one file of a certificate that an app reads. */
export const CERTIFICATE_AUTHORITY = 'certificate authority';

/** Where PostgreSQL is in docker-compose.yml, and in the chart with its own server. */
export const ownDatabase = 'postgres:5432/offizin';

/**
 * All secrets of an installation, new, by the name of the file that holds each: of docker-compose.yml, and of whatever
 * else mounts them. `database` is the part behind the @ of the services' database URLs.
 */
export function newSecrets(database = ownDatabase): Record<string, string> {
  return installationSecrets(createSecrets(), database);
}

/** The same of given ones. */
export function installationSecrets(secrets: Secrets, database = ownDatabase): Record<string, string> {
  const { databasePasswords, natsPasswords } = secrets;
  const url = (service: (typeof databaseServices)[number]): string =>
    `postgres://${databaseRoles[service]}:${databasePasswords[service]}@${database}`;
  return {
    POSTGRES_PASSWORD: secrets.postgresAdminPassword,
    ...Object.fromEntries(
      databaseServices.map((name) => [databasePasswordVariable(name), databasePasswords[name]]),
    ),
    ...Object.fromEntries(databaseServices.map((name) => [databaseUrlFile(name), url(name)])),
    ...Object.fromEntries(natsUsers.map((user) => [natsPasswordVariable(user), natsPasswords[user]])),
    ...Object.fromEntries(natsUsers.map((user) => [callKeysFile(user), callKeysOf(user, secrets.callKeys)])),
    ...Object.fromEntries(
      databaseServices.map((name) => [idempotencySecretFile(name), secrets.idempotencySecrets[name]]),
    ),
    MASTER_KEY: secrets.masterKey,
    TOKEN_SIGNING_KEYS: secrets.tokenSigningKeys,
    PROOF_SIGNING_KEYS: secrets.proofSigningKeys,
  };
}

/**
 * The Secret of each Deployment of deploy/chart, and in it file → name in `newSecrets`. An app's files are named after the
 * settings that it reads; those of the two servers after what their scripts ask for.
 */
export const kubernetesSecrets: Record<string, Record<string, string>> = {
  gateway: { ...everyApp('gateway'), TOKEN_SIGNING_KEYS: 'TOKEN_SIGNING_KEYS' },
  'connector-edge': everyApp('connector-edge'),
  'order-core': {
    ...everyApp('order-core'),
    ...ledger('order-core'),
    ...sameNames(['MASTER_KEY', 'PROOF_SIGNING_KEYS']),
  },
  catalog: { ...everyApp('catalog'), ...ledger('catalog') },
  'webhook-worker': { ...everyApp('webhook-worker'), ...ledger('webhook-worker'), MASTER_KEY: 'MASTER_KEY' },
  // The operator's command line, and in it the doctor.
  operator: { ...everyApp('operator'), ...sameNames(databaseServices.map(databaseUrlFile)) },
  nats: sameNames(natsUsers.map(natsPasswordVariable)),
  postgres: sameNames(['POSTGRES_PASSWORD', ...databaseServices.map(databasePasswordVariable)]),
};

/** Secrets that the operator or something else writes, such as cert-manager, and in each file → what it is. */
export const givenSecrets: Record<string, Record<string, string>> = {
  'document-store': sameNames(['DOCUMENT_STORE_ACCESS_KEY_ID', 'DOCUMENT_STORE_SECRET_ACCESS_KEY']),
  'nats-tls': {
    'tls.crt': 'certificate',
    'tls.key': 'key of the certificate',
    'ca.crt': CERTIFICATE_AUTHORITY,
  },
  'private-authority': { 'ca.crt': CERTIFICATE_AUTHORITY },
};

/** Manifests of `kubernetesSecrets`, or of those of them that are named, for `kubectl apply -f`. */
export function kubernetesSecretManifests(
  secrets: Record<string, string>,
  namespace: string,
  names = Object.keys(kubernetesSecrets),
): string {
  return names
    .map((name) => [name, kubernetesSecrets[name] ?? {}] as const)
    .map(([name, files]) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace },
      type: 'Opaque',
      stringData: Object.fromEntries(
        Object.entries(files).map(([file, source]) => [file, known(secrets, source)]),
      ),
    }))
    .map((manifest) => stringify(manifest))
    .join('---\n');
}

/** Secrets of a cluster: their values, and the manifests that were read. */
export interface SecretsOfCluster {
  secrets: Record<string, string>;
  namespace: string;
  /** Names of Secrets. */
  found: string[];
}

/** Of manifests, or of what `kubectl get secret -o yaml` prints. Throws for text that holds none, or two values of one. */
export function secretsIn(text: string): SecretsOfCluster {
  const manifests = parseAllDocuments(text)
    .map((document) => document.toJS() as SecretManifest | null)
    .flatMap((one) => one?.items ?? [one])
    .filter((one) => one?.kind === 'Secret' && Object.hasOwn(kubernetesSecrets, one.metadata?.name ?? ''));
  const secrets: Record<string, string> = {};
  for (const manifest of manifests)
    for (const [file, name] of Object.entries(kubernetesSecrets[manifest?.metadata?.name ?? ''] ?? {})) {
      const encoded = manifest?.data?.[file];
      const value = manifest?.stringData?.[file] ?? (encoded && Buffer.from(encoded, 'base64').toString());
      if (!value) continue;
      if ((secrets[name] ?? value) !== value)
        throw new Error(`Two Secrets have another ${name}: apply the manifests of the step before to both.`);
      secrets[name] = value;
    }
  const found = manifests.map((one) => one?.metadata?.name ?? '');
  if (found.length === 0)
    throw new Error(
      'The standard input holds no Secret of Offizin: give it what "kubectl get secret -o yaml" prints.',
    );
  return { secrets, namespace: manifests[0]?.metadata?.namespace ?? 'default', found };
}

interface SecretManifest {
  kind?: string;
  metadata?: { name?: string; namespace?: string };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  /** Of a list. */
  items?: SecretManifest[];
}

/** The database URLs with the part behind their @ replaced, by the name of the file. */
export function movedDatabaseUrls(secrets: Record<string, string>, database: string): Record<string, string> {
  const names = databaseServices.map(databaseUrlFile);
  return Object.fromEntries(
    names.map((name) => [name, known(secrets, name).replace(/@[^@]*$/, () => `@${database}`)]),
  );
}

/** `webhook-worker` → `WEBHOOK_WORKER_DATABASE_PASSWORD` */
export function databasePasswordVariable(service: string): string {
  return `${inCapitals(service)}_DATABASE_PASSWORD`;
}

/** `webhook-worker` → `WEBHOOK_WORKER_DATABASE_URL` */
export function databaseUrlFile(service: string): string {
  return `${inCapitals(service)}_DATABASE_URL`;
}

/** `webhook-worker` → `WEBHOOK_WORKER_CALL_KEYS` */
export function callKeysFile(process: string): string {
  return `${inCapitals(process)}_CALL_KEYS`;
}

/** `webhook-worker` → `WEBHOOK_WORKER_IDEMPOTENCY_SECRET` */
export function idempotencySecretFile(service: string): string {
  return `${inCapitals(service)}_IDEMPOTENCY_SECRET`;
}

function everyApp(app: (typeof natsUsers)[number]): Record<string, string> {
  return { NATS_PASSWORD: natsPasswordVariable(app), CALL_KEYS: callKeysFile(app) };
}

function ledger(service: string): Record<string, string> {
  return { DATABASE_URL: databaseUrlFile(service), IDEMPOTENCY_SECRET: idempotencySecretFile(service) };
}

function sameNames(names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, name]));
}

export function known(secrets: Record<string, string>, name: string): string {
  const value = secrets[name];
  if (!value) throw new Error(`The secret ${name} is missing.`);
  return value;
}

function inCapitals(service: string): string {
  return service.toUpperCase().replaceAll('-', '_');
}
