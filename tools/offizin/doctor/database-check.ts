import { setTimeout } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { Client, type Connection } from 'pg';
import type { DatabaseService } from '@offizin/local-stack/secrets';
import { DEVELOPMENT_DATABASE_ADVICE, isDevelopmentMigration } from '@offizin/pg/migrate';
import { isTransactionPooled, TRANSACTION_POOLING } from '@offizin/pg/transaction-pooling';
import { catalogSchema } from '../../../apps/catalog/db/schema';
import { orderCoreSchema } from '../../../apps/order-core/db/schema';
import { webhookWorkerSchema } from '../../../apps/webhook-worker/db/schema';
import { certificateFinding, RENEW } from './certificate-check';
import { type Finding, ok, problem, skipped, warning } from './finding';
import type { ServiceDatabase } from './installation';

const LIMIT_MS = 5_000;
const OLDEST_VERSION = 15;
/** The relay publishes within a second; what waits this long is stuck. */
const LATE_EVENT_SECONDS = 60;
const FEW_CONNECTIONS_SHARE = 0.8;

export const schemas: Record<
  DatabaseService,
  { schema: string; migrations: (new () => { name?: string })[] }
> = {
  'order-core': orderCoreSchema,
  catalog: catalogSchema,
  'webhook-worker': webhookWorkerSchema,
};

/** The database of one service: reachable, durable, open to its role, migrated, and its events go out. Changes nothing. */
export async function checkDatabase({ service, url }: ServiceDatabase): Promise<Finding[]> {
  const of = `database of ${service}`;
  const { schema } = schemas[service];
  const clients: Client[] = [];
  const findings: Finding[] = [];
  try {
    const client = await connected(url, clients);
    findings.push(databaseCertificateFinding(client, `${of}, certificate`));
    await connected(url, clients);
    await connected(url, clients);
    findings.push(await serverFinding(client, of));
    findings.push(await sessionsFinding(clients, of));
    findings.push(await connectionsFinding(client, of));
    findings.push(await replicationFinding(client, of));
    findings.push(await rightsFinding(client, of, schema));
    findings.push(await locksFinding(client, of, schema));
    findings.push(await schemaFinding(client, of, service));
    findings.push(await outboxFinding(client, of, service));
    findings.push(await setAsideFinding(client, of, service));
  } catch (error) {
    findings.push(problem(of, reasonOf(error), adviceFor(error, service)));
  } finally {
    for (const one of clients) await one.end().catch(() => undefined);
  }
  return findings;
}

/** The standby that a service reads from. Without it the primary answers, so nothing about it is a problem. */
export async function checkStandby({ service, readUrl }: ServiceDatabase): Promise<Finding[]> {
  if (readUrl === undefined) return [];
  const of = `standby of ${service}`;
  const clients: Client[] = [];
  try {
    const client = await connected(readUrl, clients);
    const { rows } = await client.query<{ is_standby: boolean }>('SELECT pg_is_in_recovery() AS is_standby');
    return [
      databaseCertificateFinding(client, `${of}, certificate`),
      rows[0]?.is_standby === true
        ? ok(of, 'repeats the log of its primary')
        : warning(of, 'no standby: its reads come from the primary', 'Correct DATABASE_READ_URL.'),
    ];
  } catch (error) {
    return [warning(of, reasonOf(error), adviceFor(error, service))];
  } finally {
    for (const one of clients) await one.end().catch(() => undefined);
  }
}

/** Adds the client to those that the caller ends, whether it connects or not. */
async function connected(url: string, clients: Client[]): Promise<Client> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: LIMIT_MS,
    query_timeout: LIMIT_MS,
    application_name: 'offizin doctor',
  });
  clients.push(client);
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function sessionsFinding(clients: readonly Client[], of: string): Promise<Finding> {
  const { found, advice } = TRANSACTION_POOLING;
  if (await isTransactionPooled(clients)) return problem(`${of}, sessions`, found, advice);
  return ok(`${of}, sessions`, 'kept between transactions');
}

