import { Int, Nested, OneOf, QueryText, Text, Timestamp } from '../calls/fields';
import { consoleOperation } from '../calls/operation';
import { MAX_ORDER_NOTES, OrderNote } from './order-notes';
import {
  ORDER_STATUSES,
  OrderDetail,
  type OrderStatus,
  OrderSummary,
  PAYMENT_STATUSES,
  type PaymentStatus,
  SHIPPING_OPTIONS,
  type ShippingOption,
  UNPAID_FILTERS,
  type UnpaidFilter,
} from './orders';
import { OrderWords } from './order-words';
import { CursorOnlyQuery, MAX_PAGE_SIZE } from '../calls/paging';

/** What the orders screen of the console reads besides the operations of orders: the pipeline of orders by status. */

export const PIPELINE_SORTS = ['newest', 'oldest'] as const;

export class PipelineRow extends OrderSummary {
  @Text({ nullable: true }) order_number!: string | null;
  @Text({ maxLength: 500, description: 'The first lines in one text, such as 15 × Bediol, 1 × Vaporizer' })
  lines_text!: string;
  @Int({ description: 'Number of lines' }) line_count!: number;
  @OneOf(SHIPPING_OPTIONS, { nullable: true }) shipping_option!: ShippingOption | null;
  @Timestamp({ description: 'The order has had its status since then' }) status_since!: string;
}

export class PipelineQuery extends CursorOnlyQuery {
  @OneOf(ORDER_STATUSES, { optional: true }) status?: OrderStatus;
  @QueryText({ optional: true }) shop_id?: string;
  @OneOf(PAYMENT_STATUSES, { optional: true }) payment_status?: PaymentStatus;
  @OneOf(UNPAID_FILTERS, { optional: true }) unpaid?: UnpaidFilter;
  @OrderWords() q?: string;
  @OneOf(PIPELINE_SORTS, { optional: true }) sort: (typeof PIPELINE_SORTS)[number] = 'newest';
}

export class PipelineResponse {
  @Nested(() => PipelineRow, { list: { maxItems: MAX_PAGE_SIZE } }) data!: PipelineRow[];
  @Int({ description: 'Exact number of rows under these filters' }) total!: number;
  @Text({ nullable: true, maxLength: 2000 }) next_cursor!: string | null;
}

export class OrderCountsQuery {
  @OneOf(PAYMENT_STATUSES, { optional: true, description: 'Counts only with q' })
  payment_status?: PaymentStatus;
  @OrderWords() q?: string;
  @QueryText({ optional: true, description: 'Only orders of this shop' }) shop_id?: string;
}

export class OrderCounts implements Record<OrderStatus, number> {
  @Int() pending!: number;
  @Int() awaiting_payment!: number;
  @Int() awaiting_packing!: number;
  @Int() ready_pickup!: number;
  @Int() shipped!: number;
  @Int() picked_up!: number;
  @Int() completed!: number;
  @Int() cancelled!: number;
  @Int({ description: 'Those of the filter unpaid=due' }) unpaid_due!: number;
}

export class PipelineChange {
  @Text({ example: 'status' }) field!: string;
  @Text({ nullable: true, maxLength: 200, description: 'Null where it was empty, or is too long to show' })
  old!: string | null;
  @Text({ nullable: true, maxLength: 200 }) new!: string | null;
}

export class PipelineHistoryEntry {
  @Int({ minimum: 1 }) sequence!: number;
  @Timestamp() at!: string;
  @Text({ description: 'Name of the person or of the API key, or the process that acted' }) who!: string;
  @Text({ example: 'status_changed' }) action!: string;
  @Nested(() => PipelineChange, { list: { maxItems: 50 } }) changes!: PipelineChange[];
}

export class PipelineOrder extends OrderDetail {
  @Int({ minimum: 1, description: 'The order’s ETag, for If-Match, is this number in quotes' })
  version!: number;
  @Timestamp({ description: 'The order has had its status since then' }) status_since!: string;
  @Nested(() => PipelineHistoryEntry, { list: { maxItems: 100 }, description: 'Newest first' })
  history!: PipelineHistoryEntry[];
  @Nested(() => OrderNote, { list: { maxItems: MAX_ORDER_NOTES }, description: 'Newest first' })
  notes!: OrderNote[];
}

const ORGANIZATION = '/api/v2/public/orgs/{orgId}';
const reading = { service: 'order-core', access: 'orders.read', method: 'GET' } as const;

export const listPipeline = consoleOperation({
  ...reading,
  name: 'pipeline.list',
  summary: 'List orders for the people who fulfil them, with exact total',
  refuses: ['not_found'],
  path: `${ORGANIZATION}/pipeline/orders`,
  query: PipelineQuery,
  narrow: 'Name a status or a shop, or give q more characters.',
  reply: PipelineResponse,
});

export const getPipelineOrder = consoleOperation({
  ...reading,
  name: 'pipeline.get',
  summary: 'Read an order with its version and its history with names',
  refuses: ['not_found'],
  via: 'http',
  smallOverBus: true,
  path: `${ORGANIZATION}/pipeline/orders/{orderId}`,
  reply: PipelineOrder,
});

export const countOrders = consoleOperation({
  ...reading,
  name: 'pipeline.counts',
  summary: 'Count the orders of each status',
  refuses: ['not_found'],
  path: `${ORGANIZATION}/pipeline/counts`,
  query: OrderCountsQuery,
  narrow: 'Give q more characters.',
  reply: OrderCounts,
});
