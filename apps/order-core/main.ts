import { Bus } from '@offizin/bus/bus';
import { connectBus, pingBroker } from '@offizin/bus/connection';
import { EventPublisher } from '@offizin/bus/event-publisher';
import { EventConsumer, prepareEventStream } from '@offizin/bus/event-stream';
import { eventStreamTrimming } from '@offizin/bus/event-stream-trimming';
import type { BusConnection } from '@offizin/bus/key-value';
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
import { endConnectionsAfterAnswers } from '@offizin/runtime/keep-alive';
import { errorFields, log } from '@offizin/runtime/log';
import type { Management } from '@offizin/runtime/management';
import { type RunningApp, runProcess } from '@offizin/runtime/process';
import { AuditRecords } from './audit/audit-records';
import { observeSeals } from './audit/audit-report';
import { AuditVerifier } from './audit/audit-verifier';
import { AuditSealer } from './audit/sealer';
import { OrderCoreConfig } from './config';
import { Eraser } from './customers/eraser';
import { applyErasureLedger } from './customers/erasure-ledger';
import { ErasureVacuum } from './customers/erasure-vacuum';
import { orderCoreSchema, SCHEMA } from './db/schema';
import { DirectoryProjection } from './directory/projection';
import { DataKeys } from './documents/data-keys.store';
import { DocumentFetcher } from './documents/document-fetcher';
import { listenForDocuments } from './documents/document-port';
import { DocumentThreads } from './documents/document-threads';
import { OrderCoreModule } from './order-core.module';
import { orderCountFolding } from './orders/order-count-folding';
import { ServiceFee } from './reports/service-fee';
import { orderCoreShares } from './shares';
import { StockHolds } from './stock/stock-holds';
import { requestExpiry } from './order-requests/expiry';

const NAME = 'order-core';
/** What the other services did; events of its own making it knows. */
const AUDIT_RECORDS = 'audit.>';

/** `node main.js` serves; `node main.js migrate` brings the schema up to date and ends. */
void runProcess(NAME, OrderCoreConfig, async (config, management) => {
  const database = await Database.connect({
    ...orderCoreSchema,
    databaseUrl: config.databaseUrl,
    poolSize: config.databasePool,
    applicationName: NAME,
  });
  const migrating = process.argv[2] === 'migrate';
  if (migrating || config.migrateOnStart) await migrate(database.dataSource, config.databaseUrl);
  if (migrating) return { stop: () => database.close(), done: true };
  observe(database, management);
  return serve(config, management, database);
});

async function serve(
  config: OrderCoreConfig,
  management: Management,
  database: Database,
): Promise<RunningApp> {
  const connection = await connectBus({ ...config, name: NAME });
  const keys = ownCallKeys(NAME, config.callKeys);
  const bus = new Bus(connection, keys);
  await prepareStream(connection);
  const relay = new OutboxRelay({
    databaseUrl: config.databaseUrl,
    schema: SCHEMA,
    publish: new EventPublisher(connection, NAME).publish,
    ...relayQuestions(connection, (lane, ids) => eventsUnknownTo(bus, NAME, lane, ids)),
  });
  const projection = new DirectoryProjection(database, connection);
  const dataKeys = new DataKeys(database, config.masterKeys);
  const egress = new Egress({ allowLoopback: config.egressAllowLoopback, allowHttp: config.egressAllowHttp });
  const threads = new DocumentThreads();
  const fetcher = new DocumentFetcher(database, dataKeys, egress, threads);
  const eraser = new Eraser(database, dataKeys, relay);
  const auditRecords = auditConsumer(connection, database);
  const verifier = new AuditVerifier(database, dataKeys);
  const ofAudit = [auditRecords, new AuditSealer(database, dataKeys), verifier];
  const expiry = requestExpiry(database, config.requestExpiryDays);
  const counting = orderCountFolding(database);
  const module = OrderCoreModule.with({
    ...{ database, bus, relay, projection, dataKeys, fetcher, threads, eraser, verifier },
    ...{ holds: new StockHolds(bus), serviceFee: new ServiceFee(config) },
  });
  await projection.start();
  if (config.erasureLedgerFile !== '')
    await applyErasureLedger(config.erasureLedgerFile, { database, dataKeys, eraser });
  const vacuum = new ErasureVacuum(database, config.databaseUrl, config.erasureVacuumHour);
  const idempotency = new Idempotency(database, SCHEMA, config.idempotencySecret);
  const around = orderCoreShares(config.databasePool).around(idempotency.around);
  const service = await startService({ service: NAME, module, connection, keys, around });
  const address = { port: config.port, host: config.bindAddress };
  const documents = await listenForDocuments(service.server, keys, threads, address);
  management.addCheck('database', () => database.ping()).addCheck('bus', () => pingBroker(connection));
  management.addNotice('directory', () => projection.notice());
  management.addNotice('audit_records', () => auditRecords.notice());
  const ofEvents = [relay, eventStreamTrimming(connection), fetcher];
  const background = [...ofEvents, ...ofAudit, eraser, vacuum, expiry, counting, idempotency, dataKeys];
  for (const work of background) work.start();
  return {
    drain: () => endConnectionsAfterAnswers(documents.server),
    stop: async () => {
      await Promise.all([service.stop(), documents.close()]);
      await Promise.all([...background, projection].map((work) => work.stop()));
      await threads.stop();
      await egress.close();
      await connection.drain();
      await database.close();
    },
  };
}

/** A broker without room, or one that is starting, does not prevent serving: the relay makes the stream later. */
async function prepareStream(connection: BusConnection): Promise<void> {
  await prepareEventStream(connection).catch((error: unknown) =>
    log.warn({ app: NAME, ...errorFields(error) }, 'event stream not prepared'),
  );
}

function auditConsumer(connection: BusConnection, database: Database): EventConsumer {
  const consumer = new EventConsumer(connection, {
    durable: NAME,
    filterSubject: AUDIT_RECORDS,
    handle: new AuditRecords(database).take,
    isRefusedData,
    setAside: (letters) => setMessagesAside(database, SCHEMA, letters),
  });
  consumer.observe();
  return consumer;
}

function observe(database: Database, management: Management): void {
  management.addNotice('outbox', () => outboxNotice(database, SCHEMA));
  management.addNotice('set_aside', () => setAsideNotice(database, SCHEMA));
  database.observe();
  observeOutbox(database, SCHEMA);
  observeSetAside(database, SCHEMA);
  observeSeals(database);
}