async function serverFinding(client: Client, of: string): Promise<Finding> {
  const { rows } = await client.query<Record<'number' | 'version' | Durability, string>>(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS version,
            current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit,
            current_setting('full_page_writes') AS full_page_writes`,
  );
  const [row] = rows;
  const major = Math.floor(Number(row?.number) / 10_000);
  const off = durability.filter((name) => row?.[name] === 'off');
  if (major < OLDEST_VERSION)
    return problem(of, `PostgreSQL ${row?.version}`, `Use PostgreSQL ${OLDEST_VERSION} or newer.`);
  if (off.length > 0)
    return problem(of, `${off.join(', ')} off`, 'Turn it on: a crash loses orders that were acknowledged.');
  return ok(of, `PostgreSQL ${row?.version}, durable`);
}

const durability = ['fsync', 'synchronous_commit', 'full_page_writes'] as const;
type Durability = (typeof durability)[number];

async function connectionsFinding(client: Client, of: string): Promise<Finding> {
  const { rows } = await client.query<{ used: number; most: number }>(
    `SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
            current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most`,
  );
  const { used = 0, most = 1 } = rows[0] ?? {};
  const found = `${used} of ${most} connections in use`;
  if (used < most * FEW_CONNECTIONS_SHARE) return ok(`${of}, connections`, found);
  const advice = 'Lower DATABASE_POOL of the services or the number of replicas, or raise max_connections.';
  return warning(`${of}, connections`, found, advice);
}

async function schemaFinding(client: Client, of: string, service: DatabaseService): Promise<Finding> {
  const { schema, migrations } = schemas[service];
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${schema}.migrations`);
  const done = new Set(rows.map(({ name }) => name));
  const wanted = migrations.map((Migration) => new Migration().name ?? Migration.name);
  const missing = wanted.filter((name) => !done.has(name));
  const newer = [...done].filter((name) => !wanted.includes(name));
  if (newer.some(isDevelopmentMigration)) {
    const found = `${schema} was created by an earlier development version and cannot be upgraded`;
    return problem(`${of}, schema`, found, DEVELOPMENT_DATABASE_ADVICE);
  }
  if (missing.length > 0) {
    const advice = `Run "node dist/apps/${service}/main.js migrate" with its DATABASE_URL.`;
    return problem(`${of}, schema`, `not migrated: ${missing.join(', ')}`, advice);
  }
  if (newer.length > 0) {
    const advice =
      'Use the doctor of the version that is installed; an older app runs beside a newer schema.';
    return warning(`${of}, schema`, `newer than this code: ${newer.join(', ')}`, advice);
  }
  return ok(`${of}, schema`, `${schema}, ${done.size} migrations`);
}

async function outboxFinding(client: Client, of: string, service: DatabaseService): Promise<Finding> {
  const { rows } = await client.query<{ waiting: number; seconds: number | null }>(
    `SELECT count(*)::int AS waiting, extract(epoch FROM now() - min(created_at))::float8 AS seconds
     FROM ${schemas[service].schema}.outbox WHERE published_at IS NULL`,
  );
  const { waiting = 0, seconds } = rows[0] ?? {};
  const found = `${waiting} events are not known to have arrived, the oldest for ${Math.round(seconds ?? 0)} s`;
  if ((seconds ?? 0) < LATE_EVENT_SECONDS) return ok(`${of}, outbox`, found);
  const advice = `See what is said of the broker; then look for "event not acknowledged" in the log of ${service}.`;
  return problem(`${of}, outbox`, found, advice);
}

async function setAsideFinding(client: Client, of: string, service: DatabaseService): Promise<Finding> {
  const { rows } = await client.query<{ count: number; reason: string | null }>(
    `SELECT count(*)::int AS count, min(reason) AS reason FROM ${schemas[service].schema}.set_aside`,
  );
  const { count = 0, reason } = rows[0] ?? {};
  if (count === 0) return ok(`${of}, set aside`, 'nothing');
  const found = `${count} messages or outbox rows that ${service} cannot take or send, such as: ${reason}`;
  return warning(
    `${of}, set aside`,
    found,
    'See "offizin set-aside" and docs/operate/runbook.md, DeadLetters.',
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** By the codes of PostgreSQL (appendix A of its manual) and of the operating system. */
function adviceFor(error: unknown, service: DatabaseService): string {
  const code = typeof error === 'object' && error && 'code' in error ? String(error.code) : '';
  const known: Record<string, string> = {
    ECONNREFUSED: 'Start PostgreSQL, or check host and port of its URL.',
    ENOTFOUND: 'Check the host name of its URL.',
    '28P01': `Set the password of the role of ${service} (deploy/postgres/passwords.sql), or correct its URL.`,
    '28000': 'Let the role log in from here (pg_hba.conf), and check its name.',
    '3D000': 'Make the database and its roles: deploy/postgres/roles.sql.',
    '3F000': 'Make the schemas: deploy/postgres/roles.sql.',
    '42501': 'Give the role its rights again; see above which it lacks.',
    '42P01': `Run "node dist/apps/${service}/main.js migrate".`,
    '53300': 'No connection is free: lower DATABASE_POOL or raise max_connections.',
    '57P03': 'PostgreSQL is starting or stopping: wait, and look at its log.',
  };
  const advice = tlsAdvice(code, reasonOf(error)) ?? known[code];
  return advice ?? 'Look at the log of PostgreSQL and at the network between here and there.';
}

/** A migration or a vacuum holds such a lock for at most two seconds. */
const LONG_LOCK_MS = 2_500;
/** A finding names at most this many tables or slots. */
const MOST_NAMES = 3;

const RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;

/** Of the role in the URL, on every table of its schema. */
async function rightsFinding(client: Client, of: string, schema: string): Promise<Finding> {
  const { rows } = await client.query<{ name: string; lacking: string }>(
    `SELECT c.relname AS name, string_agg(r.right, ', ') AS lacking
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, unnest($2::text[]) AS r("right")
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT has_table_privilege(c.oid, r.right)
     GROUP BY c.relname ORDER BY c.relname`,
    [schema, RIGHTS],
  );
  if (rows.length === 0 && schema === schemas['order-core'].schema && !(await seesSessions(client)))
    return warning(
      `${of}, rights`,
      'does not see the sessions of its other login: an erasure would wait for them forever',
      'As its administrator: GRANT pg_read_all_stats TO the role of order-core (deploy/postgres/roles.sql).',
    );
  if (rows.length === 0) return ok(`${of}, rights`, 'on every table');
  const found = `lacks ${namesOf(rows.map(({ name, lacking }) => `${lacking} on ${name}`))}`;
  const advice = `As its administrator: GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO the role in its URL.`;
  return problem(`${of}, rights`, found, advice);
}

async function seesSessions(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ sees: boolean }>(
    `SELECT pg_has_role('pg_read_all_stats', 'USAGE') AS sees`,
  );
  return rows[0]?.sees === true;
}

/** Tables that a session has locked against writers, at two looks. */
async function locksFinding(client: Client, of: string, schema: string): Promise<Finding> {
  const seen = await tableLocks(client, schema);
  if (seen.length > 0) await setTimeout(LONG_LOCK_MS);
  const still = seen.length > 0 ? await tableLocks(client, schema) : [];
  const held = still.filter((lock) => seen.includes(lock));
  if (held.length === 0) return ok(`${of}, locks`, 'no table is locked');
  const advice = 'End that session (pg_terminate_backend), or wait for its migration.';
  return problem(`${of}, locks`, `writers wait for ${namesOf(held)}`, advice);
}

async function tableLocks(client: Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ lock: string }>(
    `SELECT DISTINCT c.relname || ', locked by process ' || l.pid AS lock
     FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND n.nspname = $1 AND c.relkind IN ('r', 'p') AND l.pid <> pg_backend_pid()
       AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
     ORDER BY 1`,
    [schema],
  );
  return rows.map(({ lock }) => lock);
}

