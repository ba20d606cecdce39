import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { Bus } from '@offizin/bus/bus';
import { Database } from '@offizin/pg/database';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { AuditVerifier } from './audit/audit-verifier';
import { AuditExportHandlers } from './audit/audit-export.handlers';
import { AuditHandlers } from './audit/audit.handlers';
import { CustomersHandlers } from './customers/customers.handlers';
import { Eraser } from './customers/eraser';
import { DirectoryHandlers } from './directory/directory.handlers';
import { OrganizationsHandlers } from './directory/organizations.handlers';
import { DirectoryProjection } from './directory/projection';
import { DataKeys } from './crypto/data-keys.store';
import { DocumentFetcher } from './documents/document-fetcher';
import { DocumentReads } from './documents/document-reads';
import { DocumentThreads } from './documents/document-threads';
import { ApprovalHandlers } from './order-requests/approval.handlers';
import { CallbackHandlers } from './order-requests/callback.handlers';
import { ClarificationHandlers } from './order-requests/clarification.handlers';
import { ExpiryRule } from './order-requests/expiry-rule';
import { FirstApprovals } from './order-requests/first-approvals';
import { FourEyesHandlers } from './order-requests/four-eyes.handlers';
import { HistoryImportHandlers, HistoryImportRule } from './order-requests/history-import.handlers';
import { LiveChanges } from './order-requests/live-changes';
import { ReviewHandlers } from './order-requests/review.handlers';
import { SubmissionHandlers } from './order-requests/submission.handlers';
import { CsvFiles } from './csv/csv-files';
import { OrderExportHandlers } from './orders/order-export.handlers';
import { OrderBatchesHandlers } from './orders/order-batches.handlers';
import { OrderWrites } from './orders/order-writes';
import { OrdersHandlers } from './orders/orders.handlers';
import { StockClaimedOrders } from './orders/stock-claimed-orders';
import { OrderNotesHandlers } from './pipeline/order-notes.handlers';
import { PipelineHandlers } from './pipeline/pipeline.handlers';
import { ReportsHandlers } from './reports/reports.handlers';
import { ServiceFee } from './reports/service-fee';
import { ProductChecks } from './order-requests/product-checks';
import { ReviewDocumentHandlers } from './review/review-document.handlers';
import { ReviewExportHandlers } from './review/review-export.handlers';
import { ReviewScreenHandlers } from './review/review-screen.handlers';
import { ReviewSettingsHandlers } from './review/review-settings.handlers';
import { SearchHandlers } from './search/search.handlers';
import { PrescriptionsHandlers } from './prescriptions/prescriptions.handlers';
import { SettingsHandlers } from './settings/settings.handlers';
import { Providers } from './sign-on/providers';
import { SignOnSettingsHandlers } from './sign-on/sign-on-settings.handlers';
import { SignOnHandlers } from './sign-on/sign-on.handlers';
import { PasskeyAddress } from './staff/passkey-address';
import { PasskeySignInHandlers } from './staff/passkey-sign-in.handlers';
import { PasskeysHandlers } from './staff/passkeys.handlers';
import { SecondFactorHandlers } from './staff/second-factor.handlers';
import { SessionLimits } from './staff/open-sessions';
import { SessionRecordsHandlers } from './staff/session-records.handlers';
import { SessionHandlers } from './staff/session.handlers';
import { SignInHandlers } from './staff/sign-in.handlers';
import { SignInStepsHandlers } from './staff/sign-in-steps.handlers';
import { ConsoleAddress } from './staff/staff-links';
import { StaffOperatorHandlers } from './staff/staff-operator.handlers';
import { StaffHandlers } from './staff/staff.handlers';
import { StockExportHandlers } from './stock-export/stock-export.handlers';
import { StockHolds } from './stock/stock-holds';
import { ViewsHandlers } from './views/views.handlers';

