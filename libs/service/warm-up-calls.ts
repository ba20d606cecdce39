import { WARM_UP_ORG_ID } from '@offizin/contracts/caller';
import { adjustInventory, listInventory } from '@offizin/contracts/inventory';
import type { Operation } from '@offizin/contracts/operation';
import {
  approveOrderRequest,
  getOrderRequest,
  listOrderRequests,
} from '@offizin/contracts/order-request-review';
import { submitExternalOrder, submitOrderRequest } from '@offizin/contracts/order-requests';
import { getOrder, listOrders, patchOrderStatus, upsertOrder } from '@offizin/contracts/orders';
import { listProducts } from '@offizin/contracts/products';
import { listWebhooks } from '@offizin/contracts/webhooks';

/**
 * Valid in form, for an organization that does not exist: the call finds nothing and writes nothing. An operation that
 * writes for an unknown organization must not be added.
 */
interface WarmUpCall {
  op: Operation;
  params?: Record<string, string>;
  queryString?: string;
  body?: object;
}

const NO_ID = WARM_UP_ORG_ID;
const CUSTOMER = {
  customer_name: 'Erika Mustermann',
  address_street: 'Hauptstraße 1',
  address_city: 'Köln',
  address_postal_code: '50667',
};
const LINES = [1, 2, 3].map((n) => ({ p1_id: `warm-up-${n}`, name: `Artikel ${n}`, price: 4.95 }));
const UPSERT = {
  shop_id: NO_ID,
  external_id: 'warm-up',
  order_number: 'warm-up',
  ...CUSTOMER,
  items: LINES.map((line) => ({ ...line, qty: 1 })),
};
const REQUEST = {
  source: 'warm-up',
  external_reference: 'warm-up',
  payload: { shop_id: NO_ID, ...CUSTOMER, items: LINES.map((line) => ({ ...line, quantity: 1 })) },
};

/** What callers wait for most. Only operations that refuse or read for an unknown organization may be here. */
export const WARM_UP_CALLS: readonly WarmUpCall[] = [
  { op: upsertOrder, body: UPSERT },
  { op: patchOrderStatus, params: { orderId: NO_ID }, body: { payment_status: 'paid' } },
  { op: listOrders, queryString: 'limit=50' },
  { op: getOrder, params: { orderId: NO_ID } },
  { op: submitOrderRequest, body: REQUEST },
  { op: submitExternalOrder, body: REQUEST },
  { op: listOrderRequests, queryString: 'limit=50' },
  { op: getOrderRequest, params: { requestId: NO_ID } },
  { op: approveOrderRequest, params: { requestId: NO_ID }, body: {} },
  { op: listProducts, queryString: `shop_id=${NO_ID}&limit=50` },
  { op: listInventory, queryString: 'limit=50' },
  { op: adjustInventory, body: { p1_id: 'warm-up', delta: 1, reason: 'received' } },
  { op: listWebhooks },
];
