import {
  Email,
  FreeObject,
  Int,
  Money,
  Nested,
  OneOf,
  QueryInteger,
  QueryText,
  Text,
  Timestamp,
} from '../calls/fields';
import { FirstApproveResponse } from './first-approval';
import { type Metadata, MetadataField } from '../calls/metadata';
import { MAX_BODY_BYTES, operation } from '../calls/operation';
import {
  ORDER_REQUEST_STATUSES,
  ORDER_REQUESTS_PATH,
  type OrderRequestStatus,
  REJECTION_REASONS,
  type RejectionReason,
  REQUEST_REASONS,
  type RequestReason,
} from './order-requests';
import {
  ANSWER_FIELD,
  OFFER_FIELD,
  REQUEST_ORDER_FIELD,
  RequestApproval,
  RequestOffer,
  RequestOrder,
} from './partner-answer';
import { MAX_REQUEST_DOCUMENTS, RequestDocument } from './request-documents';
import {
  MAX_ORDER_ITEMS,
  OrderDetail,
  SHIPPING_OPTIONS,
  type ShippingOption,
  UpsertItem,
} from '../orders/orders';
import {
  CursorOnlyPagination,
  CursorOnlyQuery,
  OffsetPagination,
  DeltaQuery,
  MAX_PAGE_SIZE,
} from '../calls/paging';
import { PrescriptionChecks } from './prescription-checks';
import { Described } from '../calls/schema';
import { TestMark } from '../calls/test-mark';

/** Order requests as pharmacy staff sees them, and the decisions on them. Submission is in order-requests.ts. */

export const MAX_OVERRIDES = 20;

@Described('A document that came as a URL is fetched in the background: waiting, then stored or failed.')
export class OrderRequestDocument extends RequestDocument {
  @Text({
    nullable: true,
    maxLength: 2048,
    description: 'The HTTPS URL that the partner gave; null where it sent the PDF itself',
  })
  url!: string | null;
  @Text({ nullable: true, maxLength: 1000, description: 'Why the fetch failed' }) failure!: string | null;
  @Int({ description: 'Number of fetch attempts' }) fetch_attempts!: number;
  @Int({ minimum: 1, description: 'The version of the request that it came with' }) version!: number;
}

@Described('An order request, as a list shows it')
export class OrderRequestSummary {
  @Text({ format: 'uuid', description: 'Id of the order request' }) id!: string;
  @OneOf(ORDER_REQUEST_STATUSES, {
    description:
      'State of the request. pending: waits for a decision; needs_clarification: waits for an answer of the partner',
  })
  status!: OrderRequestStatus;
  @Text() shop_id!: string;
  @Text() source!: string;
  @Text({
    nullable: true,
    format: 'uuid',
    description:
      'Integration that handed the request in, by the id of its first key; null where the organization did',
  })
  integration_id!: string | null;
  @Text({ nullable: true, description: 'Name of that integration' }) integration!: string | null;
  @Text({ nullable: true }) external_reference!: string | null;
  @Text({ nullable: true }) customer_name!: string | null;
  @Money() total_amount!: number;
  @Text({ nullable: true, description: 'Order it became' }) order_id!: string | null;
  @Timestamp({ description: 'When the request was handed in, in UTC' }) created_at!: string;
  @Timestamp() updated_at!: string;
  @TestMark() test?: boolean;
}

@Described('One version of a request: its sender replaces it, or answers a question')
export class OrderRequestVersion {
  @Int({ minimum: 1, description: 'Number of the version, from 1' }) number!: number;
  @Timestamp({ description: 'When the version was handed in, in UTC' }) created_at!: string;
  @FreeObject({ description: 'The payload of this version, without the document' })
  payload!: Record<string, unknown>;
  @Text({ nullable: true, maxLength: 10_000, description: 'The question to the partner about this version' })
  question!: string | null;
  @Nested(() => OrderRequestDocument, {
    nullable: true,
    description: 'The prescription that came with this version; null when none did',
  })
  prescription!: OrderRequestDocument | null;
}

@Described('The fields that staff changed while approving, both ways. Items are shown as an order has them.')
export class OrderRequestCorrections {
  @FreeObject({ description: 'Values that the partner sent' }) sent!: Record<string, unknown>;
  @FreeObject({ description: 'Values that staff approved' }) approved!: Record<string, unknown>;
}

