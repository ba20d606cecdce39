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
} from './fields';
import { FirstApproveResponse } from './first-approval';
import { type Metadata, MetadataField } from './metadata';
import { MAX_BODY_BYTES, operation } from './operation';
import {
  ORDER_REQUEST_STATUSES,
  ORDER_REQUESTS_PATH,
  type OrderRequestStatus,
  REJECTION_REASONS,
  type RejectionReason,
} from './order-requests';
import { MAX_ORDER_ITEMS, OrderDetail, SHIPPING_OPTIONS, type ShippingOption, UpsertItem } from './orders';
import { CursorOnlyPagination, CursorOnlyQuery, OffsetPagination, DeltaQuery, MAX_PAGE_SIZE } from './paging';
import { PrescriptionChecks } from './prescription-checks';
import { Described } from './schema';

/** Order requests as pharmacy staff sees them, and the decisions on them. Submission is in order-requests.ts. */

export const DOCUMENT_STATES = ['stored', 'waiting', 'failed'] as const;
export type DocumentState = (typeof DOCUMENT_STATES)[number];

export const MAX_OVERRIDES = 20;

@Described('A prescription that came as a URL is fetched in the background: waiting, then stored or failed.')
export class OrderRequestDocument {
  @OneOf(DOCUMENT_STATES) state!: DocumentState;
  @Text({ nullable: true }) pdf_sha256!: string | null;
  @Text({ nullable: true, maxLength: 2048 }) url!: string | null;
  @Text({ nullable: true, maxLength: 1000, description: 'Why the fetch failed' }) failure!: string | null;
  @Int({ description: 'Number of fetch attempts' }) fetch_attempts!: number;
  @Int({ minimum: 1, description: 'The version of the request that it came with' }) version!: number;
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

export class OrderRequestVersion {
  @Int({ minimum: 1 }) number!: number;
  @Timestamp() created_at!: string;
  @FreeObject({ description: 'The payload of this version, without the document' })
  payload!: Record<string, unknown>;
  @Text({ nullable: true, maxLength: 10_000, description: 'The question to the partner about this version' })
  question!: string | null;
  @Nested(() => OrderRequestDocument, { nullable: true }) prescription!: OrderRequestDocument | null;
}

@Described('The fields that staff changed while approving, both ways. Items are shown as an order has them.')
export class OrderRequestCorrections {
  @FreeObject({ description: 'Values that the partner sent' }) sent!: Record<string, unknown>;
  @FreeObject({ description: 'Values that staff approved' }) approved!: Record<string, unknown>;
}

export class OrderRequestDetail extends OrderRequestSummary {
  @FreeObject({ description: 'The payload as it was handed in, without the document' })
  payload!: Record<string, unknown>;
  @MetadataField() metadata!: Metadata;
  @Nested(() => OrderRequestDocument, { nullable: true }) prescription!: OrderRequestDocument | null;
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
  @Nested(() => OrderRequestCorrections, { nullable: true }) corrections!: OrderRequestCorrections | null;
  @OneOf(REJECTION_REASONS, { nullable: true }) reason!: RejectionReason | null;
  @Text({ nullable: true, maxLength: 10_000, description: 'For staff only' }) note!: string | null;
}

export class OrderRequestListQuery extends DeltaQuery {
  @OneOf(ORDER_REQUEST_STATUSES, { optional: true }) status?: OrderRequestStatus;
  @QueryText({ optional: true }) shop_id?: string;
  @QueryText({ optional: true }) source?: string;
  @QueryText({ optional: true }) external_reference?: string;
}

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
  @Text({ optional: true }) customer_name?: string;
  @Email({ optional: true }) customer_email?: string;
  @Text({
    optional: true,
    nullable: true,
    description: 'Stored with the corrections; an order has no such field',
  })
  customer_id?: string | null;
  @Text({ optional: true, nullable: true }) address_street?: string | null;
  @Text({ optional: true, nullable: true }) address_city?: string | null;
  @Text({ optional: true, nullable: true }) address_postal_code?: string | null;
  @Text({ optional: true, nullable: true }) address_phone?: string | null;
  @Money({ optional: true }) total_amount?: number;
  @OneOf(SHIPPING_OPTIONS, { optional: true, nullable: true }) shipping_option?: ShippingOption | null;
  @Nested(() => UpsertItem, { list: { minItems: 1, maxItems: MAX_ORDER_ITEMS }, optional: true })
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

export class ApproveResponse {
  @Text({ format: 'uuid' }) id!: string;
  @OneOf(ORDER_REQUEST_STATUSES) status!: OrderRequestStatus;
  @Text({ format: 'uuid' }) order_id!: string;
  @Nested(() => OrderDetail) order!: OrderDetail;
}

export class RejectBody extends Reviewed {
  @OneOf(REJECTION_REASONS) reason!: RejectionReason;
  @Text({ optional: true, maxLength: 10_000, description: 'For staff only' }) note?: string;
  @Text({ optional: true, maxLength: 10_000, description: 'For the partner; no health data' })
  message?: string;
}

export class ClarificationBody extends Reviewed {
  @Text({ minLength: 1, maxLength: 10_000, description: 'Shown to the partner' }) question!: string;
}

const PATH = `${ORDER_REQUESTS_PATH}/{requestId}` as const;
/** Over HTTP, because a payload may exceed a bus message. */
const withDetail = {
  service: 'order-core',
  via: 'http',
  maxBodyBytes: MAX_BODY_BYTES,
  reply: OrderRequestDetail,
} as const;

export const listOrderRequests = operation({
  name: 'order-requests.list',
  summary: 'List order requests, newest first',
  refuses: ['not_found'],
  service: 'order-core',
  access: 'order_requests.read',
  method: 'GET',
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
  method: 'GET',
  path: PATH,
  query: CursorOnlyQuery,
});

export const getPrescriptionPdf = operation({
  name: 'order-requests.prescription',
  summary: 'Read the prescription of an order request',
  service: 'order-core',
  via: 'http',
  access: 'order_requests.read',
  method: 'GET',
  path: `${PATH}/prescription.pdf`,
  query: PrescriptionQuery,
  reply: 'application/pdf',
});

export const approveOrderRequest = operation({
  name: 'order-requests.approve',
  summary: 'Approve an order request: it becomes an order and takes the stock',
  refuses: ['invalid_transition', 'already_decided', 'out_of_stock', 'conflict'],
  service: 'order-core',
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
  summary: 'Take the question back',
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
