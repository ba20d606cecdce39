import { Client } from 'pg';
import type { DatabaseService } from '@offizin/local-stack/secrets';
import { DEVELOPMENT_DATABASE_ADVICE, isDevelopmentMigration } from '@offizin/pg/migrate';
import { isTransactionPooled, TRANSACTION_POOLING } from '@offizin/pg/transaction-pooling';
import { catalogSchema } from '../../../apps/catalog/db/catalog-schema';
import { orderCoreSchema } from '../../../apps/order-core/db/schema';
import { webhookWorkerSchema } from '../../../apps/webhook-worker/db/schema';
import { databaseCertificateFinding, tlsAdvice } from './database-certificate';
import { locksFinding, replicationFinding, rightsFinding } from './database-state';
import { type Finding, ok, problem, warning } from './finding';
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
    const advice = `Run "node dist/apps/${service}/main.js migrate" with the configuration of ${service}.`;
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
  return warning(`${of}, set aside`, found, 'See "offizin set-aside" and docs/runbook.md, DeadLetters.');
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
