import {
  Email,
  Flag,
  FreeObject,
  MAX_TEXT_LENGTH,
  Money,
  Nested,
  OneOf,
  Quantity,
  QueryText,
  Text,
  Timestamp,
  UseInstead,
} from './fields';
import { operation } from './operation';
import {
  MAX_ORDER_ITEMS,
  ORDER_STATUSES,
  OrderDetail,
  SHIPPING_OPTIONS,
  UpsertItem,
  type OrderStatus,
  type ShippingOption,
} from './orders';
import { OffsetPagination, OffsetQuery } from './paging';

/** Order requests: handed in over a shop's connector (or directly), reviewed by a pharmacist. Lines say `quantity`. */

export const ORDER_REQUEST_STATUSES = [
  'pending',
  'approved',
  'rejected',
  'needs_clarification',
  'expired',
] as const;
export type OrderRequestStatus = (typeof ORDER_REQUEST_STATUSES)[number];

/** What a partner may say of a payment; refunds and failures are found out later, on the order. */
export const REQUEST_PAYMENT_STATUSES = ['cash_on_pickup', 'paid', 'pending'] as const;
export type RequestPaymentStatus = (typeof REQUEST_PAYMENT_STATUSES)[number];

export const REJECTION_REASONS = [
  'prescription_missing',
  'prescription_unsigned',
  'prescription_invalid',
  'prescription_already_used',
  'out_of_stock',
  'customer_data_incomplete',
  'suspected_misuse',
  'price_mismatch',
  'other',
] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** 10 MiB decoded. Source: decisions.md section 1. */
export const MAX_PDF_BYTES = 10 * 1024 * 1024;
const MAX_PDF_BASE64_LENGTH = Math.ceil(MAX_PDF_BYTES / 3) * 4 + 64;

/** One line of an order request. At least one of `name`, `p1_id`, `product_id`. */
export class OrderRequestItem {
  @Text({ optional: true, nullable: true }) name?: string | null;
  @Quantity() quantity!: number;
  @Money({ description: 'Unit price' }) price!: number;
  @Text({ optional: true, nullable: true }) p1_id?: string | null;
  @Text({ optional: true, nullable: true, description: 'Alias for the product id' }) product_id?:
    string | null;
  @UseInstead('quantity') qty?: never;
}

/** Customer, items and optional prescription. Further keys are kept, encrypted, with the request. */
export class OrderRequestPayload {
  @Text({ optional: true, nullable: true, description: 'Full name; this or customer_email is required' })
  customer_name?: string | null;
  @Email({ optional: true, nullable: true }) customer_email?: string | null;
  @Text({ optional: true, nullable: true }) customer_id?: string | null;
  @Text({ optional: true, nullable: true }) address_street?: string | null;
  @Text({ optional: true, nullable: true }) address_city?: string | null;
  @Text({ optional: true, nullable: true }) address_postal_code?: string | null;
  @Text({ optional: true, nullable: true }) address_phone?: string | null;
  @OneOf(SHIPPING_OPTIONS, { optional: true, nullable: true }) shipping_option?: ShippingOption | null;
  @Flag({ optional: true, description: 'Default true' }) cash_on_pickup?: boolean;
  @OneOf(REQUEST_PAYMENT_STATUSES, { optional: true }) payment_status?: RequestPaymentStatus;
  @Text({ optional: true, nullable: true }) payment_reference?: string | null;
  @Money({ optional: true }) total_amount?: number;
  @Text({
    optional: true,
    nullable: true,
    maxLength: MAX_PDF_BASE64_LENGTH,
    description: 'Base64-encoded PDF',
  })
  prescription_pdf_base64?: string | null;
  @Text({ optional: true, nullable: true, maxLength: 2048, description: 'HTTPS URL to a PDF' })
  prescription_pdf_url?: string | null;
  @Nested(() => OrderRequestItem, { list: { maxItems: MAX_ORDER_ITEMS }, optional: true })
  items?: OrderRequestItem[];
  @Text({ optional: true, description: 'Required in the direct form; on a shop domain left out' })
  shop_id?: string;
  @Text({ optional: true, description: 'Left out on a shop domain' }) org_id?: string;
}

