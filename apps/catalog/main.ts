import { Bus } from '@offizin/bus/bus';
import { connectBus, pingBroker } from '@offizin/bus/connection';
import { EventPublisher } from '@offizin/bus/event-publisher';
import { EventConsumer } from '@offizin/bus/event-stream';
import { startService } from '@offizin/bus/service';
import { eventsUnknownTo, relayQuestions } from '@offizin/bus/unknown-events';
import { serviceCaller } from '@offizin/contracts/caller';
import { settleAttempt } from '@offizin/contracts/reservations';
import { DirectoryReplica } from '@offizin/directory/replica';
import { Database } from '@offizin/pg/database';
import { Idempotency } from '@offizin/pg/idempotency';
import { migrate } from '@offizin/pg/migrate';
import { observeOutbox, outboxNotice } from '@offizin/pg/outbox-metrics';
import { OutboxRelay } from '@offizin/pg/outbox-relay';
import { isRefusedData } from '@offizin/pg/refused-data';
import { observeSetAside, setAsideNotice, setMessagesAside } from '@offizin/pg/set-aside';
import { ownCallKeys } from '@offizin/runtime/call-keys';
import type { Management } from '@offizin/runtime/management';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { type RunningApp, runProcess } from '@offizin/runtime/process';
import { newRequestId } from '@offizin/runtime/request-id';
import { CatalogModule } from './catalog.module';
import { CatalogConfig } from './config';
import { catalogSchema } from './db/catalog-schema';
import { SCHEMA } from './db/schema';
import { OrderEvents } from './order-events/order-events';
import { type AskAttempt, OldHolds } from './reservations/old-holds';
import { catalogShares } from './shares';

const NAME = 'catalog';
/** What concerns reserved stock; see subjectOfEvent. */
const STOCK_EVENTS = 'events.stock.>';
const SWEEP_PAUSE_MS = 5_000;
const FORGET_PAUSE_MS = 3600 * 1000;
/** Shorter than the lease of a hold that is being asked about. */
const ASK_TIMEOUT_MS = 5_000;

/** `node main.js` serves; `node main.js migrate` brings the schema up to date and ends. */
void runProcess(NAME, CatalogConfig, async (config, management) => {
  const { databaseUrl, databasePool: poolSize } = config;
  const database = await Database.connect({ ...catalogSchema, databaseUrl, poolSize, applicationName: NAME });
  const migrating = process.argv[2] === 'migrate';
  if (migrating || config.migrateOnStart) await migrate(database.dataSource, databaseUrl);
  if (migrating) return { stop: () => database.close(), done: true };
  return serve(config, management, database);
});

async function serve(config: CatalogConfig, management: Management, database: Database): Promise<RunningApp> {
  const connection = await connectBus({ ...config, name: NAME, makesStreams: false });
  const keys = ownCallKeys(NAME, config.callKeys);
  const bus = new Bus(connection, keys);
  const directory = new DirectoryReplica(connection);
  const relay = new OutboxRelay({
    databaseUrl: config.databaseUrl,
    schema: SCHEMA,
    publish: new EventPublisher(connection, NAME).publish,
    ...relayQuestions(connection, (lane, ids) => eventsUnknownTo(bus, NAME, lane, ids)),
  });
  const orderEvents = new OrderEvents(database, () => relay.ring());
  const consumer = new EventConsumer(connection, {
    durable: NAME,
    filterSubject: STOCK_EVENTS,
    handle: (events) => orderEvents.take(events),
    isRefusedData,
    setAside: (letters) => setMessagesAside(database, SCHEMA, letters),
  });
  const oldHolds = new OldHolds(database, askOrderCore(bus));
  const background = [
    new PeriodicWork('settle old holds', SWEEP_PAUSE_MS, () => oldHolds.sweep()),
    new PeriodicWork('forget old events', FORGET_PAUSE_MS, () => orderEvents.forgetOld()),
  ];
  directory.observe();
  database.observe();
  consumer.observe();
  observeOutbox(database, SCHEMA);
  observeSetAside(database, SCHEMA);
  directory.start();
  const module = CatalogModule.with({ database, relay, directory });
  const idempotency = new Idempotency(database, SCHEMA, config.idempotencySecret);
  const around = catalogShares(config.databasePool).around(idempotency.around);
  // Another replica may know the shops while this one does not yet: no call is drawn that would have to be refused.
  await directory.untilSynchronized();
  const service = await startService({ service: NAME, module, connection, keys, around });
  management.addCheck('database', () => database.ping());
  management.addCheck('bus', () => pingBroker(connection));
  management.addCheck('directory', () => directory.checkSynchronized());
  management
    .addNotice('directory', () => directory.notice())
    .addNotice('events', () => consumer.notice())
    .addNotice('outbox', () => outboxNotice(database, SCHEMA))
    .addNotice('set_aside', () => setAsideNotice(database, SCHEMA));
  relay.start();
  consumer.start();
  for (const work of background) work.start();
  idempotency.start();
  return {
    stop: async () => {
      await service.stop();
      await Promise.all([consumer.stop(), idempotency.stop(), ...background.map((work) => work.stop())]);
      await relay.stop();
      directory.stop();
      await connection.drain();
      await database.close();
    },
  };
}

function askOrderCore(bus: Bus): AskAttempt {
  return (order_request_id, attempt) => {
    const caller = serviceCaller(NAME, newRequestId());
    return bus.call(settleAttempt, caller, { order_request_id, attempt }, ASK_TIMEOUT_MS);
  };
}
