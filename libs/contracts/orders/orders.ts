import { OrderWords } from './order-words';
import { Lot, LOTS_FIELD, MAX_LOTS_BYTES, OrderLot } from './lots';
import { MAX_PARCELS, Parcel } from './parcels';
import {
  Email,
  Flag,
  Money,
  Nested,
  OneOf,
  Quantity,
  QueryText,
  Text,
  Timestamp,
  UseInstead,
} from '../calls/fields';
import { type Metadata, type MetadataChange, MetadataChangeField, MetadataField } from '../calls/metadata';
import { operation } from '../calls/operation';
import {
  CreatedFrom,
  CreatedTo,
  OffsetPagination,
  type CursorQuery,
  DEFAULT_PAGE_SIZE,
  ListOrder,
  type ListSort,
  PageCursor,
  PageOffset,
  PageSize,
  UpdatedSince,
} from '../calls/paging';
import { Described } from '../calls/schema';
import { TestMark } from '../calls/test-mark';

export const ORDER_STATUSES = [
  'pending',
  'awaiting_payment',
  'awaiting_packing',
  'ready_pickup',
  'shipped',
  'picked_up',
  'completed',
  'cancelled',
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const PAYMENT_STATUSES = ['paid', 'pending', 'cash_on_pickup', 'refunded', 'failed'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

export const SHIPPING_OPTIONS = ['Abholung', 'Versand', 'Express', 'Uber Eats'] as const;
export type ShippingOption = (typeof SHIPPING_OPTIONS)[number];

/** An order of a request that has been in awaiting_payment for so long is due. */
export const UNPAID_DUE_DAYS = 7;
export const UNPAID_FILTERS = ['due'] as const;
export type UnpaidFilter = (typeof UNPAID_FILTERS)[number];

/** What the lines of an order hold of the inventory. */
export const ORDER_STOCK = ['none', 'reserved', 'sold', 'released'] as const;
export type OrderStock = (typeof ORDER_STOCK)[number];

export const MAX_ORDER_ITEMS = 500;
/** Limit of the JSON of an order's lines, so that the order fits MAX_ORDER_BYTES. */
export const MAX_LINES_BYTES = 384 * 1024;
/** Bound of an order's JSON in an answer, where orders are always whole: its lines, its lots, and 128 KiB for all other fields. */
export const MAX_ORDER_BYTES = MAX_LINES_BYTES + MAX_LOTS_BYTES + 128 * 1024;

@Described('An order, as a list shows it')
export class OrderSummary {
  @Text({ description: 'Order identifier' }) id!: string;
  @Text({ description: 'Identifier in the calling system' }) external_id!: string;
  @OneOf(ORDER_STATUSES, { description: 'Step of the workflow that the order has reached' })
  status!: OrderStatus;
  @Text() shop_id!: string;
  @Text({ nullable: true }) customer_name!: string | null;
  @Money() total_amount!: number;
  @OneOf(PAYMENT_STATUSES) payment_status!: PaymentStatus;
  @Timestamp() created_at!: string;
  @Timestamp() updated_at!: string;
  @Timestamp({
    nullable: true,
    description:
      'When an erasure emptied the order; name, e-mail, address, phone and metadata that are sent later are not stored. Null for every other order',
  })
  erased_at!: string | null;
  @TestMark() test?: boolean;
}

@Described('Address of the customer for the delivery; all null after an erasure')
export class ShippingAddress {
  @Text({ nullable: true, description: 'Street and house number' }) street!: string | null;
  @Text({ nullable: true, description: 'Town' }) city!: string | null;
  @Text({ nullable: true, description: 'Postal code, as text: it may begin with 0' }) postal_code!:
    string | null;
  @Text({ nullable: true, description: 'Telephone number' }) phone!: string | null;
}

@Described('A line of an order')
export class OrderItem {
  @Text({ nullable: true, description: 'Catalog product id, as the caller gave it; null where it gave none' })
  p1_id!: string | null;
  @Text({ nullable: true, description: "The caller's product name, or the catalog's" }) name!: string | null;
  @Quantity({ description: 'Pieces' }) quantity!: number;
  @Money({ description: 'Unit price' }) price!: number;
}

@Described('A whole order')
export class OrderDetail extends OrderSummary {
  @Flag({ description: 'The total was given and stays; false: it follows the lines' })
  total_is_given!: boolean;
  @Text({ nullable: true }) customer_email!: string | null;
  @Text({ nullable: true }) payment_reference!: string | null;
  @Flag() shipped!: boolean;
  @Flag() picked_up!: boolean;
  @Flag() cash_on_pickup!: boolean;
  @Nested(() => ShippingAddress, {
    description: 'Where the goods go; its fields are null where none was given',
  })
  shipping_address!: ShippingAddress;
  @Nested(() => OrderItem, {
    list: { maxItems: MAX_ORDER_ITEMS },
    description: 'The lines of the order; empty for none',
  })
  items!: OrderItem[];
  @Text({ nullable: true, description: 'Number of the order for people, as the caller gave it' })
  order_number!: string | null;
  @Timestamp({
    nullable: true,
    description: 'When the customer ordered, in UTC, as the caller gave it; null where it gave none',
  })
  order_datetime!: string | null;
  @OneOf(SHIPPING_OPTIONS, { nullable: true }) shipping_option!: ShippingOption | null;
  @Text({ nullable: true, description: 'Order request that became this order' }) order_request_id!:
    string | null;
  @OneOf(ORDER_STOCK, {
    description:
      'Of the lines whose product is in the inventory: reserved for the order, sold by shipping or handing over, released by cancelling. Without such a line, or where stock does not follow the order: none',
  })
  stock!: OrderStock;
  @OneOf(ORDER_STATUSES, { description: 'Statuses this order may move to now', many: true })
  next_statuses!: OrderStatus[];
  @Nested(() => Parcel, {
    list: { maxItems: MAX_PARCELS },
    description: 'The parcels of the order, oldest first; empty for none',
  })
  parcels!: Parcel[];
  @Nested(() => OrderLot, LOTS_FIELD) lots!: OrderLot[];
  @MetadataField() metadata!: Metadata;
}

@Described('A line of an order, as it is sent. Lines say qty, never quantity')
export class UpsertItem {
  @Text({ optional: true, nullable: true, description: 'Name of the product, for people' }) name?:
    string | null;
  @Quantity({ description: 'Pieces; upsert items say qty, never quantity' }) qty!: number;
  @Money({ description: 'Unit price' }) price!: number;
  @Text({ optional: true, nullable: true, minLength: 1, description: 'Catalog product id' }) p1_id?:
    string | null;
  @UseInstead('qty') quantity?: never;
  @UseInstead('p1_id') product_id?: never;
}

@Described(
  'Fields left out keep their value, null clears (what has a default gets it), items replaces all items. At least one field.',
  { minProperties: 1 },
)
export class OrderUpdateBody {
  @Text({ optional: true, nullable: true, description: 'Number of the order for people' }) order_number?:
    string | null;
  @Timestamp({
    optional: true,
    nullable: true,
    description: 'When the customer ordered, ISO 8601 with an offset; answered in UTC',
  })
  order_datetime?: string | null;
  @Text({ optional: true, nullable: true, description: 'Full name of the customer' }) customer_name?:
    string | null;
  @Email({ optional: true, nullable: true, description: 'E-mail address of the customer' }) customer_email?:
    string | null;
  @Text({ optional: true, nullable: true, description: 'Street and house number' }) address_street?:
    string | null;
  @Text({ optional: true, nullable: true, description: 'Town' }) address_city?: string | null;
  @Text({ optional: true, nullable: true, description: 'Postal code, as text: it may begin with 0' })
  address_postal_code?: string | null;
  @Text({ optional: true, nullable: true, description: 'Telephone number' }) address_phone?: string | null;
  @Money({
    optional: true,
    nullable: true,
    description: 'null: the sum of the lines. Left out: the sum, unless an earlier call gave a total',
  })
  total_amount?: number | null;
  @OneOf(PAYMENT_STATUSES, {
    optional: true,
    nullable: true,
    description: 'Default: cash_on_pickup where cash_on_pickup is true, else pending',
  })
  payment_status?: PaymentStatus | null;
  @Text({ optional: true, nullable: true }) payment_reference?: string | null;
  @OneOf(SHIPPING_OPTIONS, { optional: true, nullable: true }) shipping_option?: ShippingOption | null;
  @Flag({ optional: true, nullable: true, description: 'Handed to the carrier; null and default: false' })
  shipped?: boolean | null;
  @Flag({
    optional: true,
    nullable: true,
    description: 'The customer has picked up the goods; null is false. A new order has false',
  })
  picked_up?: boolean | null;
  @Flag({
    optional: true,
    nullable: true,
    description: 'The customer pays when picking up the goods; null is false. A new order has false',
  })
  cash_on_pickup?: boolean | null;
  @Nested(() => UpsertItem, {
    list: { maxItems: MAX_ORDER_ITEMS },
    optional: true,
    nullable: true,
    description: 'The lines, which replace all lines of before; null or an empty list removes them',
  })
  items?: UpsertItem[] | null;
  @MetadataChangeField() metadata?: MetadataChange | null;
  @Flag({ optional: true, description: 'Change a closed order, too; needs the scope settings.write' })
  force?: boolean;
  @UseInstead('PATCH …/orders/{orderId}/status') status?: never;
  @UseInstead('address_street, address_city, address_postal_code and address_phone')
  shipping_address?: never;
}

@Described(
  'The upsert key is shop_id with external_id. On an update, fields left out keep their value. The lines as answered have ' +
    'at most 384 KiB of JSON: else 413.',
)
export class OrderUpsertBody extends OrderUpdateBody {
  @Text({ minLength: 1, description: 'The shop of the order; part of the upsert key, so it never changes' })
  shop_id!: string;
  @Text({
    minLength: 1,
    description: 'Identifier in the calling system; part of the upsert key, so it never changes',
  })
  external_id!: string;
}

@Described('At least one of the four fields.', { minProperties: 1 })
export class OrderStatusPatchBody {
  @OneOf(ORDER_STATUSES, {
    optional: true,
    description: 'The new status, which the workflow must allow after the present one',
  })
  status?: OrderStatus;
  @OneOf(PAYMENT_STATUSES, { optional: true, description: 'The new state of the payment' })
  payment_status?: PaymentStatus;
  @Flag({
    optional: true,
    description: 'The goods have been handed to the carrier; left out, the status shipped sets it to true',
  })
  shipped?: boolean;
  @Flag({
    optional: true,
    description: 'The customer has picked up the goods; left out, the status picked_up sets it to true',
  })
  picked_up?: boolean;
  @Flag({
    optional: true,
    description:
      'Reopen: move it against the workflow; needs the scope settings.write. To a status before shipped it clears both flags, unless the body gives them. Where stock follows the order, sold pieces are booked back and all lines reserved, else 409 out_of_stock',
  })
  force?: boolean;
  @Text({ optional: true, maxLength: 500, description: 'Why, for the history; erased with the customer' })
  reason?: string;
}

@Described('The order after the change')
export class OrderStatusResponse {
  @Text({ description: 'Id of the order' }) order_id!: string;
  @OneOf(ORDER_STATUSES, { description: 'Step of the workflow that the order has reached' })
  status!: OrderStatus;
  @Timestamp() updated_at!: string;
}

export class OrderFilters {
  @OneOf(ORDER_STATUSES, { optional: true, description: 'Only orders of this status' }) status?: OrderStatus;
  @QueryText({ optional: true, description: 'A shop of the organization' }) shop_id?: string;
  @OneOf(PAYMENT_STATUSES, { optional: true, description: 'Only orders whose payment is in this state' })
  payment_status?: PaymentStatus;
  @OneOf(UNPAID_FILTERS, {
    optional: true,
    description: `due: only orders that came from a request and have been in awaiting_payment for ${UNPAID_DUE_DAYS} days`,
  })
  unpaid?: UnpaidFilter;
  @QueryText({
    optional: true,
    description: 'Only the orders with exactly this identifier of the calling system, one per shop at most',
  })
  external_id?: string;
  @Lot({ optional: true, description: 'Only orders with this lot' }) lot?: string;
  @CreatedFrom() created_from?: string;
  @CreatedTo() created_to?: string;
  @UpdatedSince() updated_since?: string;
  @OrderWords() q?: string;
}

export class OrderListQuery extends OrderFilters implements CursorQuery {
  @PageSize() limit: number = DEFAULT_PAGE_SIZE;
  @PageOffset() offset?: number;
  @PageCursor() cursor?: string;
  @ListOrder() sort: ListSort = '-created_at';
}

@Described('A page of orders')
export class OrderListResponse {
  @Nested(() => OrderSummary, { list: { maxItems: 200 } }) data!: OrderSummary[];
  @Nested(() => OffsetPagination) pagination!: OffsetPagination;
}

export const ORDERS_PATH = '/api/v2/public/orgs/{orgId}/orders';

export const listOrders = operation({
  name: 'orders.list',
  summary: 'List orders',
  refuses: ['not_found'],
  access: 'orders.read',
  path: ORDERS_PATH,
  query: OrderListQuery,
  narrow:
    'Narrow the range (created_from and created_to, or updated_since), give q more characters, or page by cursor.',
  reply: OrderListResponse,
  alsoCsv: true,
});

export const getOrder = operation({
  name: 'orders.get',
  summary: 'Read an order',
  access: 'orders.read',
  path: `${ORDERS_PATH}/{orderId}`,
  reply: OrderDetail,
  hasEntityTag: true,
});

export const upsertOrder = operation({
  name: 'orders.upsert',
  summary: 'Create or update the order of a shop and external id',
  refuses: ['not_found', 'out_of_stock', 'order_closed', 'second_approval_needed'],
  access: 'orders.write',
  method: 'POST',
  path: ORDERS_PATH,
  body: OrderUpsertBody,
  reply: OrderDetail,
  hasEntityTag: true,
  statuses: [201, 200],
});

export const updateOrder = operation({
  name: 'orders.update',
  summary: 'Change the given fields of an order',
  refuses: ['out_of_stock', 'order_closed', 'second_approval_needed'],
  access: 'orders.write',
  method: 'PUT',
  path: `${ORDERS_PATH}/{orderId}`,
  body: OrderUpdateBody,
  reply: OrderDetail,
  hasEntityTag: true,
});

export const patchOrderStatus = operation({
  name: 'orders.patch-status',
  summary: 'Change status, payment status or flags of an order',
  refuses: ['invalid_transition', 'out_of_stock'],
  access: 'orders.write',
  method: 'PATCH',
  path: `${ORDERS_PATH}/{orderId}/status`,
  body: OrderStatusPatchBody,
  reply: OrderStatusResponse,
  hasEntityTag: true,
});
