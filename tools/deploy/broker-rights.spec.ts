import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { databaseRoles } from '@offizin/local-stack/database-roles';
import { databaseServices } from '@offizin/local-stack/secrets';
import { textTable } from '@offizin/testkit/text-table';
import { SCHEMA as catalogSchema } from '../../apps/catalog/db/schema';
import { SCHEMA as coreSchema } from '../../apps/order-core/db/schema';
import { SCHEMA as webhooksSchema } from '../../apps/webhook-worker/db/schema';
import { rightsDrift } from './broker-rights';
import { databasePasswordVariable } from './installation-secrets';

const read = (path: string): string => readFileSync(join(checkoutRoot, path), 'utf8');
const permissions = read('deploy/nats/permissions.conf');

describe('deploy/nats/permissions.conf', () => {
  it('lets each app publish and subscribe what it does, and no more', () => {
    expect(rightsDrift(permissions)).toEqual([]);
  });

  const changes = textTable(String.raw`
    a user who is gone | user: "catalog" | user: "shop" | missing: catalog has NATS_CATALOG_PASSWORD
    a second user who is gone | user: "catalog-2" | user: "shop-2" | missing: catalog-2 has CATALOG_RIGHTS
    other rights of a second user | _2, permissions: $CATALOG_RIGHTS | _2, permissions: $ORDER_CORE_RIGHTS | too much: catalog-2 has ORDER_CORE_RIGHTS
    all rights of a second user | PASSWORD_2, permissions: $CATALOG_RIGHTS | PASSWORD_2 | too much: catalog-2 has all rights
    the first password of a second user | $NATS_CATALOG_PASSWORD_2 | $NATS_CATALOG_PASSWORD | too much: catalog-2 has NATS_CATALOG_PASSWORD
    a call that is not allowed | "rpc.catalog.reservations.reserve",  |  | missing: order-core calls rpc.catalog.reservations.reserve
    a call too many | "rpc.catalog.reservations.reserve" | "rpc.catalog.>" | too much: order-core calls rpc.catalog.
    a call of no operation | "rpc.catalog.reservations.reserve" | "rpc.catalog.reserve" | too much: order-core publishes rpc.catalog.reserve
    a denial that is gone | "rpc.catalog.catalog.import",  |  | too much: gateway calls rpc.catalog.catalog.import
    answers to every subject | "audit.catalog", "_INBOX.gateway.>" | "audit.catalog", ">" | too much: catalog publishes >
    no right to publish answers | "audit.catalog", "_INBOX.gateway.>" | "audit.catalog" | missing: catalog publishes _INBOX.gateway.>
    a subscription of another service's calls | "rpc.catalog.>", "_INBOX | "rpc.>", "_INBOX | too much: catalog subscribes rpc.>
    no subscription of answers | "rpc.catalog.>", "_INBOX.catalog.>" | "rpc.catalog.>" | missing: catalog subscribes _INBOX.catalog.>
  `);

  it.each(changes)('is found to differ with %s', (_what, pattern = '', replacement = '', problem = '') => {
    const changed = permissions.replace(pattern, replacement);
    expect(changed).not.toBe(permissions);
    expect(rightsDrift(changed).join('\n')).toContain(problem);
  });

  it('is found to differ when a new internal operation has no caller named', () => {
    expect(rightsDrift(permissions, {}).join('\n')).toContain('Say it in internalSenders');
  });
});

describe('deploy/postgres', () => {
  const schemas = { 'order-core': coreSchema, catalog: catalogSchema, 'webhook-worker': webhooksSchema };

  /** Differences between the scripts and the roles and schemas that the code uses. */
  function rolesDrift(roles: string, passwords: string): string[] {
    const pairs = [...roles.matchAll(/\('(\w+)',\s+'(\w+)'\)/g)].map(
      ([, role, schema]) => `${role} owns ${schema}`,
    );
    const wanted = databaseServices.map((name) => `${databaseRoles[name]} owns ${schemas[name]}`);
    const set = [...passwords.matchAll(/\('(\w+)', string_to_array\(:'(\w+)'/g)].map(([, role, variable]) => {
      const source = new RegExp(`getenv ${variable} (\\w+)`).exec(passwords)?.[1];
      return `${role} has ${source}`;
    });
    const given = databaseServices.map(
      (name) => `${databaseRoles[name]} has ${databasePasswordVariable(name)}`,
    );
    const missing = (all: string[], found: string[]) => all.filter((one) => !found.includes(one));
    return [
      ...missing(wanted, pairs),
      ...missing(pairs, wanted),
      ...missing(given, set),
      ...missing(set, given),
    ];
  }

  const roles = read('deploy/postgres/roles.sql');
  const passwords = read('deploy/postgres/passwords.sql');

  it('makes the roles and schemas that the code uses, and gives each its password', () => {
    expect(rolesDrift(roles, passwords)).toEqual([]);
  });

  const changes = textTable(`
    a role of another name | 'offizin_catalog' | 'offizin_shop' | offizin_catalog owns catalog
    a schema of another name | 'webhooks' | 'hooks' | offizin_webhook_worker owns webhooks
    a password that is not given | ('offizin_catalog', string | ('offizin_shop', string | offizin_catalog has CATALOG_DATABASE_PASSWORD
    the password of another | getenv catalog CATALOG | getenv catalog SHOP | offizin_catalog has CATALOG_DATABASE
  `);

  it.each(changes)('is found to differ with %s', (_what, text = '', replacement = '', problem = '') => {
    const problems = rolesDrift(roles.replace(text, replacement), passwords.replace(text, replacement));
    expect(problems.join('\n')).toContain(problem);
  });
});
