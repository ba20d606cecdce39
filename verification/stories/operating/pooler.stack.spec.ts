import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import { withClient } from '@offizin/local-stack/database-client';
import { databaseRoles, prepareDatabase, sharedPasswords } from '@offizin/local-stack/database-roles';
import { type PostgresServer, startPostgres } from '@offizin/local-stack/postgres';
import { type DatabaseService, databaseServices, readOrCreateSecrets } from '@offizin/local-stack/secrets';
import { describeWithout } from '@offizin/testkit/programs';
import { eventually } from '@offizin/testkit/eventually';
import { json } from '@offizin/testkit/http';
import { orderRequest, type TestOrganization } from '@offizin/testkit/organization';
import { type OwnStack, startOwnStack } from '@offizin/testkit/own-stack';
import { PgBouncer, pgBouncerProblem } from '@offizin/testkit/pgbouncer';
import { uniqueTag } from '@offizin/testkit/platform';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/** PostgreSQL as installations have it: a PgBouncer before it, and a database for each service. */
describeWithout(pgBouncerProblem, 'behind a pooler', behindAPooler);

function behindAPooler(): void {
  let folder: string;
  let server: PostgresServer;
  let pooler: PgBouncer;
  let own: OwnStack;
  let organization: TestOrganization;
  let receiver: WebhookReceiver;
  let logins: Record<string, string>;
  /** Also what a failed start has begun. */
  const begun: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'offizin-pooler-'));
    const secrets = readOrCreateSecrets(folder);
    const adminPassword = secrets.postgresAdminPassword;
    begun.push(async () => rmSync(folder, { recursive: true, force: true }));
    server = await startPostgres({ dataDir: folder, adminPassword });
    begun.push(() => server.process.stop());
    const passwords = sharedPasswords(server.adminUrl, secrets);
    const services = databaseServices.map((service) => [databaseRoles[service], passwords[service]]);
    logins = { postgres: adminPassword, ...Object.fromEntries(services) };
    pooler = await PgBouncer.start({ serverUrl: server.adminUrl, poolMode: 'session', logins });
    begun.push(() => pooler.kill());
    const databaseUrl = pooler.through(server.adminUrl);
    const alone = async (service: DatabaseService) => {
      const urls = await prepareDatabase(databaseUrl, `${databaseRoles[service]}_alone`, passwords);
      return { DATABASE_URL: urls[service] };
    };
    const extraEnv = { catalog: await alone('catalog'), 'webhook-worker': await alone('webhook-worker') };
    own = await startOwnStack(extraEnv, { databaseUrl });
    begun.push(() => own.stop());
    organization = await own.platform.organization();
    receiver = await WebhookReceiver.start();
    begun.push(() => receiver.close());
    expect((await organization.api('POST', '/webhooks', { url: receiver.url })).status).toBe(201);
  }, 120_000);
  afterAll(async () => {
    for (const end of begun.reverse()) await end();
  }, 60_000);

  /** A request becomes an order that holds stock, and its event arrives. */
  async function dispense(): Promise<void> {
    const [p1_id = ''] = await own.platform.catalogProducts(1);
    await organization.stock(p1_id, 5);
    const items = [{ p1_id, quantity: 2, price: 3.5 }];
    const body = orderRequest({ items }, { external_reference: uniqueTag() });
    const requestId = await organization.submit(body);
    const approved = await organization.api('POST', `/order-requests/${requestId}/approve`, {});
    expect(approved.status).toBe(200);
    const { order_id: id } = json<{ order_id: string }>(approved);
    await receiver.waitFor(({ metadata }) => metadata['order_id'] === id);
    const { data } = json<{ data: { p1_id: string }[] }>(await organization.api('GET', '/inventory'));
    expect(data).toContainEqual(
      expect.objectContaining({ p1_id, stock_quantity: 5, reserved_quantity: 2, available_quantity: 3 }),
    );
  }

  it('the main job works, and a statement that waits too long is stopped on the server', async () => {
    await dispense();
    const order = await organization.createOrder();
    await withClient(own.stack.adminDatabaseUrl, async (client) => {
      await client.query('BEGIN');
      await client.query('SELECT FROM core.orders WHERE id = $1 FOR UPDATE', [order.id]);
      const answer = await organization.api('PUT', `/orders/${order.id}`, { order_number: 'waits' });
      expect(answer.status).toBe(503);
      const { rows } = await client.query(
        `SELECT usename, left(query, 60) AS query FROM pg_stat_activity
         WHERE wait_event_type = 'Lock' AND usename = $1`,
        [databaseRoles['order-core']],
      );
      expect(rows).toEqual([]);
      await client.query('ROLLBACK');
    });
  });

  it('after the pooler has died, everything goes on through the next one', async () => {
    await pooler.kill();
    const refused = await organization.api('POST', '/orders', {
      shop_id: organization.shops[0].shopId,
      external_id: uniqueTag(),
    });
    expect(refused.status).toBe(503);
    await pooler.start();
    await eventually('an order to be taken', () => organization.createOrder());
    await dispense();
  });

  it('one that pools transactions is refused by a service at its start, and found by the doctor', async () => {
    const sharing = await PgBouncer.start({ serverUrl: server.adminUrl, poolMode: 'transaction', logins });
    try {
      const url = sharing.through(own.stack.databaseUrls['order-core']);
      await expect(own.stack.addReplica('order-core', { DATABASE_URL: url })).rejects.toThrow(
        /each transaction another connection.*pool_mode = session/,
      );
      const main = join(checkoutRoot, 'dist', 'tools', 'offizin', 'main.js');
      const env = { ...process.env, ORDER_CORE_DATABASE_URL: url };
      const doctor = spawnSync(process.execPath, [main, 'doctor'], { env, encoding: 'utf8' });
      expect(doctor.stdout).toMatch(/PROBLEM {2}database of order-core.*each transaction another connection/);
    } finally {
      await sharing.kill();
    }
  });
}
