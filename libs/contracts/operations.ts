import { listAuditLog, verifyAuditLog } from './reports/audit';
import {
  deleteCallback,
  findCallback,
  getCallback,
  readForCallback,
  removeCallback,
  setCallback,
  storeCallback,
} from './requests/callbacks';
import { importCatalog } from './products/catalog-import';
import { getCatalogProduct, listCatalogProducts } from './products/catalog-products';
import { consoleOperations } from './console/console';
import { eraseCustomer } from './people/customers';
import {
  createApiKey,
  createApiKeyFor,
  createOrganization,
  createShop,
  keysUsed,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from './people/directory';
import { importHistory } from './orders/history-import';
import { unknownEvents } from './webhooks/unknown-events';
import { addToInventory, adjustInventory, inventoryLog, listInventory } from './products/inventory';
import { adjustInventories } from './products/inventory-batches';
import type { Operation, ServiceName } from './calls/operation';
import {
  approveOrderRequest,
  getOrderRequest,
  getOrderRequestDocument,
  getPrescriptionPdf,
  listOrderRequests,
  rejectOrderRequest,
  requestClarification,
  retryPrescriptionFetch,
  withdrawClarification,
} from './requests/order-request-review';
import {
  cancelExternalOrder,
  cancelOrderRequest,
  findExternalOrder,
  readExternalOrder,
  replaceExternalOrder,
  replaceOrderRequest,
  submitExternalOrder,
  submitOrderRequest,
} from './requests/order-requests';
import { addDocument, addExternalDocument } from './requests/added-documents';
import {
  observeDelivery,
  readCertification,
  readKeyCertification,
  restartCertification,
} from './requests/certification';
import { listExternalOrders } from './requests/external-orders';
import { readPartnerShop } from './requests/partner-shop';
import {
  acceptExternalOffer,
  acceptOffer,
  declineExternalOffer,
  declineOffer,
  offerLines,
} from './requests/offers';
import { patchOrderStatuses, upsertOrders } from './orders/order-batches';
import { orderHistory } from './orders/order-history';
import { getOrder, listOrders, patchOrderStatus, updateOrder, upsertOrder } from './orders/orders';
import { holdLot, liftLotHold, listLotHolds } from './orders/lot-holds';
import { setLots } from './orders/lots';
import { addParcel, removeParcel } from './orders/parcels';
import { listLotOrders, markTold } from './orders/recall';
import { listOrganizations } from './people/organizations';
import { listProofKeys, readRequestProof } from './requests/request-proof';
import {
  getPrescription,
  getReceiptPdf,
  ingestPrescription,
  listPrescriptions,
} from './requests/prescriptions';
import {
  attachProduct,
  detachProduct,
  getProduct,
  listForPartner,
  listPartnerProducts,
  listProducts,
  listShops,
  overrideProduct,
  updateProduct,
} from './products/products';
import {
  reportProductPerformance,
  reportProductSales,
  reportService,
  reportStats,
  reportTopCustomers,
} from './reports/reports';
import { releaseHold, reserveStock, settleAttempt } from './products/reservations';
import { findProducts, productsForReview } from './requests/review-products';
import { readFourEyes } from './requests/review-settings';
import { isScope } from './people/scopes';
import { findSession, sessionsUsed } from './people/session-records';
import {
  createTestShop,
  getShopSettings,
  getStockSettings,
  getWorkflow,
  setStockSettings,
  setWorkflow,
  updateShopSettings,
} from './orders/settings';
import { csvOperations } from './exports';
import { stockPage } from './products/stock';
import {
  inviteStaffFor,
  listStaffOf,
  removeSecondFactorOf,
  signOutStaffOf,
  switchOffStaff,
} from './people/staff-operator';
import { beginSignOnFor, finishSignOnFor } from './people/sign-on';
import { exchangeToken, exchangeTokenOfOrganization } from './people/tokens';
import { listWebhookEventTypes, readEventFeed } from './webhooks/event-feed';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  getWebhookDelivery,
  listWebhookDeliveries,
  listWebhooks,
  recoverWebhook,
  redeliverWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from './webhooks/webhooks';

/** Operations of the organization API: they need a scope. */
export const organizationOperations = [
  // Orders
  listOrders,
  getOrder,
  upsertOrder,
  updateOrder,
  patchOrderStatus,
  orderHistory,
  addParcel,
  removeParcel,
  setLots,
  upsertOrders,
  patchOrderStatuses,
  // Lots
  holdLot,
  listLotHolds,
  liftLotHold,
  listLotOrders,
  markTold,
  // Order requests
  submitOrderRequest,
  replaceOrderRequest,
  addDocument,
  cancelOrderRequest,
  listOrderRequests,
  getOrderRequest,
  getPrescriptionPdf,
  getOrderRequestDocument,
  approveOrderRequest,
  rejectOrderRequest,
  requestClarification,
  withdrawClarification,
  offerLines,
  acceptOffer,
  declineOffer,
  retryPrescriptionFetch,
  readRequestProof,
  // Prescriptions and customers
  ingestPrescription,
  listPrescriptions,
  getPrescription,
  getReceiptPdf,
  eraseCustomer,
  // Shops and products
  listShops,
  listProducts,
  getProduct,
  updateProduct,
  attachProduct,
  detachProduct,
  overrideProduct,
  listCatalogProducts,
  getCatalogProduct,
  // Inventory
  addToInventory,
  listInventory,
  adjustInventory,
  inventoryLog,
  adjustInventories,
  // Reports
  reportStats,
  reportTopCustomers,
  reportProductPerformance,
  reportProductSales,
  reportService,
  // Webhooks and events
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  recoverWebhook,
  listWebhookDeliveries,
  getWebhookDelivery,
  redeliverWebhook,
  listWebhookEventTypes,
  readEventFeed,
  // Settings
  listApiKeys,
  createApiKey,
  revokeApiKey,
  rotateApiKey,
  readKeyCertification,
  getWorkflow,
  setWorkflow,
  getStockSettings,
  setStockSettings,
  getShopSettings,
  createTestShop,
  updateShopSettings,
  // Audit log
  listAuditLog,
  verifyAuditLog,
] as const;

/** Operations of the connector on the shop domains: they need a connector key. */
export const connectorOperations: readonly Operation[] = [
  submitExternalOrder,
  replaceExternalOrder,
  addExternalDocument,
  cancelExternalOrder,
  acceptExternalOffer,
  declineExternalOffer,
  readExternalOrder,
  findExternalOrder,
  listExternalOrders,
  setCallback,
  getCallback,
  deleteCallback,
  listPartnerProducts,
  readPartnerShop,
  readCertification,
  restartCertification,
];

/** Every operation of the public interface and between our own processes. Routes, OpenAPI and the table-driven tests are derived from this list. */
export const operations: readonly Operation[] = [
  // Tokens, answered by the gateway itself
  exchangeToken,
  exchangeTokenOfOrganization,
  ...organizationOperations,
  ...connectorOperations,
  // Between our own processes, and for the operator's command line
  createOrganization,
  createShop,
  createApiKeyFor,
  listOrganizations,
  keysUsed,
  importCatalog,
  importHistory,
  findSession,
  sessionsUsed,
  beginSignOnFor,
  finishSignOnFor,
  inviteStaffFor,
  listStaffOf,
  switchOffStaff,
  signOutStaffOf,
  removeSecondFactorOf,
  reserveStock,
  releaseHold,
  settleAttempt,
  productsForReview,
  findProducts,
  listForPartner,
  stockPage,
  readFourEyes,
  listProofKeys,
  storeCallback,
  findCallback,
  removeCallback,
  readForCallback,
  observeDelivery,
  unknownEvents('order-core'),
  unknownEvents('catalog'),
  unknownEvents('webhook-worker'),
];

/** Every operation, including those of the console. */
export const allOperations: readonly Operation[] = [
  ...operations,
  ...consoleOperations,
  ...csvOperations.values(),
];

/** The operations that a service must have handlers for. */
export function operationsOf(service: ServiceName): readonly Operation[] {
  return allOperations.filter((op) => op.service === service);
}

/**
 * Operations behind the console's door, `/console`: those of the organization API and the console's own. The console's
 * calls are typed by this list (apps/console/calls/api-types.ts).
 */
export const consoleDoorOperations = [...organizationOperations, ...consoleOperations] as const;
/** All operations of the public interface on the gateway's address, for error answers (405) and the OpenAPI description. */
export const gatewayOperations = operations.filter((op) => op.access === 'anyone' || isScope(op.access));
