import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, escapeIdentifier, escapeLiteral } from 'pg';
import { checkoutRoot } from './checkout';
import { withClient } from './database-client';
import { databaseServices } from './secrets';
import type { DatabaseService, Secrets } from './secrets';

/** One role per service; each owns one schema and has no rights on others (deploy/postgres/roles.sql). */
export const databaseRoles: Record<DatabaseService, string> = {
  'order-core': 'offizin_order_core',
  catalog: 'offizin_catalog',
  'webhook-worker': 'offizin_webhook_worker',
};

/** Any constant. Roles belong to the server, so two databases must not be prepared concurrently. */
const lockKey = 6_334_494;

/** The login that acts as the service's role while its password changes (deploy/postgres/roles.sql). */
export function secondLogin(service: DatabaseService): string {
  return `${databaseRoles[service]}_2`;
}

/**
 * Creates the database, roles and schemas if missing, and sets the roles' passwords. Idempotent; concurrent calls
 * for databases of one server must use the same passwords. Returns each service's URL. `template` is the database that
 * a new one is a copy of; no process may be connected to it.
 */
export async function prepareDatabase(
  adminUrl: string,
  databaseName: string,
  passwords: Record<DatabaseService, string>,
  template = 'template0',
): Promise<Record<DatabaseService, string>> {
  await withClient(await maintenanceUrl(adminUrl), async (admin) => {
    await admin.query('SELECT pg_advisory_lock($1)', [lockKey]);
    await createDatabase(admin, databaseName, template);
    await withClient(databaseUrl(adminUrl, databaseName), (client) => prepareRoles(client, passwords));
  });
  return Object.fromEntries(
    databaseServices.map((service) => [
      service,
      databaseUrl(adminUrl, databaseName, { user: databaseRoles[service], password: passwords[service] }),
    ]),
  ) as Record<DatabaseService, string>;
}

/** `url` with another database and, if given, another user. */
export function databaseUrl(
  url: string,
  databaseName: string,
  login?: { user: string; password: string },
): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(databaseName)}`;
  if (login) {
    changed.username = encodeURIComponent(login.user);
    changed.password = encodeURIComponent(login.password);
  }
  return changed.toString();
}

/**
 * Role passwords for a server that several stacks may share. They are derived from the administrator's password,
 * so all stacks agree. Without such a password (trust, certificates) this stack's own are used.
 */
export function sharedPasswords(
  adminUrl: string,
  secrets: Pick<Secrets, 'databasePasswords'>,
): Record<DatabaseService, string> {
  const { password } = new URL(adminUrl);
  if (!password) return secrets.databasePasswords;
  return Object.fromEntries(
    databaseServices.map((service) => [
      service,
      createHmac('sha256', decodeURIComponent(password)).update(`offizin role ${service}`).digest('hex'),
    ]),
  ) as Record<DatabaseService, string>;
}

/**
 * Advisory locks are per database, so all callers must connect to the same one; managed servers may lack
 * `postgres`.
 */
async function maintenanceUrl(adminUrl: string): Promise<string> {
  const url = databaseUrl(adminUrl, 'postgres');
  try {
    await withClient(url, async () => undefined);
    return url;
  } catch {
    return adminUrl;
  }
}

async function createDatabase(admin: Client, databaseName: string, template: string): Promise<void> {
  const found = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [databaseName]);
  if (found.rowCount !== 0) return;
  // template0: template1 cannot be copied while it has connections. C: the same sort order on every server.
  const copy = `TEMPLATE ${escapeIdentifier(template)} ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`;
  await admin.query(`CREATE DATABASE ${escapeIdentifier(databaseName)} ${copy}`);
}

async function prepareRoles(client: Client, passwords: Record<DatabaseService, string>): Promise<void> {
  await client.query('BEGIN');
  await client.query(readFileSync(join(checkoutRoot, 'deploy', 'postgres', 'roles.sql'), 'utf8'));
  for (const service of databaseServices) {
    const role = escapeIdentifier(databaseRoles[service]);
    await client.query(`ALTER ROLE ${role} PASSWORD ${escapeLiteral(passwords[service])}`);
  }
  await client.query('COMMIT');
}
