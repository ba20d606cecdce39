import { Int, MAX_QUANTITY, Nested, Text, Timestamp } from '../calls/fields';
import { operation } from '../calls/operation';
import { CursorOnlyPagination, CursorOnlyQuery, MAX_PAGE_SIZE } from '../calls/paging';
import { Described } from '../calls/schema';
import { MAX_ORDER_BYTES, ORDERS_PATH } from './orders';

@Described('One change of an order')
export class OrderHistoryEntry {
  @Timestamp({ description: 'When the order was changed, in UTC' }) at!: string;
  @Text({ description: 'API key id, or the process that acted' }) actor!: string;
  @Text({
    description: 'created, updated, status_changed, or reopened: moved against the workflow by `force`',
  })
  action!: string;
  @Nested(() => OrderChange, { list: { maxItems: 50 } }) changes!: OrderChange[];
  @Int({
    minimum: 1,
    maximum: MAX_QUANTITY * 1000,
    description: 'Number of the change, from 1, rising by one per change of the order',
  })
  sequence!: number;
}

@Described('One field before and after a change, as text; lists and objects as JSON')
export class OrderChange {
  @Text() field!: string;
  @Text({ nullable: true, maxLength: MAX_ORDER_BYTES, description: 'Value before; null where it was empty' })
  old!: string | null;
  @Text({
    nullable: true,
    maxLength: MAX_ORDER_BYTES,
    description: 'Value after; null where it became empty',
  })
  new!: string | null;
}

@Described('A page of the changes of an order, oldest first')
export class OrderHistoryResponse {
  @Nested(() => OrderHistoryEntry, { list: { maxItems: MAX_PAGE_SIZE } }) data!: OrderHistoryEntry[];
  @Nested(() => CursorOnlyPagination) pagination!: CursorOnlyPagination;
}

/** Over HTTP: entries hold an order's lines before and after a change, which may exceed a bus message. */
export const orderHistory = operation({
  name: 'orders.history',
  summary: 'Who changed what on an order and when, oldest first',
  via: 'http',
  smallOverBus: true,
  access: 'orders.read',
  path: `${ORDERS_PATH}/{orderId}/history`,
  query: CursorOnlyQuery,
  reply: OrderHistoryResponse,
});
