import { orderRequest } from './organization';
import type { Ids, OwnThings } from './organization-things';
import * as own from './organization-things';
import { makePdf } from './pdf';

/**
 * A valid and an invalid call of each public operation. All walks over the operations use these rows. An operation without
 * one is called as it is; the walks fail when it needs a body, a query or an object of its own.
 */
export interface OperationRow {
  /** Status of the valid call; default 200. */
  fine?: number;
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
const report: OperationRow = { query: ofShop };

const orders: Record<string, OperationRow> = {
  'orders.list': { query: ofShop },
  'orders.upsert': {
    fine: 201,
    body: ({ shopId, fresh }) => ({ shop_id: shopId, external_id: fresh }),
    wrong: { external_id: 7, total_amount: -1 },
  },
  'orders.update': {
    body: () => ({ customer_name: 'Taken over' }),
    wrong: { customer_email: 'nobody' },
  },
  'orders.patch-status': {
    body: () => ({ status: 'cancelled' }),
    wrong: { status: 'lost' },
    prepare: own.newOrder,
  },
  'orders.add-parcel': {
    fine: 201,
    body: () => ({ carrier: 'ups', tracking_number: '1Z999AA10123456784' }),
    wrong: { carrier: 'pigeon', tracking_number: 'a_b', url: 'javascript:alert(1)' },
    prepare: own.newOrder,
  },
  'orders.remove-parcel': { fine: 204, prepare: own.newParcel },
  'orders.set-lots': {
    body: () => ({ lots: [{ line: 1, lot: 'CH4711', expires_on: '2099-01-31', quantity: 1 }] }),
    wrong: { lots: 'all' },
    prepare: own.orderToPack,
  },
  'lots.hold': {
    fine: 201,
    body: ({ fresh }) => ({ p1_id: fresh, lot: 'CH4699', reason: 'Recall' }),
    wrong: { p1_id: 7, lot: 'CH4711\u001d', reason: '' },
  },
  'lots.mark-told': {
    body: ({ lot }) => ({ lot, p1_id: null, told: true }),
    wrong: { lot: '', told: 'yes' },
    prepare: own.packedOrder,
  },
  'lots.lift-hold': { fine: 204, prepare: own.newLotHold },
  'orders.upsert-batch': {
    body: ({ shopId, fresh }) => ({ orders: [{ shop_id: shopId, external_id: fresh }] }),
    wrong: { orders: [] },
  },
  'orders.patch-status-batch': {
    body: ({ orderId }) => ({ patches: [{ order_id: orderId, payment_status: 'paid' }] }),
    wrong: { patches: 'all' },
  },
};

const withdrawal: OperationRow = {
  body: () => ({ reason: 'sent_by_mistake' }),
  wrong: { reason: 'whim', message: 7 },
};
const addition: OperationRow = {
  fine: 201,
  body: () => ({ kind: 'other', pdf_base64: makePdf().toString('base64') }),
  wrong: { kind: 'selfie', name: 7 },
};
const offerAnswer: OperationRow = {
  body: () => ({ message: 'Thank you.' }),
  wrong: { offer_id: 7, message: 7 },
};
const orderRequests: Record<string, OperationRow> = {
  'order-requests.submit': {
    body: ({ shopId }) => orderRequest({ shop_id: shopId }),
    wrong: { external_reference: 7 },
  },
  'order-requests.replace': {
    body: ({ shopId, fresh }) => orderRequest({ shop_id: shopId, customer_name: fresh }, { source: null }),
    wrong: { external_reference: 7 },
    prepare: own.directRequest,
  },
  'order-requests.add-document': { ...addition, prepare: own.directRequest },
  'order-requests.cancel': { ...withdrawal, prepare: own.directRequest },
  'order-requests.list': { query: ofShop },
  'order-requests.approve': {
    body: () => ({}),
    wrong: { total_amount: 1.234 },
    prepare: own.newRequest,
  },
  'order-requests.reject': {
    body: () => ({ reason: 'other' }),
    wrong: { reason: 'whim' },
    prepare: own.newRequest,
  },
  'order-requests.request-clarification': {
    body: () => ({ question: 'Which one?' }),
    wrong: { question: '' },
    prepare: own.newRequest,
  },
  'order-requests.withdraw-clarification': { prepare: own.requestInQuestion },
  'order-requests.offer': {
    body: () => own.OFFER,
    wrong: { version: 0, items: [], valid_hours: 337 },
    prepare: own.newRequest,
  },
  'order-requests.accept-offer': { ...offerAnswer, prepare: own.directOffer },
  'order-requests.decline-offer': { ...offerAnswer, prepare: own.directOffer },
  'order-requests.retry-fetch': { prepare: own.requestWithFailedFetch },
  'order-requests.proof': { prepare: own.decidedRequest },
  'order-requests.submit-external': {
    body: () => orderRequest(),
    wrong: { external_reference: 7 },
  },
  'order-requests.replace-external': {
    body: ({ fresh }) => orderRequest({ customer_name: fresh }, { source: null }),
    wrong: { external_reference: 7 },
    prepare: own.newRequest,
  },
  'order-requests.add-document-external': { ...addition, prepare: own.newRequest },
  'order-requests.cancel-external': { ...withdrawal, prepare: own.newRequest },
  'order-requests.accept-offer-external': { ...offerAnswer, prepare: own.requestWithOffer },
  'order-requests.decline-offer-external': { ...offerAnswer, prepare: own.requestWithOffer },
  'order-requests.find-external': {
    query: ({ reference = '' }) => ({ external_reference: reference }),
  },
  'callback.set-external': {
    body: () => ({ url: 'http://127.0.0.1:9/callback' }),
    wrong: { url: '' },
  },
  'callback.get-external': { prepare: own.newCallback },
  'callback.delete-external': { fine: 204, prepare: own.newCallback },
  'certification.restart-external': { fine: 204 },
};

const people: Record<string, OperationRow> = {
  'prescriptions.ingest': {
    body: ({ shopId }) => ({ 'Customer Email': 'erika@example.org', 'Shop Id': shopId }),
    wrong: { 'Customer Email': 'nobody', 'Order Total Amount': 'much' },
  },
  'prescriptions.list': { query: ofShop },
  'customers.erase': {
    body: () => ({ email: 'nobody@example.org' }),
    wrong: { email: 'nobody' },
  },
};

const products: Record<string, OperationRow> = {
  'products.list': { query: ofShop },
  'products.get': { query: ofShop },
  'products.update': { body: () => ({ price: 0.01 }), wrong: { price: -1, thc: 101 } },
  'products.attach': {
    fine: 201,
    body: shopProduct,
    wrong: { mode: 'mix' },
    prepare: own.stockedProduct,
  },
  'products.detach': { body: shopProduct, wrong: { p1_id: 7 }, prepare: own.attachedProduct },
  'products.overrides': {
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
  'catalog.get': { ofNobody: true },
  'inventory.adjust': {
    body: ({ p1Id }) => ({ p1_id: p1Id, delta: 1, reason: 'received' }),
    wrong: { delta: 1.5, reason: 'whim' },
  },
  'inventory.adjust-batch': {
    body: ({ p1Id }) => ({ adjustments: [{ p1_id: p1Id, delta: 1, reason: 'received' }] }),
    wrong: { adjustments: [] },
  },
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
  'webhooks.update': {
    body: () => ({ description: 'Taken over' }),
    wrong: { is_active: 'yes', rate_per_second: 0 },
  },
  'webhooks.delete': { fine: 204, prepare: own.newWebhook },
  'webhooks.rotate-secret': { body: () => ({}), wrong: { finish: 'yes' } },
  'webhooks.test': { body: () => ({}), wrong: { event_type: 'order_lost' } },
  'webhooks.recover': {
    body: ({ since }) => ({ since: since ?? new Date().toISOString() }),
    wrong: { since: 'yesterday' },
    prepare: own.webhookThatMissed,
  },
};

const settings: Record<string, OperationRow> = {
  'api-keys.create': {
    fine: 201,
    body: ({ shopId }) => ({ name: 'x', kind: 'int', shop_id: shopId }),
    wrong: { kind: 'master' },
  },
  'api-keys.certification': { query: ofShop },
  'api-keys.revoke': { fine: 204, prepare: own.newApiKey },
  'api-keys.rotate': {
    fine: 201,
    body: () => ({ overlap_seconds: 0 }),
    wrong: { overlap_seconds: -1 },
    prepare: own.newApiKey,
  },
  'settings.set-stock': {
    body: () => ({ stock_follows_orders: false }),
    wrong: { stock_follows_orders: 'sometimes' },
  },
  'settings.set-workflow': {
    body: () => ({ mode: 'default', closed_orders: 'refuse' }),
    wrong: { mode: 'never', closed_orders: 'sometimes' },
  },
  'settings.create-test-shop': {
    fine: 201,
    body: ({ fresh }) => ({ name: 'Test', domain: fresh, is_test: true }),
    wrong: { is_test: 'no' },
    prepare: own.newDomain,
  },
  'settings.update-shop': { body: () => ({ name: 'Taken over' }), wrong: { is_active: 'no' } },
};

const rows = { ...orders, ...orderRequests, ...people, ...products, ...reports, ...webhooks, ...settings };

export const OPERATION_ROWS: Readonly<Record<string, OperationRow>> = rows;
