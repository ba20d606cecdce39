import {
  Email,
  Flag,
  Int,
  MAX_QUANTITY,
  Money,
  Nested,
  OneOf,
  Quantity,
  QueryText,
  Text,
  Timestamp,
  UseInstead,
} from './fields';
import { type Metadata, type MetadataChange, MetadataChangeField, MetadataField } from './metadata';
import { operation } from './operation';
import {
  CursorOnlyPagination,
  CursorOnlyQuery,
  OffsetPagination,
  type CursorQuery,
  DEFAULT_PAGE_SIZE,
  ListOrder,
  type ListSort,
  MAX_PAGE_SIZE,
  PageCursor,
  PageOffset,
  PageSize,
  UpdatedSince,
} from './paging';
import { Described } from './schema';

/** Orders of the organization API. Upsert items use `qty`, order detail uses `quantity`. */

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

export const MAX_ORDER_ITEMS = 500;
/** Limit of an order's JSON in an answer. Orders are always answered whole, so a larger one could not be read. */
export const MAX_ORDER_BYTES = 512 * 1024;

export class OrderSummary {
  @Text({ description: 'Order identifier' }) id!: string;
  @Text({ description: 'Identifier in the calling system' }) external_id!: string;
  @OneOf(ORDER_STATUSES) status!: OrderStatus;
  @Text() shop_id!: string;
  @Text({ nullable: true }) customer_name!: string | null;
  @Money() total_amount!: number;
  @OneOf(PAYMENT_STATUSES) payment_status!: PaymentStatus;
  @Timestamp() created_at!: string;
  @Timestamp() updated_at!: string;
}

export class ShippingAddress {
  @Text({ nullable: true }) street!: string | null;
  @Text({ nullable: true }) city!: string | null;
  @Text({ nullable: true }) postal_code!: string | null;
  @Text({ nullable: true }) phone!: string | null;
}

export class OrderItem {
  @Text({ nullable: true }) p1_id!: string | null;
  @Text({ nullable: true }) name!: string | null;
  @Quantity() quantity!: number;
  @Money({ description: 'Unit price' }) price!: number;
}

export class OrderDetail extends OrderSummary {
  @Text({ nullable: true }) customer_email!: string | null;
  @Text({ nullable: true }) payment_reference!: string | null;
  @Flag() shipped!: boolean;
  @Flag() picked_up!: boolean;
  @Flag() cash_on_pickup!: boolean;
  @Nested(() => ShippingAddress) shipping_address!: ShippingAddress;
  @Nested(() => OrderItem, { list: { maxItems: MAX_ORDER_ITEMS } }) items!: OrderItem[];
  @Text({ nullable: true }) order_number!: string | null;
  @Timestamp({ nullable: true }) order_datetime!: string | null;
  @OneOf(SHIPPING_OPTIONS, { nullable: true }) shipping_option!: ShippingOption | null;
  @Text({ nullable: true, description: 'Order request that became this order' }) order_request_id!:
    string | null;
  @OneOf(ORDER_STATUSES, { description: 'Statuses this order may move to now', many: true })
  next_statuses!: OrderStatus[];
  @MetadataField() metadata!: Metadata;
}

export class UpsertItem {
  @Text({ optional: true, nullable: true }) name?: string | null;
  @Quantity({ description: 'Pieces; upsert items say qty, never quantity' }) qty!: number;
  @Money({ description: 'Unit price' }) price!: number;
  @Text({ optional: true, nullable: true, description: 'Catalog product id' }) p1_id?: string | null;
  @UseInstead('qty') quantity?: never;
}

@Described(
  'Fields left out keep their value, null clears (what has a default gets it), items replaces all items. At least one field.',
  { minProperties: 1 },
)
export class OrderUpdateBody {
  @Text({ optional: true, nullable: true }) order_number?: string | null;
  @Timestamp({ optional: true, nullable: true }) order_datetime?: string | null;
  @Text({ optional: true, nullable: true }) customer_name?: string | null;
  @Email({ optional: true, nullable: true }) customer_email?: string | null;
  @Text({ optional: true, nullable: true }) address_street?: string | null;
  @Text({ optional: true, nullable: true }) address_city?: string | null;
  @Text({ optional: true, nullable: true }) address_postal_code?: string | null;
  @Text({ optional: true, nullable: true }) address_phone?: string | null;
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
  @Flag({ optional: true, nullable: true }) shipped?: boolean | null;
  @Flag({ optional: true, nullable: true }) picked_up?: boolean | null;
  @Flag({ optional: true, nullable: true }) cash_on_pickup?: boolean | null;
  @Nested(() => UpsertItem, { list: { maxItems: MAX_ORDER_ITEMS }, optional: true, nullable: true })
  items?: UpsertItem[] | null;
  @MetadataChangeField() metadata?: MetadataChange | null;
}

@Described(
  'The upsert key is shop_id with external_id. On an update, fields left out keep their value. The order as answered has ' +
    'at most 512 KiB of JSON: else 413.',
)
export class OrderUpsertBody extends OrderUpdateBody {
  @Text({ minLength: 1 }) shop_id!: string;
  @Text({ minLength: 1 }) external_id!: string;
}