export class OrderRequestEnvelope {
  @Text({
    optional: true,
    nullable: true,
    minLength: 1,
    description: "Caller's trace or idempotency reference",
  })
  external_reference?: string | null;
  @Text({ optional: true, nullable: true, minLength: 1, description: 'Platform; default shop:<shop_id>' })
  source?: string | null;
  /** Checked against OrderRequestPayload by the handler, because its further keys are kept. */
  @FreeObject({ payloadOf: () => OrderRequestPayload }) payload!: Record<string, unknown>;
}

export class OrderRequestReceipt {
  @Text({ format: 'uuid' }) id!: string;
  @OneOf(ORDER_REQUEST_STATUSES) status!: OrderRequestStatus;
  @Text() message!: string;
  @Text({ nullable: true }) external_reference!: string | null;
}

/** What the partner may read back of its own request. */
export class OrderRequestProgress extends OrderRequestReceipt {
  @OneOf(ORDER_STATUSES, { nullable: true }) order_status!: OrderStatus | null;
  @OneOf(REJECTION_REASONS, { nullable: true }) reason!: RejectionReason | null;
  @Text({ nullable: true, maxLength: 10_000 }) question!: string | null;
  @Timestamp() updated_at!: string;
}

export class OrderRequestDocument {
  @Text({ description: 'stored, waiting (to be fetched) or failed' }) state!: string;
  @Text({ nullable: true }) pdf_sha256!: string | null;
  @Text({ nullable: true, maxLength: 2048 }) url!: string | null;
  @Text({ nullable: true, description: 'Why the fetch failed' }) failure!: string | null;
}

export class OrderRequestSummary {
  @Text({ format: 'uuid' }) id!: string;
  @OneOf(ORDER_REQUEST_STATUSES) status!: OrderRequestStatus;
  @Text() shop_id!: string;
  @Text() source!: string;
  @Text({ nullable: true }) external_reference!: string | null;
  @Text({ nullable: true }) customer_name!: string | null;
  @Money() total_amount!: number;
  @Text({ nullable: true, description: 'Order it became' }) order_id!: string | null;
  @Timestamp() created_at!: string;
  @Timestamp() updated_at!: string;
}

export class OrderRequestDetail extends OrderRequestSummary {
  @FreeObject({ description: 'The payload as it was handed in, without the document' })
  payload!: Record<string, unknown>;
  @Nested(() => OrderRequestDocument, { nullable: true }) prescription!: OrderRequestDocument | null;
  @OneOf(REJECTION_REASONS, { nullable: true }) reason!: RejectionReason | null;
  @Text({ nullable: true, maxLength: 10_000, description: 'For staff only' }) note!: string | null;
}

export class OrderRequestListQuery extends OffsetQuery {
  @OneOf(ORDER_REQUEST_STATUSES, { optional: true }) status?: OrderRequestStatus;
  @QueryText({ optional: true }) shop_id?: string;
  @QueryText({ optional: true }) source?: string;
  @QueryText({ optional: true }) external_reference?: string;
}

export class OrderRequestListReply {
  @Nested(() => OrderRequestSummary, { list: { maxItems: 200 } }) data!: OrderRequestSummary[];
  @Nested(() => OffsetPagination) pagination!: OffsetPagination;
}

/** Fields that staff correct while approving; left out, the partner's own value stands. */
export class ApproveBody {
  @Text({ optional: true }) customer_name?: string;
  @Email({ optional: true }) customer_email?: string;
  @Money({ optional: true }) total_amount?: number;
  @OneOf(SHIPPING_OPTIONS, { optional: true }) shipping_option?: ShippingOption;
  @Nested(() => UpsertItem, { list: { minItems: 1, maxItems: MAX_ORDER_ITEMS }, optional: true })
  items?: UpsertItem[];
}

