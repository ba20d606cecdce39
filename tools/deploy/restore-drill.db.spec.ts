import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { queryAt } from '@offizin/local-stack/database-client';
import { databaseUrl, prepareDatabase } from '@offizin/local-stack/database-roles';
import { databaseServices } from '@offizin/local-stack/secrets';
import { Database } from '@offizin/pg/database';
import { migrate } from '@offizin/pg/migrate';
import { testEnvironment } from '@offizin/testkit/environment';
import { uniqueTag } from '@offizin/testkit/platform';
import { schemas } from '../offizin/doctor/database-check';
import { schemaProblems } from './manifest-schemas';
import { containerOf, named, parseManifests } from './manifests';

const example = (file: string): string => readFileSync(join(checkoutRoot, 'deploy/examples', file), 'utf8');
const check = example('restore-drill/check.sql');

describe('the check of a restored database', () => {
  const name = `drill_${uniqueTag().replaceAll(/\W/g, '_')}`;
  let admin: Client;

  beforeAll(async () => {
    const { adminDatabaseUrl, databasePasswords } = testEnvironment();
    const urls = await prepareDatabase(adminDatabaseUrl, name, databasePasswords);
    admin = new Client({ connectionString: databaseUrl(adminDatabaseUrl, name) });
    await admin.connect();
    await expect(admin.query(check)).rejects.toThrow('"core.migrations" does not exist');
    for (const service of databaseServices) {
      const options = { databaseUrl: urls[service], entities: [], poolSize: 1, applicationName: 'spec' };
      const database = await Database.connect({ ...options, ...schemas[service] });
      await migrate(database.dataSource, urls[service]).finally(() => database.close());
    }
  }, 60_000);
  afterAll(async () => {
    await admin.end();
    await queryAt(testEnvironment().adminDatabaseUrl, `DROP DATABASE ${name} WITH (FORCE)`);
  });

  it('fails without orders, and without a change of the last days', async () => {
    await expect(admin.query(check)).rejects.toThrow('no orders');
    await admin.query(`INSERT INTO core.orders (id, org_id, shop_id, external_id, total_amount, total_is_given,
      payment_status, status, items) VALUES (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'a', 0, false,
      'paid', 'pending', '[]')`);
    await expect(admin.query(check)).rejects.toThrow('no change of the last 4 days');
    const record = (at: string) =>
      admin.query(`INSERT INTO core.audit_log (at, actor, action, object, request_id)
        VALUES (${at}, 'a', 'b', 'c', 'd')`);
    await record(`now() - interval '5 days'`);
    await expect(admin.query(check)).rejects.toThrow('no change of the last 4 days');
    await record('now()');
    const notices: (string | undefined)[] = [];
    admin.on('notice', ({ message }) => notices.push(message));
    await admin.query(check);
    expect(notices).toEqual([expect.stringMatching(/^1 orders, the newest change of 20/)]);
  });

  it('fails when a schema has no migrations', async () => {
    await admin.query('BEGIN');
    await admin.query('DELETE FROM webhooks.migrations');
    await expect(admin.query(check)).rejects.toThrow('a schema has no migrations');
    await admin.query('ROLLBACK');
  });
});

describe('the example of a drill', () => {
  const manifests = parseManifests(example('restore-drill/drill.yaml'));
  const before = parseManifests(example('cloudnative-pg/postgres.yaml'));

  it('has a Job that Kubernetes knows, with the script and the check', () => {
    const job = named(manifests, 'Job', 'restore-drill');
    expect(schemaProblems([job])).toEqual([]);
    const { command, volumeMounts } = containerOf(manifests, 'Job', 'restore-drill');
    expect(example('restore-drill/drill.sh')).toContain('"$(dirname "$0")/check.sql"');
    const pages = readFileSync(join(checkoutRoot, 'docs/operate/operations.md'), 'utf8');
    expect(pages).toContain('create configmap restore-drill --from-file=deploy/examples/restore-drill\n');
    expect(command).toEqual(['/bin/sh', `${volumeMounts?.[0]?.mountPath}/drill.sh`]);
  }, 120_000);

  it('restores from the store of the example’s database, and writes into no archive', () => {
    const { spec } = named(manifests, 'Cluster', 'postgres-drill');
    const { spec: original } = named(before, 'Cluster', 'postgres');
    expect(spec).not.toHaveProperty('plugins');
    expect(spec).toMatchObject({
      imageName: original?.['imageName'],
      externalClusters: [
        {
          plugin: {
            parameters: { barmanObjectName: named(before, 'ObjectStore', 'backups').metadata.name },
          },
        },
      ],
    });
    expect(new Set(manifests.map(({ metadata }) => metadata.namespace))).toEqual(
      new Set(['offizin-postgres']),
    );
    const { env = [], image } = containerOf(manifests, 'Job', 'restore-drill');
    expect(image).toBe(spec?.['imageName']);
    expect(env.find(({ name }) => name === 'PGHOST')?.value).toBe('postgres-drill-rw');
  });
});