@Described('A whole order request, for staff')
export class OrderRequestDetail extends OrderRequestSummary {
  @Timestamp({
    nullable: true,
    description:
      'When an erasure emptied the request; it takes no text about a person, and no answer to a question, since. Null for every other',
  })
  erased_at!: string | null;
  @FreeObject({ description: 'The payload as it was handed in, without the document' })
  payload!: Record<string, unknown>;
  @MetadataField() metadata!: Metadata;
  @Nested(() => OrderRequestDocument, { nullable: true, description: 'The newest prescription' })
  prescription!: OrderRequestDocument | null;
  @Nested(() => OrderRequestDocument, {
    list: { maxItems: MAX_REQUEST_DOCUMENTS },
    description: 'Present documents of every kind, by number',
  })
  documents!: OrderRequestDocument[];
  @Nested(() => PrescriptionChecks) checks!: PrescriptionChecks;
  @Int({ minimum: 1, description: 'Number of the present version' }) version!: number;
  @Nested(() => OrderRequestVersion, {
    list: { maxItems: MAX_PAGE_SIZE },
    description:
      'Every version that the partner sent, the present one last: the newest ones, or those before the cursor',
  })
  versions!: OrderRequestVersion[];
  @Nested(() => CursorOnlyPagination, {
    description: 'Of `versions`: limit and cursor of the query; next_cursor leads to the versions before',
  })
  versions_pagination!: CursorOnlyPagination;
  @Text({ nullable: true, maxLength: 10_000, description: 'Open question to the partner' })
  question!: string | null;
  @Nested(() => RequestOffer, OFFER_FIELD) offer!: RequestOffer | null;
  @Nested(() => OrderRequestCorrections, { nullable: true }) corrections!: OrderRequestCorrections | null;
  @Nested(() => RequestApproval, ANSWER_FIELD) answer!: RequestApproval | null;
  @Nested(() => RequestOrder, REQUEST_ORDER_FIELD) order!: RequestOrder | null;
  @OneOf(REQUEST_REASONS, { nullable: true }) reason!: RequestReason | null;
  @Text({
    nullable: true,
    maxLength: 10_000,
    description: 'For staff only; of a withdrawn request the message of its sender',
  })
  note!: string | null;
}

export class OrderRequestListQuery extends DeltaQuery {
  @OneOf(ORDER_REQUEST_STATUSES, { optional: true, description: 'Only requests in this state' })
  status?: OrderRequestStatus;
  @QueryText({ optional: true, description: 'Only requests to this shop' }) shop_id?: string;
  @QueryText({ optional: true, description: 'Only requests of this platform, exactly' }) source?: string;
  @QueryText({
    optional: true,
    description: 'Only the requests with exactly this reference, one per source and shop',
  })
  external_reference?: string;
}

@Described('A page of order requests')
export class OrderRequestListResponse {
  @Nested(() => OrderRequestSummary, { list: { maxItems: 200 } }) data!: OrderRequestSummary[];
  @Nested(() => OffsetPagination) pagination!: OffsetPagination;
}

export class PrescriptionQuery {
  @QueryInteger({ minimum: 1, maximum: 1_000_000, description: 'The version to read; default the newest' })
  version?: number;
}

/** A decision is about what was seen, so it can name that. */
class Reviewed {
  @Int({ optional: true, minimum: 1, description: 'The reviewed version; 409 when there is a newer one' })
  version?: number;
}

@Described(
  "Fields that staff correct while approving. An omitted field keeps the partner's value; null clears it.",
)
export class ApproveBody extends Reviewed {
  @Text({ optional: true, description: 'Full name of the customer' }) customer_name?: string;
  @Email({ optional: true, description: 'E-mail address of the customer' }) customer_email?: string;
  @Text({
    optional: true,
    nullable: true,
    description: 'Stored with the corrections; an order has no such field',
  })
  customer_id?: string | null;
  @Text({ optional: true, nullable: true, description: 'Street and house number' }) address_street?:
    string | null;
  @Text({ optional: true, nullable: true, description: 'Town' }) address_city?: string | null;
  @Text({ optional: true, nullable: true, description: 'Postal code, as text: it may begin with 0' })
  address_postal_code?: string | null;
  @Text({ optional: true, nullable: true, description: 'Telephone number' }) address_phone?: string | null;
  @Money({
    optional: true,
    description: "Total in EUR. Left out: the partner's, or with `items` the sum of the corrected lines",
  })
  total_amount?: number;
  @OneOf(SHIPPING_OPTIONS, { optional: true, nullable: true }) shipping_option?: ShippingOption | null;
  @Nested(() => UpsertItem, {
    list: { minItems: 1, maxItems: MAX_ORDER_ITEMS },
    optional: true,
    description: 'The lines of the order, which replace all lines of the partner. Lines say qty here',
  })
  items?: UpsertItem[];
  @Text({
    optional: true,
    maxLength: 100,
    listOf: { maxItems: MAX_OVERRIDES },
    description: 'Checks that were overridden; kept with the decision, and their number in the audit log',
  })
  acknowledged?: string[];
  @Text({ optional: true, maxLength: 1000, description: 'Why; for staff only' }) reason?: string;
  @Timestamp({
    optional: true,
    nullable: true,
    description:
      'Time of the first approval that was seen, null for none; 409 when the present one is another',
  })
  first_approval_at?: string | null;
}

