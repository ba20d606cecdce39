import { Int, Money, Nested, OneOf, QueryText, Text, Timestamp } from '../calls/fields';
import { consoleOperation } from '../calls/operation';
import { ORDER_STATUSES, type OrderStatus } from '../orders/orders';
import {
  ORDER_REQUEST_STATUSES,
  type OrderRequestStatus,
  REJECTION_REASONS,
  type RejectionReason,
} from '../requests/order-requests';

/** Everything about one person: requests, what they became, orders, and the notes of staff. */

export const MAX_RECORDS = 100;

export class CustomerQuery {
  @QueryText({ optional: true, description: 'A request of the person' }) request_id?: string;
  @QueryText({ optional: true, description: 'Or an order of the person' }) order_id?: string;
}

class CustomerRecord {
  @Text() id!: string;
  @Text() shop_id!: string;
  @Text({ maxLength: 500, description: 'The lines in one text' }) lines_text!: string;
  @Money() total_amount!: number;
  @Timestamp() created_at!: string;
  @Text({ maxLength: 10_000, listOf: { maxItems: 100 }, description: 'Of staff' }) notes!: string[];
}

export class CustomerRequest extends CustomerRecord {
  @OneOf(ORDER_REQUEST_STATUSES) status!: OrderRequestStatus;
  @OneOf(REJECTION_REASONS, { nullable: true }) reason!: RejectionReason | null;
  @Text({ nullable: true, description: 'Order it became' }) order_id!: string | null;
}

export class CustomerOrder extends CustomerRecord {
  @OneOf(ORDER_STATUSES) status!: OrderStatus;
  @Text({ nullable: true }) order_number!: string | null;
  @Text() external_id!: string;
}

export class CustomerResponse {
  @Text({ nullable: true }) customer_name!: string | null;
  @Text({ nullable: true, description: 'By which the records were found; null: by the name of requests' })
  customer_email!: string | null;
  @Nested(() => CustomerRequest, {
    list: { maxItems: MAX_RECORDS },
    description: 'Newest first; empty for who may not read requests',
  })
  requests!: CustomerRequest[];
  @Nested(() => CustomerOrder, { list: { maxItems: MAX_RECORDS }, description: 'Newest first' })
  orders!: CustomerOrder[];
  @Int({ description: 'Requests of the person that were rejected' }) rejected!: number;
}

export const getCustomer = consoleOperation({
  name: 'customers.get',
  summary: 'Read requests, orders and notes of the person of a request or an order',
  refuses: ['not_found'],
  service: 'order-core',
  access: 'orders.read',
  method: 'GET',
  path: '/api/v2/public/orgs/{orgId}/customer',
  query: CustomerQuery,
  reply: CustomerResponse,
});
