import { orderRequest } from './organization';
import type { Ids, OwnThings } from './organization-things';
import * as own from './organization-things';
import { makePdf } from './pdf';

/**
 * A valid and an invalid call of each public operation. All walks over the operations use these rows and fail for
 * an operation without one.
 */
export interface OperationRow {
  /** Status of the valid call. */
  fine: number;
  body?: (ids: Ids) => Record<string, unknown>;
  /** Fields that make the body invalid. The answer must name each. */
  wrong?: Record<string, unknown>;
  query?: (ids: Ids) => Record<string, string>;
  /** The object belongs to the platform and is visible to every organization. */
  ofNobody?: true;
  /** Creates an object that the valid call uses up. */
  prepare?: (made: OwnThings) => Promise<Ids>;
}

const ofShop = ({ shopId = '' }: Ids): Record<string, string> => ({ shop_id: shopId });
const shopProduct = ({ shopId, p1Id }: Ids): Record<string, unknown> => ({ shop_id: shopId, p1_id: p1Id });
const read: OperationRow = { fine: 200 };
const report: OperationRow = { fine: 200, query: ofShop };

const orders: Record<string, OperationRow> = {
  'orders.list': { fine: 200, query: ofShop },
  'orders.get': read,
  'orders.upsert': {
    fine: 201,
    body: ({ shopId, fresh }) => ({ shop_id: shopId, external_id: fresh }),
    wrong: { external_id: 7, total_amount: -1 },
  },
  'orders.update': {
    fine: 200,
    body: () => ({ customer_name: 'Taken over' }),
    wrong: { customer_email: 'nobody' },
  },
  'orders.patch-status': {
    fine: 200,
    body: () => ({ status: 'cancelled' }),
    wrong: { status: 'lost' },
    prepare: own.newOrder,
  },
  'orders.history': read,
  'orders.upsert-batch': {
    fine: 200,
    body: ({ shopId, fresh }) => ({ orders: [{ shop_id: shopId, external_id: fresh }] }),
    wrong: { orders: [] },
  },
  'orders.patch-status-batch': {
    fine: 200,
    body: ({ orderId }) => ({ patches: [{ order_id: orderId, payment_status: 'paid' }] }),
    wrong: { patches: 'all' },
  },
};

const withdrawal: OperationRow = {
  fine: 200,
  body: () => ({ reason: 'sent_by_mistake' }),
  wrong: { reason: 'whim', message: 7 },
};
const addition: OperationRow = {
  fine: 201,
  body: () => ({ kind: 'other', pdf_base64: makePdf().toString('base64') }),
  wrong: { kind: 'selfie', name: 7 },
};
const orderRequests: Record<string, OperationRow> = {
  'order-requests.submit': {
    fine: 200,
    body: ({ shopId }) => orderRequest({ shop_id: shopId }),
    wrong: { external_reference: 7 },
  },
  'order-requests.replace': {
    fine: 200,
    body: ({ shopId, fresh }) => orderRequest({ shop_id: shopId, customer_name: fresh }, { source: null }),
    wrong: { external_reference: 7 },
    prepare: own.directRequest,
  },
  'order-requests.add-document': { ...addition, prepare: own.directRequest },
  'order-requests.cancel': { ...withdrawal, prepare: own.directRequest },
  'order-requests.list': { fine: 200, query: ofShop },
  'order-requests.get': read,
  'order-requests.prescription': read,
  'order-requests.document': read,
  'order-requests.approve': {
    fine: 200,
    body: () => ({}),
    wrong: { total_amount: 1.234 },
    prepare: own.newRequest,
  },
  'order-requests.reject': {
    fine: 200,
    body: () => ({ reason: 'other' }),
    wrong: { reason: 'whim' },
    prepare: own.newRequest,
  },
  'order-requests.request-clarification': {
    fine: 200,
    body: () => ({ question: 'Which one?' }),
    wrong: { question: '' },
    prepare: own.newRequest,
  },
  'order-requests.withdraw-clarification': { fine: 200, prepare: own.requestInQuestion },
  'order-requests.retry-fetch': { fine: 200, prepare: own.requestWithFailedFetch },
  'order-requests.submit-external': {
    fine: 200,
    body: () => orderRequest(),
    wrong: { external_reference: 7 },
  },
  'order-requests.replace-external': {
    fine: 200,
    body: ({ fresh }) => orderRequest({ customer_name: fresh }, { source: null }),
    wrong: { external_reference: 7 },
    prepare: own.newRequest,
  },
  'order-requests.add-document-external': { ...addition, prepare: own.newRequest },
  'order-requests.cancel-external': { ...withdrawal, prepare: own.newRequest },
  'order-requests.read-external': read,
  'order-requests.find-external': {
    fine: 200,
    query: ({ reference = '' }) => ({ external_reference: reference }),
  },
  'callback.set-external': {
    fine: 200,
    body: () => ({ url: 'http://127.0.0.1:9/callback' }),
    wrong: { url: '' },
  },
  'callback.get-external': { fine: 200, prepare: own.newCallback },
  'products.list-external': read,
  'callback.delete-external': { fine: 204, prepare: own.newCallback },
};