@Described('The decision, and the order that the request became')
export class ApproveResponse {
  @Text({ format: 'uuid', description: 'Id of the order request' }) id!: string;
  @OneOf(ORDER_REQUEST_STATUSES, { description: 'State of the request: approved' })
  status!: OrderRequestStatus;
  @Text({ format: 'uuid', description: 'Id of the order' }) order_id!: string;
  @Nested(() => OrderDetail, { description: 'The order as it was created' }) order!: OrderDetail;
}

@Described('Why the request is rejected')
export class RejectBody extends Reviewed {
  @OneOf(REJECTION_REASONS, { description: 'Why the request is rejected; the partner may read it' })
  reason!: RejectionReason;
  @Text({ optional: true, maxLength: 10_000, description: 'For staff only' }) note?: string;
  @Text({ optional: true, maxLength: 10_000, description: 'For the partner; no health data' })
  message?: string;
}

@Described('A question to the partner')
export class ClarificationBody extends Reviewed {
  @Text({ minLength: 1, maxLength: 10_000, description: 'Shown to the partner' }) question!: string;
}

const PATH = `${ORDER_REQUESTS_PATH}/{requestId}` as const;
/** Over HTTP, because a payload may exceed a bus message. */
export const withDetail = {
  service: 'order-core',
  via: 'http',
  maxBodyBytes: MAX_BODY_BYTES,
  reply: OrderRequestDetail,
} as const;

export const listOrderRequests = operation({
  name: 'order-requests.list',
  summary: 'List order requests, newest first',
  refuses: ['not_found'],
  access: 'order_requests.read',
  path: ORDER_REQUESTS_PATH,
  query: OrderRequestListQuery,
  narrow: 'Name a status or a shop, or page by cursor.',
  reply: OrderRequestListResponse,
});

export const getOrderRequest = operation({
  ...withDetail,
  smallOverBus: true,
  name: 'order-requests.get',
  summary: 'Read an order request, with the checks of its prescription',
  access: 'order_requests.read',
  path: PATH,
  query: CursorOnlyQuery,
});

export const getPrescriptionPdf = operation({
  name: 'order-requests.prescription',
  summary: 'Read the prescription of an order request',
  via: 'http',
  access: 'order_requests.read',
  path: `${PATH}/prescription.pdf`,
  query: PrescriptionQuery,
  reply: 'application/pdf',
});

export const getOrderRequestDocument = operation({
  name: 'order-requests.document',
  summary: 'Read a document of an order request',
  via: 'http',
  access: 'order_requests.read',
  path: `${PATH}/documents/{number}.pdf`,
  reply: 'application/pdf',
});

export const approveOrderRequest = operation({
  name: 'order-requests.approve',
  summary: 'Approve an order request: it becomes an order and takes the stock',
  refuses: ['invalid_transition', 'already_decided', 'out_of_stock', 'conflict'],
  access: 'order_requests.review',
  method: 'POST',
  path: `${PATH}/approve`,
  body: ApproveBody,
  reply: ApproveResponse,
  waitingReply: FirstApproveResponse,
});

export const rejectOrderRequest = operation({
  ...withDetail,
  name: 'order-requests.reject',
  summary: 'Reject an order request',
  refuses: ['already_decided', 'conflict'],
  access: 'order_requests.review',
  method: 'POST',
  path: `${PATH}/reject`,
  body: RejectBody,
});

export const requestClarification = operation({
  ...withDetail,
  name: 'order-requests.request-clarification',
  summary: 'Ask the partner; it answers by sending the same external_reference with the completed payload',
  refuses: ['already_decided', 'conflict'],
  access: 'order_requests.review',
  method: 'POST',
  path: `${PATH}/request-clarification`,
  body: ClarificationBody,
});

export const withdrawClarification = operation({
  ...withDetail,
  name: 'order-requests.withdraw-clarification',
  summary: 'Take the question or the offer back',
  refuses: ['already_decided'],
  access: 'order_requests.review',
  method: 'POST',
  path: `${PATH}/withdraw-clarification`,
});

export const retryPrescriptionFetch = operation({
  ...withDetail,
  name: 'order-requests.retry-fetch',
  summary: 'Fetch a prescription again whose fetch failed',
  refuses: ['conflict'],
  access: 'order_requests.review',
  method: 'POST',
  path: `${PATH}/retry-fetch`,
});
