import { eraseCustomer } from '@offizin/contracts/people/customers';
import { verifyAuditLog } from '@offizin/contracts/reports/audit';
import { reportDaily, reportReview } from '@offizin/contracts/reports/console-reports';
import type { Operation } from '@offizin/contracts/calls/operation';
import {
  approveOrderRequest,
  getOrderRequest,
  getOrderRequestDocument,
  getPrescriptionPdf,
  listOrderRequests,
  rejectOrderRequest,
} from '@offizin/contracts/requests/order-request-review';
import { listExternalOrders } from '@offizin/contracts/requests/external-orders';
import {
  findExternalOrder,
  readExternalOrder,
  submitExternalOrder,
  submitOrderRequest,
} from '@offizin/contracts/requests/order-requests';
import {
  getOrder,
  listOrders,
  patchOrderStatus,
  updateOrder,
  upsertOrder,
} from '@offizin/contracts/orders/orders';
import { getReceiptPdf, ingestPrescription } from '@offizin/contracts/requests/prescriptions';
import { readReviewDocument } from '@offizin/contracts/requests/review';
import * as reports from '@offizin/contracts/reports/reports';
import { CallShares, type CheapCalls, SHARE_WAIT } from '@offizin/operations/call-shares';
import { FairShares } from '@offizin/runtime/fair-shares';

const CHEAP: CheapCalls = new Map<Operation, string[]>([
  [upsertOrder, []],
  [updateOrder, []],
  [patchOrderStatus, []],
  [getOrder, []],
  // With these an index holds exactly the page, and counters know the total.
  [listOrders, ['limit', 'cursor', 'status', 'shop_id']],
  [listOrderRequests, ['limit', 'cursor', 'status']],
  // A large one waits for a separate slot (review.handlers.ts).
  [getOrderRequest, []],
  // Without a document they share a statement; a body with one is larger than a cheap call's.
  [submitExternalOrder, []],
  [submitOrderRequest, []],
  [ingestPrescription, ['shop_id']],
  [approveOrderRequest, []],
  [rejectOrderRequest, []],
  // It waits most of its time, for calls under way; with a share it would hold them up.
  [eraseCustomer, []],
  [readExternalOrder, []],
  [findExternalOrder, ['external_reference']],
  [listExternalOrders, ['limit', 'cursor', 'status', 'updated_since']],
  // The document waits for a separate slot (document-reads.ts).
  [getPrescriptionPdf, ['version']],
  [getOrderRequestDocument, []],
  [getReceiptPdf, []],
  [readReviewDocument, ['version', 'number']],
]);

/** A quarter of the usual pool: reports read much and are in no hurry. */
const REPORT_SLOTS = 4;

/** What the organizations share in order-core, beside document threads, fetches and reads. */
export function orderCoreShares(databasePool: number): CallShares {
  const reportTime = new FairShares({ name: 'report time', slots: REPORT_SLOTS, perParty: 1, ...SHARE_WAIT });
  const auditChecks = new FairShares({ name: 'audit checks', slots: 1, perParty: 1, ...SHARE_WAIT });
  const { reportStats, reportTopCustomers, reportProductPerformance, reportProductSales } = reports;
  const ofReports = [reportStats, reportTopCustomers, reportProductPerformance, reportProductSales];
  return new CallShares({
    databasePool,
    cheap: CHEAP,
    apart: new Map<Operation, FairShares>([
      ...[...ofReports, reports.reportService, reportDaily, reportReview].map(
        (op) => [op, reportTime] as const,
      ),
      [verifyAuditLog, auditChecks],
    ]),
  });
}
