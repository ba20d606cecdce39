import { Int, Money, Nested, OneOf, QueryText, Text, Timestamp } from '../calls/fields';
import { consoleOperation } from '../calls/operation';
import { CursorOnlyQuery, MAX_PAGE_SIZE } from '../calls/paging';
import { Described } from '../calls/schema';
import { ORDER_STATUSES, type OrderStatus } from '../orders/orders';
import {
  ORDER_REQUEST_STATUSES,
  type OrderRequestStatus,
  REQUEST_REASONS,
  type RequestReason,
} from '../requests/order-requests';
import { REQUEST_DOCUMENT_KINDS, type RequestDocumentKind } from '../requests/request-documents';
import { Remark } from '../requests/remark';

/** Everything about one person, newest first: requests, what they became, orders, and the notes of staff. */

export class CustomerQuery extends CursorOnlyQuery {
  @QueryText({ optional: true, description: 'A request of the person' }) request_id?: string;
  @QueryText({ optional: true, description: 'Or an order of the person' }) order_id?: string;
}

export class CustomerAddress {
  @Text({ nullable: true }) street!: string | null;
  @Text({ nullable: true }) postal_code!: string | null;
  @Text({ nullable: true }) city!: string | null;
  @Text({ nullable: true }) phone!: string | null;
}

export class CustomerDocument {
  @Int({ minimum: 1 }) number!: number;
  @OneOf(REQUEST_DOCUMENT_KINDS) kind!: RequestDocumentKind;
  @Text({ nullable: true }) name!: string | null;
}

export class CustomerRequest {
  @OneOf(ORDER_REQUEST_STATUSES) status!: OrderRequestStatus;
  @OneOf(REQUEST_REASONS, { nullable: true }) reason!: RequestReason | null;
  @Timestamp({ nullable: true, description: 'Null while it is undecided' }) decided_at!: string | null;
  @Text({ nullable: true, description: 'Order it became' }) order_id!: string | null;
  @Text({ nullable: true, description: 'Name of who prescribed' }) prescriber!: string | null;
  @Text({ maxLength: 10_000, listOf: { maxItems: 100 }, description: 'To the partner, oldest first' })
  messages!: string[];
  @Nested(() => Remark, { list: { maxItems: 10_000 } }) remarks!: Remark[];
  @Nested(() => CustomerDocument, { list: { maxItems: 100 } }) documents!: CustomerDocument[];
}

export class CustomerOrder {
  @OneOf(ORDER_STATUSES) status!: OrderStatus;
  @Text({ nullable: true }) order_number!: string | null;
  @Text() external_id!: string;
}

@Described('A request or an order: the other one is null')
export class CustomerRecord {
  @Text() id!: string;
  @Timestamp() created_at!: string;
  @Text({ nullable: true, description: 'As in this record: an address may be shared' })
  customer_name!: string | null;
  @Text({ maxLength: 500, description: 'The lines in one text' }) lines_text!: string;
  @Money() total_amount!: number;
  @Text({ maxLength: 10_000, listOf: { maxItems: 100 }, description: 'Of staff' }) notes!: string[];
  @Nested(() => CustomerAddress) address!: CustomerAddress;
  @Nested(() => CustomerRequest, { nullable: true }) request!: CustomerRequest | null;
  @Nested(() => CustomerOrder, { nullable: true }) order!: CustomerOrder | null;
}

/** Of names, numbers, addresses, remarks or notes. */
export const MAX_CUSTOMER_FACTS = 100;

const FACT_TEXTS = { maxLength: 10_000, listOf: { maxItems: MAX_CUSTOMER_FACTS } };

@Described('How many facts of a kind are left out, because there are too many')
export class CustomerFactsLeftOut {
  @Int() names!: number;
  @Int() phones!: number;
  @Int() addresses!: number;
  @Int() remarks!: number;
  @Int() notes!: number;
}

@Described('What all records of the person say, each of it once, as in the newest record that says it')
export class CustomerFacts {
  @Text(FACT_TEXTS) names!: string[];
  @Text(FACT_TEXTS) phones!: string[];
  @Text({ ...FACT_TEXTS, description: 'Each in one line' }) addresses!: string[];
  @Nested(() => Remark, {
    list: { maxItems: MAX_CUSTOMER_FACTS },
    description: 'Allergies and intolerances first',
  })
  remarks!: Remark[];
  @Text({ ...FACT_TEXTS, description: 'Of staff' }) notes!: string[];
  @Nested(() => CustomerFactsLeftOut) left_out!: CustomerFactsLeftOut;
  @Int({ description: 'Oldest records that were not read for these facts' }) unread!: number;
}

export class CustomerResponse {
  @Text({ nullable: true }) customer_name!: string | null;
  @Text({ nullable: true, description: 'By which the records were found; null: by the name of requests' })
  customer_email!: string | null;
  @Int({ nullable: true, description: 'All requests; null without the scope order_requests.read' })
  requests!: number | null;
  @Int({ nullable: true, description: 'Of them rejected' }) rejected!: number | null;
  @Int({ description: 'All orders' }) orders!: number;
  @Nested(() => CustomerFacts, { nullable: true, description: 'With the first page; then null' })
  facts!: CustomerFacts | null;
  @Nested(() => CustomerRecord, {
    list: { maxItems: MAX_PAGE_SIZE },
    description: 'Newest first; only orders without the scope order_requests.read',
  })
  data!: CustomerRecord[];
  @Text({ nullable: true, maxLength: 2000 }) next_cursor!: string | null;
}

export const getCustomer = consoleOperation({
  name: 'customers.get',
  summary: 'Read requests, orders and notes of the person of a request or an order',
  refuses: ['not_found'],
  service: 'order-core',
  access: 'orders.read',
  method: 'GET',
  via: 'http',
  smallOverBus: true,
  path: '/api/v2/public/orgs/{orgId}/customer',
  query: CustomerQuery,
  reply: CustomerResponse,
});
