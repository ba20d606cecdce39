import '@offizin/runtime/stop-during-start';
import type { BusConnection } from '@offizin/bus/key-value';
import type { OperationServer } from '@offizin/bus/operation-server';
import { Egress } from '@offizin/egress/send';
import { prepareEventStream } from '@offizin/events/event-stream';
import { eventStreamTrimming } from '@offizin/events/unknown-events';
import { StandbyReads } from '@offizin/pg/standby-reads';
import { ownCallKeys } from '@offizin/runtime/call-keys';
import { endConnectionsAfterAnswers } from '@offizin/runtime/process';
import { errorFields, log } from '@offizin/runtime/log';
import { runService, type ServiceContext, type ServiceParts } from '@offizin/service/service';
import type { Database } from '@offizin/pg/database';
import type { PeriodicWork } from '@offizin/runtime/periodic-work';
import { AuditRecords } from './audit/audit-records';
import { observeSeals } from './audit/audit-report';
import { AuditVerifier } from './audit/audit-verifier';
import { ProofSigner } from './audit/proof-signer';
import { AuditSealer } from './audit/sealer';
import { OrderCoreConfig } from './config';
import { CsvFiles } from './csv/csv-files';
import { ReadAudit } from './audit/read-audit';
import { DataKeys } from './crypto/data-keys.store';
import { Eraser } from './erasure/eraser';
import { applyErasureLedger } from './erasure/erasure-ledger';
import { testShopErasure } from './erasure/test-shop-erasure.store';
import { ErasureVacuum } from './erasure/erasure-vacuum';
import { orderCoreSchema } from './db/schema';
import { DirectoryProjection } from './people/directory/projection';
import { DocumentFetcher } from './documents/documents/document-fetcher';
import { DocumentStore, observeDocumentStore } from './documents/documents/document-store';
import { DocumentMover } from './documents/documents/document-mover';
import { DocumentReads } from './documents/documents/document-reads';
import { storeSettings } from './documents/documents/document-store-settings';
import { DocumentThreads } from './documents/documents/document-threads';
import { needsStore } from './documents/documents/loose-objects.store';
import { type InternalParts, startInternalHttp } from './documents/internal-http/internal-http';
import { OrderCoreModule } from './order-core.module';
import { Certification } from './requests/intake/certification';
import { HistoryImportRule } from './requests/intake/history-import.handlers';
import { ApprovalHandlers } from './requests/review/approval.handlers';
import { ClarificationHandlers } from './requests/review/clarification.handlers';
import { offerExpiry, requestExpiry } from './requests/review/expiry';
import { OfferHandlers } from './requests/review/offer.handlers';
import { AddedLines } from './requests/review/added-lines';
import { FirstApprovals, LiveChanges } from './requests/review/first-approvals';
import { ProductChecks } from './requests/intake/product-checks';
import { ReviewHandlers } from './requests/review/review.handlers';
import { testDecisions } from './requests/review/test-decisions';
import { ExpiryRule } from './requests/review/decision';
import { historyMonthMaking } from './orders/orders/history-months.store';
import { OrderWrites } from './orders/orders/order-writes';
import { ParcelsHandlers } from './orders/parcels/parcels.handlers';
import { StockClaimedOrders } from './orders/orders/stock-claimed-orders';
import { countFolding } from './orders/counts/count-folding';
import { orderWordsWriting } from './requests/search/order-words.store';
import { dailySumFolding } from './reports/daily-sum-folding';
import { ServiceFee } from './reports/reports.store';
import { isErasedSql } from './erasure/erasure.store';
import { orderCoreShares } from './callers/shares';
import { Providers } from './people/sign-on/providers';
import { sessionForgetting } from './people/staff/ended-sessions.store';
import { SessionLimits } from './people/staff/open-sessions';
import { PasskeyAddress } from './people/staff/passkeys';
import { ConsoleAddress } from './people/staff/staff-links';
import { StockHolds } from './orders/stock/stock-holds';

const NAME = 'order-core';

void runService({
  name: NAME,
  config: OrderCoreConfig,
  database: orderCoreSchema,
  // Audit records of the other services. order-core does not consume its own events.
  eventSubjects: 'audit.>',
  createsStreams: true,
  isErased: isErasedSql,
  prepare,
});