/** What main.ts made, and every handler may ask for. */
export interface OrderCoreParts {
  database: Database;
  bus: Bus;
  holds: StockHolds;
  relay: OutboxRelay;
  projection: DirectoryProjection;
  dataKeys: DataKeys;
  fetcher: DocumentFetcher;
  threads: DocumentThreads;
  documents: DocumentReads;
  eraser: Eraser;
  verifier: AuditVerifier;
  serviceFee: ServiceFee;
  historyImport: HistoryImportRule;
  expiry: ExpiryRule;
  sessionLimits: SessionLimits;
  consoleAddress: ConsoleAddress;
  passkeyAddress: PasskeyAddress;
  providers: Providers;
}

const ofOrders = [
  OrdersHandlers,
  OrderBatchesHandlers,
  OrderExportHandlers,
  PipelineHandlers,
  OrderNotesHandlers,
];

/** People: signing in, sessions, second factors, staff. */
const ofStaff = [
  SignInHandlers,
  SignInStepsHandlers,
  SecondFactorHandlers,
  PasskeysHandlers,
  PasskeySignInHandlers,
  SessionHandlers,
  SessionRecordsHandlers,
  StaffHandlers,
  StaffOperatorHandlers,
  SignOnSettingsHandlers,
  SignOnHandlers,
];

const ofDirectory = [DirectoryHandlers, OrganizationsHandlers];

function ofDocuments({ fetcher, threads, documents }: OrderCoreParts): Provider[] {
  return [
    { provide: DocumentFetcher, useValue: fetcher },
    { provide: DocumentThreads, useValue: threads },
    { provide: DocumentReads, useValue: documents },
  ];
}

function ofSignIn({ passkeyAddress, providers }: OrderCoreParts): Provider[] {
  return [
    { provide: PasskeyAddress, useValue: passkeyAddress },
    { provide: Providers, useValue: providers },
  ];
}

@Module({})
export class OrderCoreModule {
  static with(parts: OrderCoreParts): DynamicModule {
    const products = new ProductChecks(parts.bus);
    const changes = new LiveChanges(parts.bus.connection);
    const stocked = new StockClaimedOrders(parts.database, parts.holds);
    return {
      module: OrderCoreModule,
      controllers: [
        ...ofOrders,
        AuditExportHandlers,
        SubmissionHandlers,
        ReviewHandlers,
        ApprovalHandlers,
        ClarificationHandlers,
        CallbackHandlers,
        FourEyesHandlers,
        HistoryImportHandlers,
        ReviewScreenHandlers,
        ReviewExportHandlers,
        StockExportHandlers,
        ReviewDocumentHandlers,
        ReviewSettingsHandlers,
        SearchHandlers,
        ViewsHandlers,
        ...ofDirectory,
        SettingsHandlers,
        ReportsHandlers,
        PrescriptionsHandlers,
        CustomersHandlers,
        AuditHandlers,
        ...ofStaff,
      ],
      providers: [
        { provide: Database, useValue: parts.database },
        { provide: Bus, useValue: parts.bus },
        { provide: StockHolds, useValue: parts.holds },
        { provide: StockClaimedOrders, useValue: stocked },
        { provide: OrderWrites, useValue: new OrderWrites(parts.database, parts.relay, stocked) },
        { provide: OutboxRelay, useValue: parts.relay },
        { provide: DirectoryProjection, useValue: parts.projection },
        { provide: DataKeys, useValue: parts.dataKeys },
        ...ofDocuments(parts),
        { provide: Eraser, useValue: parts.eraser },
        { provide: CsvFiles, useValue: new CsvFiles() },
        { provide: AuditVerifier, useValue: parts.verifier },
        { provide: ProductChecks, useValue: products },
        { provide: LiveChanges, useValue: changes },
        {
          provide: FirstApprovals,
          useValue: new FirstApprovals(parts.database, parts.dataKeys, products, changes),
        },
        { provide: ExpiryRule, useValue: parts.expiry },
        { provide: ServiceFee, useValue: parts.serviceFee },
        { provide: HistoryImportRule, useValue: parts.historyImport },
        { provide: SessionLimits, useValue: parts.sessionLimits },
        { provide: ConsoleAddress, useValue: parts.consoleAddress },
        ...ofSignIn(parts),
      ],
    };
  }
}