const people: Record<string, OperationRow> = {
  'prescriptions.ingest': {
    fine: 200,
    body: ({ shopId }) => ({ 'Customer Email': 'erika@example.org', 'Shop Id': shopId }),
    wrong: { 'Customer Email': 'nobody', 'Order Total Amount': 'much' },
  },
  'prescriptions.list': { fine: 200, query: ofShop },
  'prescriptions.get': read,
  'prescriptions.receipt': read,
  'customers.erase': {
    fine: 200,
    body: () => ({ email: 'nobody@example.org' }),
    wrong: { email: 'nobody' },
  },
};

const products: Record<string, OperationRow> = {
  'shops.list': read,
  'products.list': { fine: 200, query: ofShop },
  'products.get': { fine: 200, query: ofShop },
  'products.update': { fine: 200, body: () => ({ price: 0.01 }), wrong: { price: -1, thc: 101 } },
  'products.attach': {
    fine: 201,
    body: shopProduct,
    wrong: { mode: 'mix' },
    prepare: own.stockedProduct,
  },
  'products.detach': { fine: 200, body: shopProduct, wrong: { p1_id: 7 }, prepare: own.attachedProduct },
  'products.overrides': {
    fine: 200,
    body: (ids) => ({ ...shopProduct(ids), overrides: { price: 0.01 } }),
    wrong: { overrides: 'none', mode: 'mix' },
  },
  'products.add-to-inventory': {
    fine: 201,
    body: ({ p1Id }) => ({ p1_id: p1Id }),
    wrong: { initial_stock: -1 },
    ofNobody: true,
    prepare: own.catalogProduct,
  },
  'catalog.list': read,
  'catalog.get': { fine: 200, ofNobody: true },
  'inventory.list': read,
  'inventory.adjust': {
    fine: 200,
    body: ({ p1Id }) => ({ p1_id: p1Id, delta: 1, reason: 'received' }),
    wrong: { delta: 1.5, reason: 'whim' },
  },
  'inventory.adjust-batch': {
    fine: 200,
    body: ({ p1Id }) => ({ adjustments: [{ p1_id: p1Id, delta: 1, reason: 'received' }] }),
    wrong: { adjustments: [] },
  },
  'inventory.log': read,
};

const reports: Record<string, OperationRow> = {
  'reports.stats': report,
  'reports.top-customers': report,
  'reports.product-performance': report,
  'reports.product-sales': report,
  'reports.service': report,
};

const webhooks: Record<string, OperationRow> = {
  'webhooks.create': {
    fine: 201,
    body: () => ({ url: 'http://127.0.0.1:9/webhooks/service', is_active: false }),
    wrong: { event_types: ['order_lost'] },
  },
  'webhooks.list': read,
  'webhooks.get': read,
  'webhooks.update': {
    fine: 200,
    body: () => ({ description: 'Taken over' }),
    wrong: { is_active: 'yes', rate_per_second: 0 },
  },
  'webhooks.delete': { fine: 204, prepare: own.newWebhook },
  'webhooks.rotate-secret': { fine: 200, body: () => ({}), wrong: { finish: 'yes' } },
  'webhooks.test': { fine: 200, body: () => ({}), wrong: { event_type: 'order_lost' } },
  'webhooks.recover': {
    fine: 200,
    body: ({ since }) => ({ since: since ?? new Date().toISOString() }),
    wrong: { since: 'yesterday' },
    prepare: own.webhookThatMissed,
  },
  'webhooks.deliveries': read,
  'webhook-deliveries.get': read,
  'webhook-deliveries.redeliver': read,
  'webhooks.event-types': read,
  'events.feed': read,
};

const settings: Record<string, OperationRow> = {
  'api-keys.list': read,
  'api-keys.create': {
    fine: 201,
    body: ({ shopId }) => ({ name: 'x', kind: 'int', shop_id: shopId }),
    wrong: { kind: 'master' },
  },
  'api-keys.revoke': { fine: 204, prepare: own.newApiKey },
  'api-keys.rotate': {
    fine: 201,
    body: () => ({ overlap_seconds: 0 }),
    wrong: { overlap_seconds: -1 },
    prepare: own.newApiKey,
  },
  'settings.get-workflow': read,
  'settings.get-stock': read,
  'settings.set-stock': {
    fine: 200,
    body: () => ({ stock_follows_orders: false }),
    wrong: { stock_follows_orders: 'sometimes' },
  },
  'settings.set-workflow': {
    fine: 200,
    body: () => ({ mode: 'default', closed_orders: 'refuse' }),
    wrong: { mode: 'never', closed_orders: 'sometimes' },
  },
  'settings.get-shop': read,
  'settings.create-test-shop': {
    fine: 201,
    body: ({ fresh }) => ({ name: 'Test', domain: fresh, is_test: true }),
    wrong: { is_test: 'no' },
    prepare: own.newDomain,
  },
  'settings.update-shop': { fine: 200, body: () => ({ name: 'Taken over' }), wrong: { is_active: 'no' } },
  'audit-log.list': read,
  'audit-log.verify': read,
};

const rows = { ...orders, ...orderRequests, ...people, ...products, ...reports, ...webhooks, ...settings };

export const OPERATION_ROWS: Readonly<Record<string, OperationRow>> = rows;
