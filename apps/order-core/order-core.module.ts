import { Module } from '@nestjs/common';
import { AuditExportHandlers, AuditHandlers } from './audit/audit.handlers';
import { CustomersHandlers } from './erasure/customers.handlers';
import { DirectoryHandlers, OrganizationsHandlers } from './people/directory/directory.handlers';
import { ApprovalHandlers } from './requests/review/approval.handlers';
import { CallbackHandlers } from './requests/intake/callback.handlers';
import { CertificationHandlers } from './requests/intake/certification.handlers';
import { PartnerProductsHandlers } from './requests/intake/partner-products.handlers';
import { ClarificationHandlers } from './requests/review/clarification.handlers';
import { FourEyesHandlers } from './requests/review/four-eyes.handlers';
import { DayHandlers } from './requests/review/day.handlers';
import { PlanHandlers } from './requests/review/plan.handlers';
import { HistoryImportHandlers } from './requests/intake/history-import.handlers';
import { OfferHandlers } from './requests/review/offer.handlers';
import { SenderHandlers } from './requests/review/sender.handlers';
import { ReviewHandlers } from './requests/review/review.handlers';
import { SubmissionHandlers } from './requests/intake/submission.handlers';
import { OrderExportHandlers } from './orders/orders/order-export.handlers';
import { LotHoldsHandlers } from './orders/lots/lot-holds.handlers';
import { LotsHandlers } from './orders/lots/lots.handlers';
import { RecallHandlers } from './orders/lots/recall.handlers';
import { OrderBatchesHandlers } from './orders/orders/order-batches.handlers';
import { OrdersHandlers } from './orders/orders/orders.handlers';
import { ParcelsHandlers } from './orders/parcels/parcels.handlers';
import { OrderNotesHandlers } from './orders/pipeline/order-notes.handlers';
import { PipelineHandlers } from './orders/pipeline/pipeline.handlers';
import { ReportsHandlers } from './reports/reports.handlers';
import { ProofHandlers } from './requests/proof/proof.handlers';
import { ReviewDocumentHandlers } from './requests/review/review-document.handlers';
import { ReviewExportHandlers } from './requests/review/review-export.handlers';
import { ReviewScreenHandlers } from './requests/review/review-screen.handlers';
import { ReviewSettingsHandlers } from './requests/review/review-settings.handlers';
import { CustomerHandlers } from './requests/customer/customer.handlers';
import { SearchHandlers } from './requests/search/search.handlers';
import { PrescriptionsHandlers } from './requests/prescriptions/prescriptions.handlers';
import { SettingsHandlers } from './orders/settings/settings.handlers';
import { SignOnSettingsHandlers } from './people/sign-on/sign-on-settings.handlers';
import { SignOnHandlers } from './people/sign-on/sign-on.handlers';
import { PasskeySignInHandlers } from './people/staff/passkey-sign-in.handlers';
import { PasskeysHandlers } from './people/staff/passkeys.handlers';
import { SecondFactorHandlers } from './people/staff/second-factor.handlers';
import { SessionHandlers, SessionRecordsHandlers } from './people/staff/session.handlers';
import { SignInHandlers } from './people/staff/sign-in.handlers';
import { SignInStepsHandlers } from './people/staff/sign-in-steps.handlers';
import { StaffOperatorHandlers } from './people/staff/staff-operator.handlers';
import { StaffHandlers } from './people/staff/staff.handlers';
import { StockExportHandlers } from './orders/stock/stock-export.handlers';
import { ViewsHandlers } from './people/views/views.handlers';

/** Who answers the operations. Handlers ask by class for the parts that main.ts made. */
@Module({
  controllers: [
    OrdersHandlers,
    OrderBatchesHandlers,
    OrderExportHandlers,
    ParcelsHandlers,
    LotsHandlers,
    LotHoldsHandlers,
    RecallHandlers,
    PipelineHandlers,
    OrderNotesHandlers,
    AuditExportHandlers,
    SubmissionHandlers,
    ReviewHandlers,
    ApprovalHandlers,
    ClarificationHandlers,
    OfferHandlers,
    SenderHandlers,
    CallbackHandlers,
    CertificationHandlers,
    PartnerProductsHandlers,
    FourEyesHandlers,
    PlanHandlers,
    DayHandlers,
    HistoryImportHandlers,
    ReviewScreenHandlers,
    ReviewExportHandlers,
    StockExportHandlers,
    ReviewDocumentHandlers,
    ProofHandlers,
    ReviewSettingsHandlers,
    CustomerHandlers,
    SearchHandlers,
    ViewsHandlers,
    DirectoryHandlers,
    OrganizationsHandlers,
    SettingsHandlers,
    ReportsHandlers,
    PrescriptionsHandlers,
    CustomersHandlers,
    AuditHandlers,
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
  ],
})
export class OrderCoreModule {}
