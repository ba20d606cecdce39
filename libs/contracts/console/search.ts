import { Flag, Nested, OneOf, Text, Timestamp } from '../calls/fields';
import { consoleOperation } from '../calls/operation';
import { ORDER_REQUEST_STATUSES, type OrderRequestStatus } from '../requests/order-requests';
import { ORDER_STATUSES, type OrderStatus } from '../orders/orders';
import { MAX_FOUND_EACH, ReviewProduct } from '../requests/review-products';

/** Requests, orders and products by a few letters, for the palette of the console. */

export class SearchQuery {
  @Text({ minLength: 2, maxLength: 100, description: 'Words, as in the lists' }) q!: string;
}

export class FoundRequest {
  @Text() id!: string;
  @OneOf(ORDER_REQUEST_STATUSES) status!: OrderRequestStatus;
  @Text() shop_id!: string;
  @Text({ nullable: true }) customer_name!: string | null;
  @Text({ nullable: true }) external_reference!: string | null;
  @Timestamp() created_at!: string;
}

export class FoundOrder {
  @Text() id!: string;
  @OneOf(ORDER_STATUSES) status!: OrderStatus;
  @Text() shop_id!: string;
  @Text({ nullable: true }) customer_name!: string | null;
  @Text({ nullable: true }) order_number!: string | null;
  @Text() external_id!: string;
  @Timestamp() created_at!: string;
}

export class SearchResponse {
  @Nested(() => FoundRequest, {
    list: { maxItems: MAX_FOUND_EACH },
    description: 'The newest that the list finds',
  })
  requests!: FoundRequest[];

  @Nested(() => FoundOrder, {
    list: { maxItems: MAX_FOUND_EACH },
    description: 'The newest that the list finds, those with the whole words first',
  })
  orders!: FoundOrder[];

  @Nested(() => ReviewProduct, {
    list: { maxItems: MAX_FOUND_EACH },
    description: 'Part of the name or of the id in the inventory, by name',
  })
  products!: ReviewProduct[];

  @Flag({ description: 'False when catalog did not answer: products is then empty' })
  products_searched!: boolean;
}

export const searchAll = consoleOperation({
  name: 'search.all',
  summary: 'Find requests, orders and products; each kind as far as the role may read it',
  access: 'session',
  path: '/api/v2/public/orgs/{orgId}/search',
  query: SearchQuery,
  narrow: 'Give q more characters.',
  reply: SearchResponse,
});