async function prepare(context: ServiceContext<OrderCoreConfig>): Promise<ServiceParts> {
  const { config, management, database, connection, bus, relay } = context;
  const standby = readFromStandby(context);
  observeSeals(database);
  await prepareStream(connection);
  const projection = new DirectoryProjection(database, connection);
  management.addNotice('directory', () => projection.notice());
  await projection.start();
  const dataKeys = new DataKeys(database, config.masterKeys);
  const policy = { allowLoopback: config.egressAllowLoopback, allowHttp: config.egressAllowHttp };
  const egress = new Egress(policy);
  const threads = new DocumentThreads();
  const fetcher = new DocumentFetcher(database, dataKeys, egress, threads);
  const { store, mover } = documentStore(context, dataKeys);
  const documents = new DocumentReads(database, dataKeys, store);
  const changes = new LiveChanges(bus.connection);
  const eraser = new Eraser(database, dataKeys, relay, changes);
  const verifier = new AuditVerifier(database, dataKeys);
  if (config.erasureLedgerFile !== '')
    await applyErasureLedger(config.erasureLedgerFile, { database, dataKeys, eraser });
  const products = new ProductChecks(bus);
  const holds = new StockHolds(bus);
  const stocked = new StockClaimedOrders(database, holds, dataKeys);
  const writes = new OrderWrites(database, relay, stocked, new AddedLines(database, products), dataKeys);
  const expiryRule = new ExpiryRule(config.requestExpiryDays);
  const firstApprovals = new FirstApprovals(database, dataKeys, products, changes);
  return {
    module: OrderCoreModule,
    parts: [
      database,
      bus,
      relay,
      projection,
      dataKeys,
      fetcher,
      threads,
      documents,
      eraser,
      verifier,
      products,
      changes,
      holds,
      stocked,
      ...rulesOf(config, expiryRule),
      new CsvFiles(new ReadAudit(database)),
      writes,
      firstApprovals,
      new Providers(egress, policy),
    ],
    takeEvents: new AuditRecords(database).take,
    shares: orderCoreShares(config.databasePool),
    background: [
      eventStreamTrimming(connection),
      fetcher,
      verifier.work,
      eraser.work,
      new AuditSealer(database, dataKeys).work,
      new ErasureVacuum(database, config.databaseUrl, config.erasureVacuumHour).work,
      dataKeys,
      ...rowsWork(database, config, changes),
      testDecisions(database, dataKeys, {
        approval: new ApprovalHandlers(database, holds, relay, dataKeys, firstApprovals, products),
        review: new ReviewHandlers(database, relay, dataKeys, documents),
        clarification: new ClarificationHandlers(database, relay, dataKeys, fetcher),
        offers: new OfferHandlers(database, relay, dataKeys, fetcher, expiryRule, changes),
        orders: writes,
        parcels: new ParcelsHandlers(database, relay),
      }),
      ...(mover ? [mover] : []),
    ],
    listen: (server) => listenInside(server, config, { threads, certification: new Certification(database) }),
    close: async () => {
      await projection.stop();
      await threads.stop();
      await standby?.close();
      await egress.close();
      await store?.close();
    },
  };
}

async function listenInside(
  server: OperationServer,
  { port, bindAddress: host, callKeys }: OrderCoreConfig,
  parts: InternalParts,
) {
  const internal = await startInternalHttp(server, ownCallKeys(NAME, callKeys), parts, { port, host });
  return { drain: () => endConnectionsAfterAnswers(internal.server), close: () => internal.close() };
}

function rulesOf(config: OrderCoreConfig, expiryRule: ExpiryRule): object[] {
  return [
    new ServiceFee(config),
    expiryRule,
    new HistoryImportRule(config.allowHistoryImport),
    new SessionLimits(config.sessionHours, config.sessionIdleMinutes),
    new ConsoleAddress(config.consoleBaseUrl),
    new PasskeyAddress(config.consoleBaseUrl),
    ProofSigner.of(config.proofSigningKeys),
  ];
}

/** Periodic work that needs rows alone. `changes` ring at the consoles. */
function rowsWork(
  database: Database,
  { requestExpiryDays }: OrderCoreConfig,
  changes: LiveChanges,
): PeriodicWork[] {
  return [
    requestExpiry(database, requestExpiryDays),
    offerExpiry(database, changes),
    countFolding(database),
    dailySumFolding(database),
    sessionForgetting(database),
    historyMonthMaking(database),
    testShopErasure(database),
    orderWordsWriting(database),
  ];
}

/** Before the handlers are made: they keep `database.reads`. */
function readFromStandby({
  config,
  management,
  database,
}: ServiceContext<OrderCoreConfig>): StandbyReads | null {
  const { databaseReadUrl: url, databasePool: poolSize } = config;
  if (url === '') return null;
  const standby = new StandbyReads(database, { url, poolSize, applicationName: NAME });
  database.reads = standby;
  standby.observe();
  management.addNotice('standby', () => standby.notice());
  return standby;
}

function documentStore(
  { config, management, database }: ServiceContext<OrderCoreConfig>,
  dataKeys: DataKeys,
): { store: DocumentStore | null; mover: DocumentMover | null } {
  const settings = storeSettings(config);
  const { documentStoreMode: mode, documentStoreAfterDays: afterDays } = config;
  observeDocumentStore(database, settings && mode === 'move' ? afterDays : null);
  if (!settings) {
    // Orders go on; reads of moved documents say that they are unavailable.
    management.addNotice('document_store', async () =>
      (await needsStore(database)) ? 'documents are in a store, and DOCUMENT_STORE_URL is not set' : null,
    );
    return { store: null, mover: null };
  }
  const store = new DocumentStore(settings);
  return { store, mover: new DocumentMover(database, dataKeys, store, { mode, afterDays }) };
}

/** A broker that is starting or has no space does not prevent serving: the relay creates the stream later. */
async function prepareStream(connection: BusConnection): Promise<void> {
  await prepareEventStream(connection).catch((error: unknown) =>
    log.warn({ app: NAME, ...errorFields(error) }, 'event stream not prepared'),
  );
}
