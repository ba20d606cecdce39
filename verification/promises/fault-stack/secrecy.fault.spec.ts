import { join } from 'node:path';
import { Client } from 'pg';
import type { Stack } from '@offizin/local-stack/stack';
import { DocumentServer } from '@offizin/testkit/document-server';
import { eventually } from '@offizin/testkit/eventually';
import { http } from '@offizin/testkit/http';
import type { TestOrganization } from '@offizin/testkit/organization';
import { foundBelow, foundIn, type Needle, tablesWith } from '@offizin/testkit/plain-search';
import { placeCanaries, Canaries, plantRefusals } from '@offizin/testkit/canaries';
import type { OwnStack } from '@offizin/testkit/own-stack';
import { uniqueTag } from '@offizin/testkit/platform';
import { WebhookReceiver } from '@offizin/testkit/webhook-receiver';

/**
 * Secrets and health data stay out of logs, metrics, events, the broker and plain files (guarantee G17): texts go through
 * every way of the stack, then everything that it left is searched. Each place is also searched for something
 * that must be there; else a search that finds nothing would prove nothing.
 */
export function secrecy(faultStack: () => OwnStack): void {
  let stack: Stack;
  let own: TestOrganization;
  let receiver: WebhookReceiver;
  let documents: DocumentServer;
  let database: Client;
  /** In the order of opening; a start that fails midway leaves nothing running. */
  const closing: (() => Promise<unknown>)[] = [];
  const planted = new Canaries();
  const REQUEST_ID = `suche-${uniqueTag()}`;

  beforeAll(async () => {
    const { platform } = faultStack();
    ({ stack } = faultStack());
    own = await platform.organization();
    receiver = await WebhookReceiver.start();
    documents = await DocumentServer.start();
    closing.push(
      () => receiver.close(),
      () => documents.close(),
    );
    noteSecretsOfTheInstallation();
    await placeCanaries({ platform, own, receiver, documents, planted });
    await plantDuringAnOutage();
    database = new Client({ connectionString: stack.adminDatabaseUrl });
    await database.connect();
    closing.push(() => database.end());
    await settle();
  }, 180_000);
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
  }, 60_000);

  function noteSecretsOfTheInstallation(): void {
    const { secrets } = stack;
    for (const [what, text] of [
      ['tokens', secrets.tokenSigningKeys],
      ['proofs', secrets.proofSigningKeys],
    ] as const) {
      const [jwk] = (JSON.parse(text) as { keys: { d: string }[] }).keys;
      planted.secret(`the key that signs ${what}`, jwk?.d);
    }
    planted.secret('the master key', secrets.masterKey);
    for (const [pair, [key]] of Object.entries(secrets.callKeys)) planted.secret(`the key ${pair}`, key);
    for (const [service, secret] of Object.entries(secrets.idempotencySecrets))
      planted.secret(`the idempotency secret of ${service}`, secret);
    planted.secret("PostgreSQL's password", secrets.postgresAdminPassword);
    for (const [user, password] of Object.entries({ ...secrets.databasePasswords, ...secrets.natsPasswords }))
      planted.secret(`the password of ${user}`, password);
  }

  /** What fails half-way is logged as an error: with the database gone, every service does. */
  async function plantDuringAnOutage(): Promise<void> {
    const { postgres, apps } = stack;
    if (!postgres) throw new Error('the stack has no database of its own');
    const orders = {
      shop_id: own.shops[0].shopId,
      external_id: 'x',
      customer_name: planted.hidden('Outage'),
    };
    await postgres.process.stop();
    const answers = await Promise.all([
      own.api('POST', '/orders', orders),
      own.connector({
        body: { source: 'x', payload: { customer_name: planted.hidden('Outage'), items: [] } },
      }),
      own.api('GET', `/orders?q=${planted.hidden('Outage')}`),
      own.api('POST', '/webhooks', { url: `${receiver.url}?x=${planted.hidden('Outage')}` }),
      own.api('GET', `/inventory?q=${planted.hidden('Outage')}`),
    ]);
    expect(answers.filter(({ status }) => status >= 500).length).toBeGreaterThanOrEqual(4);
    await postgres.process.start();
    await postgres.process.ready();
    for (const app of Object.values(apps)) await app.ready();
  }

  /** All events are with the subscriber, all lines in the logs, all pages on the disk. */
  async function settle(): Promise<void> {
    await eventually('every service to answer again', async () => {
      const answer = await own.api('GET', '/orders', undefined, { 'x-request-id': REQUEST_ID });
      return answer.status === 200;
    });
    await eventually(
      'the outboxes and deliveries to be done',
      async () => {
        const waiting = await database.query<{ count: number }>(
          `SELECT (SELECT count(*) FROM core.outbox WHERE published_at IS NULL)
              + (SELECT count(*) FROM catalog.outbox WHERE published_at IS NULL)
              + (SELECT count(*) FROM webhooks.outbox WHERE published_at IS NULL)
              + (SELECT count(*) FROM webhooks.deliveries WHERE status = 'pending') AS count`,
        );
        return Number(waiting.rows[0]?.count) === 0;
      },
      30_000,
    );
    await eventually('the log of the gateway', () => foundBelow(logs(), [needle(REQUEST_ID)]).length > 0);
    await database.query('CHECKPOINT');
  }

  const logs = (): string => join(stack.dataDir, 'logs');
  const needle = (text: string): Needle => ({ name: 'the control', text });
  const forbiddenEverywhere = (): Needle[] => [planted.hiddenText, ...planted.secrets];
  const inColumns = (): Needle[] => [planted.visibleText, planted.parcelNumber];
  const forbiddenOutsideColumns = (): Needle[] => [...forbiddenEverywhere(), ...inColumns()];

  it('logs of the apps, of PostgreSQL and of the broker hold none of it', () => {
    expect(foundBelow(logs(), forbiddenOutsideColumns())).toEqual([]);
    expect(foundBelow(logs(), [needle(REQUEST_ID)])).not.toEqual([]);
  });

  it('logs of the apps hold no sign of listeners that pile up on a connection', () => {
    expect(foundBelow(logs(), [needle('MaxListenersExceededWarning')])).toEqual([]);
  });

  it("PostgreSQL's log leaves out what an error is about", async () => {
    const control = uniqueTag();
    await database.query('CREATE TEMP TABLE secrecy (name text PRIMARY KEY)');
    for (const text of [planted.hidden('Key'), control]) {
      if (text === control) await database.query("SET log_error_verbosity = 'default'");
      const insert = (): Promise<unknown> => database.query('INSERT INTO secrecy VALUES ($1)', [text]);
      await insert();
      await expect(insert()).rejects.toThrow(/duplicate key/);
    }
    // With PostgreSQL's own default the detail of the error, and with it the value, is in the log.
    await eventually('the control in the log', () => foundBelow(logs(), [needle(control)]).length > 0);
    expect(foundBelow(logs(), forbiddenOutsideColumns())).toEqual([]);
  });

  it('metrics of all processes hold none of it', async () => {
    for (const { name, managementUrl } of Object.values(stack.apps)) {
      const { status, body } = await http(`${managementUrl}/metrics`);
      expect([name, status]).toEqual([name, 200]);
      expect(foundIn(name, body, forbiddenOutsideColumns())).toEqual([]);
      expect(foundIn(name, body, [needle('process_cpu')])).not.toEqual([]);
    }
  });

  it('events hold none of it: neither in the feed nor with the subscriber', async () => {
    const feed = await own.api('GET', '/events?limit=200');
    const delivered = Buffer.concat(receiver.received.map(({ body }) => body));
    for (const [place, bytes] of [
      ['feed', feed.body],
      ['deliveries', delivered],
    ] as const) {
      expect(foundIn(place, bytes, forbiddenOutsideColumns())).toEqual([]);
      for (const type of ['order_created', 'order_request_submitted', 'prescription_received'])
        expect([type, foundIn(place, bytes, [needle(type)]).length > 0]).toEqual([type, true]);
    }
  });

  it("files of the broker's store hold none of it", () => {
    const folder = stack.nats?.storeDir ?? '';
    expect(foundBelow(folder, forbiddenOutsideColumns())).toEqual([]);
    expect(foundBelow(folder, [needle(own.orgId)])).not.toEqual([]);
  });

  it('files of PostgreSQL hold nothing that is stored encrypted', () => {
    const folder = join(stack.dataDir, 'postgres');
    expect(foundBelow(folder, forbiddenEverywhere())).toEqual([]);
    expect(foundBelow(folder, [planted.visibleText])).not.toEqual([]);
  }, 120_000);

  /** Compressed values hide from a search of the files; the database unpacks them. */
  it('rows hold nothing that is stored encrypted, and of the rest only what the design keeps in columns', async () => {
    expect(await tablesWith(database, forbiddenEverywhere())).toEqual([]);
    expect(await tablesWith(database, [planted.parcelNumber])).toEqual(['core.order_history', 'core.orders']);
    expect(await tablesWith(database, [planted.visibleText])).toEqual([
      'core.order_history',
      'core.order_request_versions',
      'core.order_request_words',
      'core.order_requests',
      'core.order_words',
      'core.orders',
      'webhooks.subscriptions',
    ]);
  });

  it('refusals tell a caller of his own mistake, and nothing of it stays', async () => {
    await plantRefusals({ own, planted });
    expect(foundBelow(logs(), forbiddenOutsideColumns())).toEqual([]);
  });
}