export class ApproveReply {
  @Text({ format: 'uuid' }) id!: string;
  @OneOf(ORDER_REQUEST_STATUSES) status!: OrderRequestStatus;
  @Text({ format: 'uuid' }) order_id!: string;
  @Nested(() => OrderDetail) order!: OrderDetail;
}

export class RejectBody {
  @OneOf(REJECTION_REASONS) reason!: RejectionReason;
  @Text({ optional: true, maxLength: 10_000, description: 'For staff only' }) note?: string;
  @Text({ optional: true, maxLength: 10_000, description: 'For the partner; no health data' })
  message?: string;
}

export class ExternalReferenceQuery {
  @QueryText({ maxLength: MAX_TEXT_LENGTH }) external_reference!: string;
}

const PATH = '/api/v2/public/orgs/{orgId}/order-requests';
const CONNECTOR_PATH = '/api/v1/external-order';

export const submitExternalOrder = operation({
  name: 'order-requests.submit-external',
  summary: 'Hand in an order request on a shop domain',
  service: 'order-core',
  via: 'http',
  access: 'connector',
  method: 'POST',
  path: CONNECTOR_PATH,
  body: OrderRequestEnvelope,
  reply: OrderRequestReceipt,
});

export const readExternalOrder = operation({
  name: 'order-requests.read-external',
  summary: 'Read back an order request by id',
  service: 'order-core',
  via: 'http',
  access: 'connector',
  method: 'GET',
  path: `${CONNECTOR_PATH}/{requestId}`,
  reply: OrderRequestProgress,
});

export const findExternalOrder = operation({
  name: 'order-requests.find-external',
  summary: 'Read back an order request by the reference it was sent with',
  service: 'order-core',
  via: 'http',
  access: 'connector',
  method: 'GET',
  path: CONNECTOR_PATH,
  query: ExternalReferenceQuery,
  reply: OrderRequestProgress,
});

export const submitOrderRequest = operation({
  name: 'order-requests.submit',
  summary: 'Hand in an order request directly, with payload.shop_id',
  service: 'order-core',
  via: 'http',
  access: 'order_requests.write',
  method: 'POST',
  path: PATH,
  body: OrderRequestEnvelope,
  reply: OrderRequestReceipt,
});

export const listOrderRequests = operation({
  name: 'order-requests.list',
  summary: 'List order requests, newest first',
  service: 'order-core',
  access: 'order_requests.read',
  method: 'GET',
  path: PATH,
  query: OrderRequestListQuery,
  reply: OrderRequestListReply,
});

export const getOrderRequest = operation({
  name: 'order-requests.get',
  summary: 'Read an order request',
  service: 'order-core',
  access: 'order_requests.read',
  method: 'GET',
  path: `${PATH}/{requestId}`,
  reply: OrderRequestDetail,
});

export const getPrescriptionPdf = operation({
  name: 'order-requests.prescription',
  summary: 'Read the prescription of an order request',
  service: 'order-core',
  via: 'http',
  access: 'order_requests.read',
  method: 'GET',
  path: `${PATH}/{requestId}/prescription.pdf`,
  reply: 'application/pdf',
});

export const approveOrderRequest = operation({
  name: 'order-requests.approve',
  summary: 'Approve an order request: it becomes an order and takes the stock',
  service: 'order-core',
  access: 'order_requests.review',
  method: 'POST',
  path: `${PATH}/{requestId}/approve`,
  body: ApproveBody,
  reply: ApproveReply,
});

export const rejectOrderRequest = operation({
  name: 'order-requests.reject',
  summary: 'Reject an order request',
  service: 'order-core',
  access: 'order_requests.review',
  method: 'POST',
  path: `${PATH}/{requestId}/reject`,
  body: RejectBody,
  reply: OrderRequestDetail,
});
