import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { Bus } from '@offizin/bus/bus';
import { Database } from '@offizin/pg/database';
import { OutboxRelay } from '@offizin/events/outbox-relay';
import { AuditVerifier } from './audit/audit-verifier';
import { AuditExportHandlers, AuditHandlers } from './audit/audit.handlers';
import { CustomersHandlers } from './erasure/customers.handlers';
import { Eraser } from './erasure/eraser';
import { DirectoryHandlers, OrganizationsHandlers } from './people/directory/directory.handlers';
import { DirectoryProjection } from './people/directory/projection';
import { DataKeys } from './crypto/data-keys.store';
import { DocumentFetcher } from './documents/documents/document-fetcher';
import { DocumentReads } from './documents/documents/document-reads';
import { DocumentThreads } from './documents/documents/document-threads';
import { ApprovalHandlers } from './requests/review/approval.handlers';
import { CallbackHandlers } from './requests/intake/callback.handlers';
import { PartnerProductsHandlers } from './requests/intake/partner-products.handlers';
import { ClarificationHandlers } from './requests/review/clarification.handlers';
import { ExpiryRule } from './requests/review/decision';
import { AddedLines } from './requests/review/added-lines';
import { FirstApprovals, LiveChanges } from './requests/review/first-approvals';
import { FourEyesHandlers } from './requests/review/four-eyes.handlers';
import { PlanHandlers } from './requests/review/plan.handlers';
import { HistoryImportHandlers, HistoryImportRule } from './requests/intake/history-import.handlers';
import { SenderHandlers } from './requests/review/sender.handlers';
import { ReviewHandlers } from './requests/review/review.handlers';
import { SubmissionHandlers } from './requests/intake/submission.handlers';
import { CsvFiles } from './csv/csv-files';
import { OrderExportHandlers } from './orders/orders/order-export.handlers';
import { OrderBatchesHandlers } from './orders/orders/order-batches.handlers';
import { OrderWrites } from './orders/orders/order-writes';
import { OrdersHandlers } from './orders/orders/orders.handlers';
import { StockClaimedOrders } from './orders/orders/stock-claimed-orders';
import { OrderNotesHandlers } from './orders/pipeline/order-notes.handlers';
import { PipelineHandlers } from './orders/pipeline/pipeline.handlers';
import { ReportsHandlers } from './reports/reports.handlers';
import { ServiceFee } from './reports/reports.store';
import { ProductChecks } from './requests/review/product-checks';
import { ReviewDocumentHandlers } from './requests/review/review-document.handlers';
import { ReviewExportHandlers } from './requests/review/review-export.handlers';
import { ReviewScreenHandlers } from './requests/review/review-screen.handlers';
import { ReviewSettingsHandlers } from './requests/review/review-settings.handlers';
import { CustomerHandlers } from './requests/customer/customer.handlers';
import { SearchHandlers } from './requests/search/search.handlers';
import { PrescriptionsHandlers } from './requests/prescriptions/prescriptions.handlers';
import { SettingsHandlers } from './orders/settings/settings.handlers';
import { Providers } from './people/sign-on/providers';
import { SignOnSettingsHandlers } from './people/sign-on/sign-on-settings.handlers';
import { SignOnHandlers } from './people/sign-on/sign-on.handlers';
import { PasskeyAddress } from './people/staff/passkeys';
import { PasskeySignInHandlers } from './people/staff/passkey-sign-in.handlers';
import { PasskeysHandlers } from './people/staff/passkeys.handlers';
import { SecondFactorHandlers } from './people/staff/second-factor.handlers';
import { SessionLimits } from './people/staff/open-sessions';
import { SessionHandlers, SessionRecordsHandlers } from './people/staff/session.handlers';
import { SignInHandlers } from './people/staff/sign-in.handlers';
import { SignInStepsHandlers } from './people/staff/sign-in-steps.handlers';
import { ConsoleAddress } from './people/staff/staff-links';
import { StaffOperatorHandlers } from './people/staff/staff-operator.handlers';
import { StaffHandlers } from './people/staff/staff.handlers';
import { StockExportHandlers } from './orders/stock/stock-export.handlers';
import { StockHolds } from './orders/stock/stock-holds';
import { ViewsHandlers } from './people/views/views.handlers';

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
        SenderHandlers,
        CallbackHandlers,
        PartnerProductsHandlers,
        FourEyesHandlers,
        PlanHandlers,
        HistoryImportHandlers,
        ReviewScreenHandlers,
        ReviewExportHandlers,
        StockExportHandlers,
        ReviewDocumentHandlers,
        ReviewSettingsHandlers,
        CustomerHandlers,
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
        {
          provide: OrderWrites,
          useValue: new OrderWrites(
            parts.database,
            parts.relay,
            stocked,
            new AddedLines(parts.database, products),
          ),
        },
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
