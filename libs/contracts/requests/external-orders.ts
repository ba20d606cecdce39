import { Nested, OneOf, QueryInteger, Timestamp } from '../calls/fields';
import { operation } from '../calls/operation';
import { CursorOnlyPagination, OnlyCursor } from '../calls/paging';
import { Described } from '../calls/schema';
import { ORDER_REQUEST_STATUSES, OrderRequestProgress, type OrderRequestStatus } from './order-requests';

/** The requests of one integration at a shop, as a list: what a nightly comparison reads. */

/** Each row is as long as one request that is read back. */
export const MAX_EXTERNAL_ORDERS = 50;

export class ExternalOrdersQuery {
  @Timestamp({
    optional: true,
    description:
      'Changed at this time or later. Ask from a minute before the last updated_at that you have. Left out: from the first',
  })
  updated_since?: string;
  @OneOf(ORDER_REQUEST_STATUSES, { optional: true, description: 'State of the requests; left out: all' })
  status?: OrderRequestStatus;
  @QueryInteger({ minimum: 1, maximum: MAX_EXTERNAL_ORDERS, description: 'Page size' })
  limit: number = MAX_EXTERNAL_ORDERS;
  @OnlyCursor() cursor?: string;
}

@Described('Requests of the integration, as read back, the oldest change of a request or its order first')
export class ExternalOrdersResponse {
  @Nested(() => OrderRequestProgress, {
    list: { maxItems: MAX_EXTERNAL_ORDERS },
    description: 'Fewer than limit where they are long',
  })
  data!: OrderRequestProgress[];
  @Nested(() => CursorOnlyPagination) pagination!: CursorOnlyPagination;
}

export const listExternalOrders = operation({
  name: 'order-requests.list-external',
  summary: 'List the own order requests, oldest change first',
  via: 'http',
  access: 'connector',
  path: '/api/v1/external-orders',
  query: ExternalOrdersQuery,
  reply: ExternalOrdersResponse,
});
