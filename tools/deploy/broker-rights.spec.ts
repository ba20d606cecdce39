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
  it('lets each app say and hear what it does, and no more', () => {
    expect(rightsDrift(permissions)).toEqual([]);
  });

  const changes = textTable(String.raw`
    a user who is gone | user: "catalog" | user: "shop" | no user catalog
    a second user who is gone | user: "catalog-2" | user: "shop-2" | no second user catalog-2
    other rights of a second user | _2, permissions: $CATALOG_RIGHTS | _2, permissions: $ORDER_CORE_RIGHTS | catalog-2 has other rights than catalog
    all rights of a second user | PASSWORD_2, permissions: $CATALOG_RIGHTS | PASSWORD_2 | catalog-2 has other rights than catalog
    the first password of a second user | $NATS_CATALOG_PASSWORD_2 | $NATS_CATALOG_PASSWORD | catalog-2 takes its password from NATS_CATALOG_PASSWORD
    the password of another | $NATS_CATALOG_PASSWORD | $NATS_SHOP_PASSWORD | takes its password from NATS_SHOP
    a call that is not allowed | "rpc.catalog.reservations.reserve",  |  | order-core may not call
    a call too many | "rpc.catalog.reservations.reserve" | "rpc.catalog.>" | order-core may call rpc.catalog.
    a denial that is gone | "rpc.catalog.catalog.import",  |  | gateway may call rpc.catalog.catalog.import
    a subject of nobody | "presence.gateway"\n | "presence.gatway"\n | may publish presence.gatway, which is not its own
    another stream | STREAM.INFO.EVENTS" | STREAM.INFO.EVENT" | STREAM.INFO.EVENT, which is not its own
    ears for another service | "rpc.catalog.>", "_INBOX | "rpc.>", "_INBOX | may subscribe rpc.>, not its own
    no voice for answers | "audit.catalog", "_INBOX.gateway.>" | "audit.catalog" | catalog may not publish _INBOX.gateway.>, which it uses
    answers to every subject | "audit.catalog", "_INBOX.gateway.>" | "audit.catalog", ">" | catalog may publish >, which is not its own
    events of every topic | "events.plain.catalog" | "events.*.catalog" | catalog may publish events.*.catalog, which is not its own
    a second writer of the directory | "events.plain.catalog" | "events.plain.catalog", "$KV.directory.>" | catalog may publish $KV.directory.>, which is not its own
    a second maker of the stream | "events.plain.catalog" | "events.plain.catalog", "$JS.API.STREAM.CREATE.EVENTS" | catalog may publish $JS.API.STREAM.CREATE.EVENTS, which is not its own
    a consumer of all events | CONSUMER.CREATE.EVENTS.catalog.events.stock.> | CONSUMER.CREATE.EVENTS.catalog.> | catalog may publish $JS.API.CONSUMER.CREATE.EVENTS.catalog.>, which is not its own
    no ears for events | , "events.>", "changed.order-core" |  | gateway may not hear events.>, which the console's live updates need
    events for another app | "presence.connector-edge", "presence | "events.>", "presence | may subscribe events.>, not its own
    no ears for answers | "rpc.catalog.>", "_INBOX.catalog.>" | "rpc.catalog.>" | catalog may not hear its answers
    no ears for the replicas of a service | "in-flight.order-core.*", "presence.catalog",  | "in-flight.order-core.*",  | order-core may not hear presence.catalog: calls of a killed replica
    probes to every service | "in-flight.order-core.*"\n | "in-flight.>"\n | connector-edge may publish in-flight.>, which is not its own
  `);

  it.each(changes)('is found to differ with %s', (_what, pattern = '', replacement = '', problem = '') => {
    const changed = permissions.replace(pattern, replacement);
    expect(changed).not.toBe(permissions);
    expect(rightsDrift(changed).join('\n')).toContain(problem);
  });

  it('is found to differ when a new internal operation has no caller named', () => {
    expect(rightsDrift(permissions, {}).join('\n')).toContain('Say in internalSenders who does');
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
    const set = [...passwords.matchAll(/ALTER ROLE (\w+) PASSWORD :'(\w+)'/g)].map(([, role, variable]) => {
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
    a password that is not given | ALTER ROLE offizin_catalog | --  | offizin_catalog has CATALOG_DATABASE_PASSWORD
    the password of another | getenv catalog CATALOG | getenv catalog SHOP | offizin_catalog has CATALOG_DATABASE
  `);

  it.each(changes)('is found to differ with %s', (_what, text = '', replacement = '', problem = '') => {
    const problems = rolesDrift(roles.replace(text, replacement), passwords.replace(text, replacement));
    expect(problems.join('\n')).toContain(problem);
  });
});