@Described('At least one of the four fields.', { minProperties: 1 })
export class OrderStatusPatchBody {
  @OneOf(ORDER_STATUSES, { optional: true }) status?: OrderStatus;
  @OneOf(PAYMENT_STATUSES, { optional: true }) payment_status?: PaymentStatus;
  @Flag({ optional: true }) shipped?: boolean;
  @Flag({ optional: true }) picked_up?: boolean;
  @Flag({
    optional: true,
    description: 'Reopen: move it against the workflow; needs the scope settings.write',
  })
  force?: boolean;
  @Text({ optional: true, maxLength: 500, description: 'Why, for the history; erased with the customer' })
  reason?: string;
}

export class OrderStatusResponse {
  @Text() order_id!: string;
  @OneOf(ORDER_STATUSES) status!: OrderStatus;
  @Timestamp() updated_at!: string;
}

export class OrderFilters {
  @OneOf(ORDER_STATUSES, { optional: true }) status?: OrderStatus;
  @QueryText({ optional: true, description: 'A shop of the organization' }) shop_id?: string;
  @OneOf(PAYMENT_STATUSES, { optional: true }) payment_status?: PaymentStatus;
  @QueryText({ optional: true }) external_id?: string;
  @Timestamp({ optional: true, description: 'Created at this time or later' }) created_from?: string;
  @Timestamp({ optional: true, description: 'Created before this time' }) created_to?: string;
  @UpdatedSince() updated_since?: string;
  @QueryText({ optional: true, description: 'Begin of customer name, e-mail, order number or external id' })
  q?: string;
}

export class OrderListQuery extends OrderFilters implements CursorQuery {
  @PageSize() limit: number = DEFAULT_PAGE_SIZE;
  @PageOffset() offset?: number;
  @PageCursor() cursor?: string;
  @ListOrder() sort: ListSort = '-created_at';
}

export class OrderListResponse {
  @Nested(() => OrderSummary, { list: { maxItems: 200 } }) data!: OrderSummary[];
  @Nested(() => OffsetPagination) pagination!: OffsetPagination;
}

export class OrderHistoryEntry {
  @Timestamp() at!: string;
  @Text({ description: 'API key id, or the process that acted' }) actor!: string;
  @Text({
    description: 'created, updated, status_changed, or reopened: moved against the workflow by `force`',
  })
  action!: string;
  @Nested(() => OrderChange, { list: { maxItems: 50 } }) changes!: OrderChange[];
  @Int({ minimum: 1, maximum: MAX_QUANTITY * 1000 }) sequence!: number;
}

export class OrderChange {
  @Text() field!: string;
  @Text({ nullable: true, maxLength: MAX_ORDER_BYTES }) old!: string | null;
  @Text({ nullable: true, maxLength: MAX_ORDER_BYTES }) new!: string | null;
}

export class OrderHistoryResponse {
  @Nested(() => OrderHistoryEntry, { list: { maxItems: MAX_PAGE_SIZE } }) data!: OrderHistoryEntry[];
  @Nested(() => CursorOnlyPagination) pagination!: CursorOnlyPagination;
}

const PATH = '/api/v2/public/orgs/{orgId}/orders';

export const listOrders = operation({
  name: 'orders.list',
  summary: 'List orders',
  refuses: ['not_found'],
  service: 'order-core',
  access: 'orders.read',
  method: 'GET',
  path: PATH,
  query: OrderListQuery,
  narrow:
    'Narrow the range (created_from and created_to, or updated_since), give q more characters, or page by cursor.',
  reply: OrderListResponse,
  alsoCsv: true,
});

export const getOrder = operation({
  name: 'orders.get',
  summary: 'Read an order',
  service: 'order-core',
  access: 'orders.read',
  method: 'GET',
  path: `${PATH}/{orderId}`,
  reply: OrderDetail,
  hasEntityTag: true,
});

export const upsertOrder = operation({
  name: 'orders.upsert',
  summary: 'Create or update the order of a shop and external id',
  refuses: ['not_found', 'out_of_stock'],
  service: 'order-core',
  access: 'orders.write',
  method: 'POST',
  path: PATH,
  body: OrderUpsertBody,
  reply: OrderDetail,
  hasEntityTag: true,
  statuses: [201, 200],
});

export const updateOrder = operation({
  name: 'orders.update',
  summary: 'Change the given fields of an order',
  refuses: ['out_of_stock'],
  service: 'order-core',
  access: 'orders.write',
  method: 'PUT',
  path: `${PATH}/{orderId}`,
  body: OrderUpdateBody,
  reply: OrderDetail,
  hasEntityTag: true,
});

export const patchOrderStatus = operation({
  name: 'orders.patch-status',
  summary: 'Change status, payment status or flags of an order',
  refuses: ['invalid_transition'],
  service: 'order-core',
  access: 'orders.write',
  method: 'PATCH',
  path: `${PATH}/{orderId}/status`,
  body: OrderStatusPatchBody,
  reply: OrderStatusResponse,
  hasEntityTag: true,
});

/** Over HTTP: entries hold an order's lines before and after a change, which may exceed a bus message. */
export const orderHistory = operation({
  name: 'orders.history',
  summary: 'Who changed what on an order and when, oldest first',
  service: 'order-core',
  via: 'http',
  smallOverBus: true,
  access: 'orders.read',
  method: 'GET',
  path: `${PATH}/{orderId}/history`,
  query: CursorOnlyQuery,
  reply: OrderHistoryResponse,
});
