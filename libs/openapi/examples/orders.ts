import {
  OrderBatchBody,
  OrderBatchResponse,
  type OrderBatchResult,
  OrderStatusBatchBody,
  OrderStatusBatchResponse,
} from '@offizin/contracts/orders/order-batches';
import { OrderHistoryResponse } from '@offizin/contracts/orders/order-history';
import {
  OrderDetail,
  OrderListResponse,
  OrderStatusPatchBody,
  OrderStatusResponse,
  type OrderSummary,
  OrderUpdateBody,
  OrderUpsertBody,
} from '@offizin/contracts/orders/orders';
import { LotHold, LotHoldBody, LotHoldListResponse } from '@offizin/contracts/orders/lot-holds';
import { type OrderLot, OrderLots, OrderLotsBody } from '@offizin/contracts/orders/lots';
import { type LotOrder, LotOrderListResponse, LotTold, LotToldBody } from '@offizin/contracts/orders/recall';
import { Parcel, ParcelBody } from '@offizin/contracts/orders/parcels';
import {
  CHANGED_AT,
  CREATED_AT,
  CUSTOMER,
  example,
  FIRST_OF_MANY,
  HOLD_ID,
  KEY_ID,
  LAST_PAGE,
  LINE,
  LOT,
  ORDER_ID,
  PARCEL_ID,
  SHOP_ID,
  STREET_ADDRESS,
} from './example';

const SUMMARY: OrderSummary = {
  id: ORDER_ID,
  external_id: 'erp-1001',
  status: 'awaiting_packing',
  shop_id: SHOP_ID,
  customer_name: CUSTOMER.customer_name,
  total_amount: 99.9,
  payment_status: 'paid',
  created_at: CREATED_AT,
  updated_at: CHANGED_AT,
  erased_at: null,
};

const PARCEL: Parcel = {
  id: PARCEL_ID,
  carrier: 'dhl',
  tracking_number: '00340434161094042557',
  url: 'https://www.dhl.de/de/privatkunden/dhl-sendungsverfolgung.html?piececode=00340434161094042557',
  created_at: CHANGED_AT,
};

const LOT_OF_LINE: OrderLot = { line: 1, p1_id: LINE.p1_id, name: LINE.name, ...LOT };

const HELD = { p1_id: LINE.p1_id, lot: 'CH4699', reason: 'Recall of the manufacturer, 2 March' };
const HOLD: LotHold = { id: HOLD_ID, ...HELD, held_by: `key:${KEY_ID}`, held_at: CREATED_AT };

const LOT_ORDER: LotOrder = {
  order_id: ORDER_ID,
  external_id: SUMMARY.external_id,
  order_number: 'A-1001',
  shop_id: SHOP_ID,
  status: 'shipped',
  customer_name: CUSTOMER.customer_name,
  customer_email: CUSTOMER.customer_email,
  phone: '+49 30 1234567',
  p1_id: LINE.p1_id,
  name: LINE.name,
  quantity: 1,
  created_at: CREATED_AT,
  told_at: null,
};
const PACK = { lot: LOT.lot, p1_id: LINE.p1_id };

export const ORDER: OrderDetail = {
  ...SUMMARY,
  total_is_given: false,
  customer_email: CUSTOMER.customer_email,
  payment_reference: 'PAY-7F3A',
  shipped: false,
  picked_up: false,
  cash_on_pickup: false,
  shipping_address: {
    street: STREET_ADDRESS.address_street,
    city: STREET_ADDRESS.address_city,
    postal_code: STREET_ADDRESS.address_postal_code,
    phone: STREET_ADDRESS.address_phone,
  },
  items: [{ ...LINE, quantity: 2 }],
  order_number: '2026-1001',
  order_datetime: CREATED_AT,
  shipping_option: 'Versand',
  order_request_id: null,
  stock: 'reserved',
  next_statuses: ['awaiting_payment', 'ready_pickup', 'shipped', 'cancelled'],
  parcels: [PARCEL],
  lots: [LOT_OF_LINE],
  metadata: { erp_customer: '4711' },
};

const REFUSED: OrderBatchResult = {
  index: 1,
  status: 'error',
  order_id: null,
  error: 'invalid_request',
  message: 'items[0].qty: must be an integer',
  details: [{ field: 'items[0].qty', message: 'must be an integer' }],
};

export const ORDER_EXAMPLES = [
  example(OrderBatchBody, {
    orders: [
      { shop_id: SHOP_ID, external_id: 'erp-1002', ...CUSTOMER, items: [{ ...LINE, qty: 1 }] },
      { shop_id: SHOP_ID, external_id: 'erp-1003', payment_status: 'paid' },
    ],
  }),
  example(OrderBatchResponse, {
    results: [{ index: 0, status: 'created', order_id: ORDER_ID }, REFUSED],
  }),
  example(OrderStatusBatchBody, { patches: [{ order_id: ORDER_ID, status: 'shipped' }] }),
  example(OrderStatusBatchResponse, { results: [{ index: 0, status: 'updated', order_id: ORDER_ID }] }),
  example(OrderUpsertBody, {
    shop_id: SHOP_ID,
    external_id: 'erp-1001',
    order_number: '2026-1001',
    order_datetime: CREATED_AT,
    ...CUSTOMER,
    ...STREET_ADDRESS,
    payment_status: 'paid',
    payment_reference: 'PAY-7F3A',
    shipping_option: 'Versand',
    items: [{ ...LINE, qty: 2 }],
    total_amount: 99.9,
    metadata: { erp_customer: '4711' },
  }),
  example(OrderUpdateBody, { payment_status: 'paid', payment_reference: 'PAY-7F3A' }),
  example(OrderStatusPatchBody, { status: 'shipped', reason: 'Handed to the carrier' }),
  example(OrderStatusResponse, { order_id: ORDER_ID, status: 'shipped', updated_at: CHANGED_AT }),
  example(OrderDetail, ORDER),
  example(ParcelBody, { carrier: 'dhl', tracking_number: '0034 0434 1610 9404 2557' }),
  example(Parcel, PARCEL),
  example(LotHoldBody, HELD),
  example(LotHold, HOLD),
  example(LotHoldListResponse, { data: [HOLD] }),
  example(LotOrderListResponse, { data: [LOT_ORDER], pagination: { limit: 50, next_cursor: null } }),
  example(LotToldBody, { ...PACK, told: true }),
  example(LotTold, { order_id: ORDER_ID, ...PACK, quantity: 1, told_at: CHANGED_AT }),
  example(OrderLotsBody, { lots: [{ line: 1, ...LOT }] }),
  example(OrderLots, { lots: [LOT_OF_LINE] }),
  example(OrderListResponse, { data: [SUMMARY], pagination: { ...FIRST_OF_MANY, next_cursor: null } }),
  example(OrderHistoryResponse, {
    data: [
      {
        at: CHANGED_AT,
        actor: 'key:erp',
        action: 'status_changed',
        sequence: 2,
        changes: [{ field: 'status', old: 'awaiting_payment', new: 'awaiting_packing' }],
      },
    ],
    pagination: LAST_PAGE,
  }),
];
