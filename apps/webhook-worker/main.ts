import { Bus } from '@offizin/bus/bus';
import { connectBus, pingBroker } from '@offizin/bus/connection';
import { EventPublisher } from '@offizin/bus/event-publisher';
import { EventConsumer } from '@offizin/bus/event-stream';
import { startService } from '@offizin/bus/service';
import { eventsUnknownTo, relayQuestions } from '@offizin/bus/unknown-events';
import { Egress } from '@offizin/egress/send';
import { Database } from '@offizin/pg/database';
import { Idempotency } from '@offizin/pg/idempotency';
import { migrate } from '@offizin/pg/migrate';
import { observeOutbox, outboxNotice } from '@offizin/pg/outbox-metrics';
import { OutboxRelay } from '@offizin/pg/outbox-relay';
import { isRefusedData } from '@offizin/pg/refused-data';
import { observeSetAside, setAsideNotice, setMessagesAside } from '@offizin/pg/set-aside';
import { ownCallKeys } from '@offizin/runtime/call-keys';
import { log } from '@offizin/runtime/log';
import type { Management } from '@offizin/runtime/management';
import { type RunningApp, runProcess } from '@offizin/runtime/process';
import { WebhookWorkerConfig } from './config';
import { withQueuePlans } from './db/queue-plans';
import { SCHEMA, webhookWorkerSchema } from './db/schema';
import { DeliveryEngine } from './deliveries/delivery-engine';
import { observeQueue } from './deliveries/queue-report';
import { secretResealing } from './deliveries/resealing.store';
import { SecretBox } from './deliveries/secret-box';
import { Targets } from './deliveries/targets.store';
import { Inbox } from './events/inbox';
import { unknownEventIds } from './events/inbox.store';
import { Retention } from './retention/retention';
import { WebhookWorkerModule } from './webhook-worker.module';

const NAME = 'webhook-worker';
/** The worker follows every event; records for the audit log are none. */
const ALL_EVENTS = 'events.>';

/** `node main.js` serves; `node main.js migrate` brings the schema up to date and ends. */
void runProcess(NAME, WebhookWorkerConfig, async (config, management) => {
  const { databaseUrl, databasePool: poolSize } = config;
  const database = await Database.connect({
    ...webhookWorkerSchema,
    databaseUrl: withQueuePlans(databaseUrl),
    poolSize,
    applicationName: NAME,
  });
  const migrating = process.argv[2] === 'migrate';
  if (migrating || config.migrateOnStart) await migrate(database.dataSource, databaseUrl);
  if (migrating) return { stop: () => database.close(), done: true };
  observe(database, management);
  return serve(config, management, database);
});

async function serve(
  config: WebhookWorkerConfig,
  management: Management,
  database: Database,
): Promise<RunningApp> {
  if (config.allowLoopback)
    log.warn({ app: NAME }, 'webhooks may go to loopback addresses (EGRESS_ALLOW_LOOPBACK)');
  const connection = await connectBus({ ...config, name: NAME, makesStreams: false });
  const keys = ownCallKeys(NAME, config.callKeys);
  const bus = new Bus(connection, keys);
  const secrets = new SecretBox(config.masterKeys);
  const egress = new Egress({ allowLoopback: config.allowLoopback, allowHttp: config.allowHttp });
  const relay = new OutboxRelay({
    databaseUrl: config.databaseUrl,
    schema: SCHEMA,
    publish: new EventPublisher(connection, NAME).publish,
    // Events about subscriptions concern nobody but this very service; records for the audit log are order-core's.
    ...relayQuestions(connection, (lane, ids) =>
      lane === 'audit' ? eventsUnknownTo(bus, NAME, lane, ids) : unknownEventIds(database, ids),
    ),
  });
  const engine = new DeliveryEngine({
    database,
    egress,
    targets: new Targets(database, secrets),
    requestsPerEndpoint: config.requestsPerEndpoint,
    requestsInFlight: config.requestsInFlight,
    onSwitchedOff: () => relay.ring(),
  });
  const inbox = new Inbox(database, (subscriptionIds) => engine.ring(subscriptionIds));
  const consumer = new EventConsumer(connection, {
    durable: NAME,
    filterSubject: ALL_EVENTS,
    handle: inbox.handle,
    isRefusedData,
    setAside: (letters) => setMessagesAside(database, SCHEMA, letters),
  });
  const retention = new Retention(database);
  const resealing = secretResealing(database, secrets);
  const module = WebhookWorkerModule.with({ config, database, relay, engine, secrets });
  const idempotency = new Idempotency(database, SCHEMA, config.idempotencySecret);
  const { around } = idempotency;
  const service = await startService({ service: NAME, module, connection, keys, around });
  management.addCheck('database', () => database.ping()).addCheck('bus', () => pingBroker(connection));
  management.addNotice('events', () => consumer.notice()).addNotice('deliveries', () => engine.notice());
  consumer.observe();
  const housekeeping = [consumer, retention, resealing, idempotency];
  for (const work of [relay, engine, ...housekeeping]) work.start();
  return {
    stop: async () => {
      await service.stop();
      await Promise.all(housekeeping.map((work) => work.stop()));
      await engine.stop();
      await relay.stop();
      await egress.close();
      await connection.drain();
      await database.close();
    },
  };
}

function observe(database: Database, management: Management): void {
  management.addNotice('outbox', () => outboxNotice(database, SCHEMA));
  management.addNotice('set_aside', () => setAsideNotice(database, SCHEMA));
  database.observe();
  observeOutbox(database, SCHEMA);
  observeSetAside(database, SCHEMA);
  observeQueue(database);
}
