/** Orders, their lines and their history; see sentences.ts. `$` is the class itself. */
const ORDER_STATUS = 'Step of the workflow that the order has reached';

export const ORDER_SENTENCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  OrderSummary: {
    $: 'An order, as a list shows it',
    status: ORDER_STATUS,
  },
  OrderDetail: {
    $: 'A whole order',
    shipping_address: 'Where the goods go; its fields are null where none was given',
    items: 'The lines of the order; empty for none',
    order_number: 'Number of the order for people, as the caller gave it',
    order_datetime: 'When the customer ordered, in UTC, as the caller gave it; null where it gave none',
  },
  OrderItem: {
    $: 'A line of an order',
    p1_id: 'Catalog product id, as the caller gave it; null where it gave none',
    name: 'Name of the product, as the caller gave it',
    quantity: 'Pieces',
  },
  ShippingAddress: {
    $: 'Address of the customer for the delivery; all null after an erasure',
    street: 'Street and house number',
    city: 'Town',
    postal_code: 'Postal code, as text: it may begin with 0',
    phone: 'Telephone number',
  },
  OrderUpdateBody: {
    order_number: 'Number of the order for people',
    order_datetime: 'When the customer ordered, ISO 8601 with an offset; answered in UTC',
    customer_name: 'Full name of the customer',
    customer_email: 'E-mail address of the customer',
    address_street: 'Street and house number',
    address_city: 'Town',
    address_postal_code: 'Postal code, as text: it may begin with 0',
    address_phone: 'Telephone number',
    shipped: 'The goods have been handed to the carrier; null is false. A new order has false',
    picked_up: 'The customer has picked up the goods; null is false. A new order has false',
    cash_on_pickup: 'The customer pays when picking up the goods; null is false. A new order has false',
    items: 'The lines, which replace all lines of before; null or an empty list removes them',
  },
  OrderUpsertBody: {
    shop_id: 'The shop of the order; part of the upsert key, so it never changes',
    external_id: 'Identifier in the calling system; part of the upsert key, so it never changes',
  },
  UpsertItem: {
    $: 'A line of an order, as it is sent. Lines say qty, never quantity',
    name: 'Name of the product, for people',
  },
  OrderStatusPatchBody: {
    status: 'The new status, which the workflow must allow after the present one',
    payment_status: 'The new state of the payment',
    shipped: 'The goods have been handed to the carrier; left out, the status shipped sets it to true',
    picked_up: 'The customer has picked up the goods; left out, the status picked_up sets it to true',
  },
  OrderStatusResponse: {
    $: 'The order after the change',
    order_id: 'Id of the order',
    status: ORDER_STATUS,
  },
  OrderListResponse: { $: 'A page of orders' },
  OrderFilters: {
    status: 'Only orders of this status',
    payment_status: 'Only orders whose payment is in this state',
    external_id: 'Only the orders with exactly this identifier of the calling system, one per shop at most',
  },
  OrderHistoryEntry: {
    $: 'One change of an order',
    at: 'When the order was changed, in UTC',
    sequence: 'Number of the change, from 1, rising by one per change of the order',
  },
  OrderChange: {
    $: 'One field before and after a change, as text; lists and objects as JSON',
    old: 'Value before; null where it was empty',
    new: 'Value after; null where it became empty',
  },
  OrderHistoryResponse: { $: 'A page of the changes of an order, oldest first' },
  ReportOrderStatusCount: {
    $: 'Orders of one status',
    status: ORDER_STATUS,
    orders: 'Orders that have this status now',
  },
  ReportProductSalesStatusRow: {
    $: 'A product in the orders of one status',
    status: 'Status that the orders have now',
    orders: 'Orders of this status with the product',
  },
  OrderBatchBody: { orders: 'What the single upsert takes, for each order' },
  OrderStatusBatchBody: { patches: 'The changes, each with the id of its order' },
  OrderStatusPatch: { order_id: 'Id of the order' },
  OrderBatchResult: { $: 'What became of one member of the batch' },
  OrderBatchResponse: { $: 'What became of each member' },
  OrderStatusBatchResult: { $: 'What became of one patch of the batch' },
  OrderStatusBatchResponse: { $: 'What became of each patch' },
};