/** A missing synchronous standby stops every write; an unused replication slot fills the disk. */
async function replicationFinding(client: Client, of: string): Promise<Finding> {
  const { rows } = await client.query<{ awaited: string; standbys: number; slots: string[] }>(
    `SELECT current_setting('synchronous_standby_names') AS awaited,
            (SELECT count(*)::int FROM pg_stat_replication) AS standbys,
            ARRAY (SELECT slot_name::text FROM pg_replication_slots
                   WHERE NOT active AND wal_status IS DISTINCT FROM 'reserved' ORDER BY 1) AS slots`,
  );
  const { awaited = '', standbys = 0, slots = [] } = rows[0] ?? {};
  const name = `${of}, replication`;
  if (awaited !== '' && standbys === 0)
    return problem(
      name,
      `commits wait for a standby (${awaited}), and none is connected`,
      'Bring the standby back, or empty synchronous_standby_names and reload.',
    );
  if (slots.length > 0)
    return warning(
      name,
      `unused slots keep the log of the server: ${namesOf(slots)}`,
      'Bring their standby back, or drop them (pg_drop_replication_slot) before the disk is full.',
    );
  return ok(name, standbys === 0 ? 'no standby' : `${standbys} standbys connected`);
}

function namesOf(all: readonly string[]): string {
  const rest = all.length - MOST_NAMES;
  const shown = all.slice(0, MOST_NAMES).join('; ');
  return rest > 0 ? `${shown}; and ${rest} more` : shown;
}

/** The certificate that this connection was opened with. The driver has checked it as it does for the service. */
function databaseCertificateFinding(client: Client, of: string): Finding {
  // The driver's types lack it.
  const { stream } = (client as Client & { connection: Connection }).connection;
  if (!(stream instanceof TLSSocket)) return skipped(of, 'its URL asks for no TLS (sslmode)');
  if (!stream.authorized)
    return warning(
      of,
      `not verified (${String(stream.authorizationError)}): another server could take the place of this one`,
      `Set sslmode=verify-full in its URL. ${OF_AUTHORITY}`,
    );
  return certificateFinding(of, Date.parse(stream.getPeerCertificate().valid_to), Date.now());
}

const OF_AUTHORITY =
  'An authority that Node.js does not know: its certificate (PEM) in NODE_EXTRA_CA_CERTS, for the service and the doctor.';

/** Advice for a connection that failed because of TLS or the lack of it; undefined for another reason. */
function tlsAdvice(code: string, message: string): string | undefined {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'Issue it for the host in its URL, or use a host that is in the certificate.';
  if (code === 'CERT_HAS_EXPIRED') return RENEW;
  if (/SELF_SIGNED|UNABLE_TO/.test(code)) return OF_AUTHORITY;
  if (message.includes('does not support SSL'))
    return 'Give the server a certificate (ssl = on). Without TLS (no sslmode in its URL) its network must be private.';
  if (code === '28000' && message.includes('no encryption'))
    return 'The server may admit connections with TLS only: set sslmode=verify-full in its URL.';
  return undefined;
}
