import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { Database } from '@offizin/pg/database';
import { createIndexConcurrently, migrate } from '@offizin/pg/migrate';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { type OwnStack, startOwnStack } from '@offizin/testkit/own-stack';
import { compiledFile } from '@offizin/testkit/programs';

/** During a roll-out the services of the previous schema serve while the next schema is made (docs/recipes.md#the-schema). */
class AddNote9001 implements MigrationInterface {
  readonly name = '9001-note';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE core.orders ADD COLUMN spec_note text');
    await runner.query('ALTER TABLE core.order_history ADD COLUMN spec_note text');
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

class IndexNote9002 implements MigrationInterface {
  readonly name = '9002-index';
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const on = 'orders (org_id, spec_note)';
    await createIndexConcurrently(runner, { schema: 'core', name: 'orders_spec_note', on });
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

const CALLERS = 8;

let own: OwnStack;
let organization: TestOrganization;

beforeAll(async () => {
  own = await startOwnStack();
  organization = await own.platform.organization();
}, 90_000);
afterAll(() => own.stop(), 60_000);

async function upsert(external_id: string): Promise<number> {
  const items = [{ name: 'a', qty: 1, price: 2 }];
  const body = { shop_id: organization.shops[0].shopId, external_id, items };
  return (await organization.api('POST', '/orders', body)).status;
}

/** Upserts new and existing orders in turn until `isOver`, one call after the other; resolves with the statuses. */
async function callUntil(isOver: () => boolean, caller: number, orders: Set<string>): Promise<number[]> {
  const statuses: number[] = [];
  while (!isOver()) {
    const externalId = `caller-${caller}-${Math.floor(statuses.length / 2)}`;
    orders.add(externalId);
    statuses.push(await upsert(externalId));
  }
  return statuses;
}

/** The migrations of order-core have run when it started. */
async function migrateOn(databaseUrl: string): Promise<string[]> {
  const schema = { schema: 'core', entities: [], migrations: [AddNote9001, IndexNote9002] };
  const database = await Database.connect({ ...schema, databaseUrl, poolSize: 1, applicationName: 'spec' });
  try {
    await migrate(database.dataSource, databaseUrl);
    const rows: { name: string }[] = await database.dataSource.query(
      'SELECT name FROM core.migrations ORDER BY name',
    );
    return rows.map(({ name }) => name);
  } finally {
    await database.close();
  }
}

/** Settings of a version of order-core that has one more migration. */
function versionWith(migration: string): { NODE_OPTIONS: string } {
  const file = join(own.stack.dataDir, `${migration}.cjs`);
  const schema = JSON.stringify(compiledFile('apps/order-core/db/schema.ts'));
  writeFileSync(
    file,
    `require(${schema}).orderCoreSchema.migrations.push(class { name = '${migration}'; async up() {} async down() {} });`,
  );
  return { NODE_OPTIONS: `--require ${file}` };
}

/** As a roll-out begins them: replicas of the next version, which wants 9001-note and migrates nothing by itself. */
function startReplicaOfNextVersion(): ReturnType<OwnStack['stack']['addReplica']> {
  return own.stack.addReplica('order-core', { MIGRATE_ON_START: 'false', ...versionWith('9001-note') });
}

async function readinessOfReplica(): Promise<[number, string?]> {
  const answer = await fetch(`${own.stack.replicas[0]?.managementUrl}/readyz`);
  const { problems } = (await answer.json()) as { problems: Record<string, string> };
  return [answer.status, problems['schema']];
}

/** `node main.js migrate` of the version that serves, with the settings of its running process and these. */
function migrateOlder(others: Record<string, string> = {}): SpawnSyncReturns<string> {
  const settings = readFileSync(`/proc/${own.stack.apps['order-core'].pid}/environ`, 'utf8').split('\0');
  const env = Object.fromEntries(
    settings.map((one) => one.split(/=(.*)/s).slice(0, 2)) as [string, string][],
  );
  const main = compiledFile('apps/order-core/main.ts');
  return spawnSync(process.execPath, [main, 'migrate'], {
    env: { ...env, MANAGEMENT_PORT: '0', LOG_LEVEL: 'warn', ...others },
    encoding: 'utf8',
  });
}

it('an additive migration fails no call: old services serve, new replicas wait for it, an older migration runs', async () => {
  const orders = new Set<string>();
  let calls = 0;
  let lastCall = Infinity;
  const isOver = (): boolean => ++calls > lastCall;
  const calling = Promise.all(Array.from({ length: CALLERS }, (_, n) => callUntil(isOver, n, orders)));
  await eventually('the callers to be under way', () => calls > 20 * CALLERS, 40_000);
  const replica = startReplicaOfNextVersion();
  const lacking = [503, 'schema core lacks the migration 9001-note: run "migrate"'];
  await eventually('the replica to wait', async () => String(await readinessOfReplica()) === String(lacking));
  const callsBefore = calls;
  expect(await migrateOn(own.stack.databaseUrls['order-core'])).toEqual(
    expect.arrayContaining(['0001-schema', '9001-note', '9002-index']),
  );
  expect(calls).toBeGreaterThan(callsBefore);
  await replica;
  expect(await readinessOfReplica()).toEqual([200, undefined]);
  const older = migrateOlder();
  expect([older.status, older.stdout]).toEqual([0, expect.stringContaining('["9001-note","9002-index"]')]);
  const beside = migrateOlder(versionWith('9000-beside'));
  expect([beside.status, beside.stderr]).toEqual([
    1,
    'order-core: schema core lacks the migration 9000-beside, which cannot follow 9001-note, 9002-index of a newer version: ' +
      'run "migrate" of a version that has both\n',
  ]);
  lastCall = calls + 20 * CALLERS;
  const statuses = (await calling).flat();

  expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([]);
  const page = json<{ pagination: { total: number } }>(await organization.api('GET', '/orders?limit=1'));
  expect(page.pagination.total).toBe(orders.size);
}, 120_000);
