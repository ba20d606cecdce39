import {
  CalendarDate,
  Flag,
  Int,
  Money,
  Nested,
  OneOf,
  QueryInteger,
  QueryText,
  Ruled,
  Text,
  Timestamp,
} from '../calls/fields';
import { consoleOperation } from '../calls/operation';
import { FirstApproval } from './first-approval';
import {
  MAX_OVERRIDES,
  OrderRequestCorrections,
  OrderRequestDetail,
  OrderRequestSummary,
} from './order-request-review';
import { PrescriberCheck, PrescriberCheckBody, PrescriberCheckResponse } from './prescriber-check';
import { EPrescription } from './prescription-fields';
import { Remark } from './remark';
import { ReviewPlan, ReviewPlanBody } from './review-plan';
import { KEPT_MARKS, type KeptMark } from './review-settings';
import { ORDER_REQUEST_STATUSES, type OrderRequestStatus } from './order-requests';
import { MAX_ORDER_ITEMS, SHIPPING_OPTIONS, type ShippingOption } from '../orders/orders';
import {
  type CursorOnlyQuery,
  DEFAULT_PAGE_SIZE,
  MAX_PAGE_SIZE,
  OnlyCursor,
  PageSize,
} from '../calls/paging';
import { Described } from '../calls/schema';

/** What the review screen of the console reads and writes besides the operations of order requests. */

export const REVIEW_FLAGS = [
  'used_before',
  'duplicate',
  'signature_altered',
  'document_missing',
  'document_failed',
  'express',
  'new_version',
  'expires_soon',
  'due_again',
  'offer_open',
  'offer_accepted',
  'offer_declined',
  'offer_expired',
] as const;
export type ReviewFlag = (typeof REVIEW_FLAGS)[number];

export const REVIEW_TABS = ['open', 'second_look', 'parked', 'asked', 'decided'] as const;
export const REVIEW_OUTCOMES = ['approved', 'rejected', 'expired', 'cancelled'] as const;
export const REVIEW_SORTS = ['oldest', 'newest', 'expiring'] as const;

export class ReviewRow extends OrderRequestSummary {
  @Text({ maxLength: 500, description: 'The lines in one text, such as 15 × Bediol, 1 × Vaporizer' })
  lines_text!: string;
  @Int({ description: 'Number of lines' }) line_count!: number;
  @OneOf(REVIEW_FLAGS, { many: true }) flags!: ReviewFlag[];
  @OneOf(SHIPPING_OPTIONS, { nullable: true }) shipping_option!: ShippingOption | null;
  @Timestamp({ nullable: true, description: 'The request expires then; null once it is decided' })
  expires_at!: string | null;
  @Int({ minimum: 1 }) version!: number;
  @Nested(() => FirstApproval, {
    nullable: true,
    description: 'The first of two approvals, while the request waits for the second',
  })
  first_approval!: FirstApproval | null;
  @Nested(() => ReviewPlan) plan!: ReviewPlan;
  @Timestamp({ nullable: true, description: 'An erasure emptied the request then; null for every other' })
  erased_at!: string | null;
}

/** The filter `assigned`: `nobody`, or the id of a person. */
export const ASSIGNED = /^(?:nobody|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export class ReviewFilters {
  @OneOf(REVIEW_TABS, {
    optional: true,
    description:
      'Open: pending. Second look: approved once, waits for another person. Parked: put off. Asked: a question is open',
  })
  tab: (typeof REVIEW_TABS)[number] = 'open';
  @OneOf(ORDER_REQUEST_STATUSES, { optional: true, description: 'Narrows the tab' })
  status?: OrderRequestStatus;
  @QueryText({ optional: true }) shop_id?: string;
  @QueryText({ optional: true }) source?: string;
  @OneOf(REVIEW_FLAGS, { optional: true }) flag?: ReviewFlag;
  @Ruled(
    (text) => ASSIGNED.test(text),
    'must be nobody or the id of a person',
    { pattern: ASSIGNED.source },
    { optional: true },
  )
  assigned?: string;
  @QueryText({ optional: true, maxLength: 2_000, description: 'Only these UUIDs, with commas between them' })
  ids?: string;
  @QueryText({
    optional: true,
    description: 'Words of the name or of the lines, or part of the reference; accents do not count',
  })
  q?: string;
  @OneOf(REVIEW_SORTS, { optional: true }) sort: (typeof REVIEW_SORTS)[number] = 'oldest';
}

export class ReviewListQuery extends ReviewFilters implements CursorOnlyQuery {
  @PageSize() limit: number = DEFAULT_PAGE_SIZE;
  @OnlyCursor() cursor?: string;
}

export class ReviewListResponse {
  @Nested(() => ReviewRow, { list: { maxItems: MAX_PAGE_SIZE } }) data!: ReviewRow[];
  @Int({ description: 'Exact number of rows under these filters' }) total!: number;
  @Text({ nullable: true, maxLength: 2000 }) next_cursor!: string | null;
}

export class ReviewCountsQuery {
  @QueryText({ optional: true, description: 'Only requests of this shop' }) shop_id?: string;
  @QueryText({ optional: true, description: 'As in the list' }) q?: string;
}

export class ReviewCounts {
  @Int({ description: 'Requests that wait for a decision' }) open!: number;
  @Int({ description: 'Requests that one person has approved, and another must' }) second_look!: number;
  @Int({ description: 'Requests that are put off' }) parked!: number;
  @Timestamp({ nullable: true, description: 'The first of the parked ones is open again then' })
  due_at!: string | null;
  @Int({ description: 'Requests with an open question to the partner' }) asked!: number;
  @Int({ description: 'Approved, rejected, expired and withdrawn requests' }) decided!: number;
}

export class ReviewLine {
  @Text({ nullable: true }) name!: string | null;
  @Text({ nullable: true }) p1_id!: string | null;
  @Int({ minimum: 1 }) quantity!: number;
  @Money({ description: 'Unit price that the partner sent' }) price!: number;
  @Flag({ description: 'The product is in the inventory of the organization' }) in_inventory!: boolean;
  @Text({ nullable: true, description: 'Name in the inventory' }) product_name!: string | null;
  @Text({ nullable: true }) category!: string | null;
  @Text({ nullable: true, maxLength: 50, description: 'Per cent' }) thc!: string | null;
  @Text({ nullable: true, maxLength: 50, description: 'Per cent' }) cbd!: string | null;
  @Int({ nullable: true, description: 'Pieces that no order holds; null outside the inventory' }) available!:
    number | null;
  @Money({ nullable: true, description: "The organization's price, or the catalog's" })
  catalog_price!: number | null;
}

export class ReviewLastOrder {
  @Text() id!: string;
  @Timestamp() created_at!: string;
  @Text({ maxLength: 500, description: 'The lines in one text' }) lines_text!: string;
}

export class ReviewCustomer {
  @Int({ description: 'Earlier requests of the same e-mail address' }) requests!: number;
  @Int({ description: 'Orders of the same e-mail address' }) orders!: number;
  @Int({ description: 'Earlier requests that were rejected' }) rejected!: number;
  @Timestamp({ nullable: true, description: 'The newest earlier request' }) last_at!: string | null;
  @Nested(() => ReviewLastOrder, {
    nullable: true,
    description: 'The newest order that is not cancelled, without that of this request',
  })
  last_order!: ReviewLastOrder | null;
}

/** Which marks and which validity a document needs. */
export const DOCUMENT_KINDS = ['private', 'electronic', 'narcotic', 'other'] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

@Described('What another person has checked. It does not stand for the marks of the reader.')
export class ColleagueMarks {
  @Text({ description: 'Name of the person' }) by!: string;
  @Timestamp() at!: string;
  @OneOf(KEPT_MARKS, { many: true }) marks!: KeptMark[];
}

@Described('What the reader has checked, and what all of the staff share about a version of a request.')
export class ReviewMarks {
  @CalendarDate({ nullable: true, description: 'Date of issue on the prescription' }) issued_on!:
    string | null;
  @OneOf(DOCUMENT_KINDS, { nullable: true, description: 'As a person has set it' })
  document_kind!: DocumentKind | null;
  @Flag() signature_seen!: boolean;
  @Flag() prescriber_checked!: boolean;
  @Flag() dose_plausible!: boolean;
  @Flag({ description: 'The reader does not need the pages that were not on the screen' })
  rest_not_needed!: boolean;
  @Text({ nullable: true, maxLength: 10_000, description: 'For staff only' }) note!: string | null;
  @Nested(() => ColleagueMarks, { list: { maxItems: 100 }, description: 'Oldest first' })
  colleagues!: ColleagueMarks[];
}

export class ReviewMarksBody {
  @CalendarDate({ optional: true, nullable: true }) issued_on?: string | null;
  @OneOf(DOCUMENT_KINDS, { optional: true, nullable: true }) document_kind?: DocumentKind | null;
  @Flag({ optional: true }) signature_seen?: boolean;
  @Flag({ optional: true }) prescriber_checked?: boolean;
  @Flag({ optional: true }) dose_plausible?: boolean;
  @Flag({ optional: true }) rest_not_needed?: boolean;
  @Text({ optional: true, nullable: true, maxLength: 10_000 }) note?: string | null;
  @Int({
    optional: true,
    minimum: 1,
    description: 'The version that was looked at; 409 when there is a newer one',
  })
  version?: number;
}

export class ReviewOverride {
  @Text({
    maxLength: 100,
    listOf: { maxItems: MAX_OVERRIDES },
    description: 'Checks that were overridden: codes of the console, or texts of an API caller',
  })
  acknowledged!: string[];
  @Text({ nullable: true, maxLength: 1000 }) reason!: string | null;
}

@Described('The first of two approvals, with everything that it holds for. Kept with the decision.')
export class ReviewFirstApproval extends FirstApproval {
  @Nested(() => OrderRequestCorrections, { nullable: true }) corrections!: OrderRequestCorrections | null;
  @Nested(() => ReviewLine, {
    list: { maxItems: MAX_ORDER_ITEMS },
    nullable: true,
    description: 'The lines as approved; null when they are those of the partner',
  })
  lines!: ReviewLine[] | null;
  @Nested(() => ReviewOverride, { nullable: true }) override!: ReviewOverride | null;
  @Nested(() => ReviewMarks) marks!: ReviewMarks;
}

export class ReviewHistoryEntry {
  @Timestamp() at!: string;
  @Text({ description: 'Name of the person or of the API key, or the actor of the audit log' }) who!: string;
  @Text({ example: 'order-request.approve' }) action!: string;
  @Int({ nullable: true, description: 'Number of the document that was read' }) document!: number | null;
}

@Described("Another sender's request of this reference, or with it as id; the same customer's first")
export class ReferenceOrder {
  @Text({ format: 'uuid', description: 'Id of that request' }) order_request_id!: string;
  @OneOf(ORDER_REQUEST_STATUSES) status!: OrderRequestStatus;
  @Text({ format: 'uuid', nullable: true, description: 'Null before there is one' }) order_id!: string | null;
  @Text({ nullable: true, description: 'Null: of the organization itself' }) integration!: string | null;
  @Flag({ description: 'Name or e-mail address are equal, too' }) same_customer!: boolean;
}

export class ReviewDetail extends OrderRequestDetail {
  @Int({
    minimum: 1,
    nullable: true,
    description: 'The version that the offer is about; of an accepted one, that it made',
  })
  offer_version!: number | null;
  @Nested(() => ReferenceOrder, { nullable: true }) reference_order!: ReferenceOrder | null;
  @Timestamp({ nullable: true }) expires_at!: string | null;
  @Nested(() => ReviewLine, { list: { maxItems: MAX_ORDER_ITEMS } }) lines!: ReviewLine[];
  @Flag({ description: 'False when catalog did not answer: the lines then lack stock and price' })
  lines_checked!: boolean;
  @Nested(() => ReviewCustomer) customer!: ReviewCustomer;
  @Nested(() => Remark, { list: { maxItems: 10_000 } }) remarks!: Remark[];
  @Nested(() => ReviewMarks) marks!: ReviewMarks;
  @Nested(() => ReviewOverride, { nullable: true, description: 'What the approval overrode' })
  override!: ReviewOverride | null;
  @Nested(() => ReviewHistoryEntry, { list: { maxItems: 100 }, description: 'Newest first' })
  history!: ReviewHistoryEntry[];
  @Nested(() => ReviewFirstApproval, { nullable: true }) first_approval!: ReviewFirstApproval | null;
  @Nested(() => PrescriberCheck, {
    nullable: true,
    description: 'Null also without a name, or without number and postal code',
  })
  prescriber_check!: PrescriberCheck | null;
  @Nested(() => ReviewPlan) plan!: ReviewPlan;
}

export class ReviewDocumentQuery {
  @QueryInteger({ minimum: 1, maximum: 1_000_000, description: 'That of this version; default the newest' })
  version?: number;
  @QueryInteger({ minimum: 1, maximum: 1_000, description: 'The document; with version, as of then' })
  number?: number;
}

const REVIEWS = '/api/v2/public/orgs/{orgId}/review/requests';
const REVIEW = `${REVIEWS}/{requestId}` as const;
const reviewing = { access: 'order_requests.review', method: 'PUT' } as const;
const reading = { access: 'order_requests.read' } as const;

export const listReviews = consoleOperation({
  ...reading,
  name: 'review.list',
  summary: 'List order requests for review, with exact total',
  refuses: ['not_found'],
  path: REVIEWS,
  query: ReviewListQuery,
  narrow: 'Name a shop, or a shorter list.',
  reply: ReviewListResponse,
  alsoCsv: true,
});

export const countRequests = consoleOperation({
  ...reading,
  name: 'review.counts',
  summary: 'Count the order requests of each tab',
  refuses: ['not_found'],
  path: '/api/v2/public/orgs/{orgId}/review/counts',
  query: ReviewCountsQuery,
  narrow: 'Give q more characters.',
  reply: ReviewCounts,
});

export const getReview = consoleOperation({
  ...reading,
  name: 'review.get',
  summary: 'Read everything that a decision on an order request needs',
  refuses: ['not_found'],
  via: 'http',
  smallOverBus: true,
  path: REVIEW,
  reply: ReviewDetail,
});

export const readReviewDocument = consoleOperation({
  ...reading,
  name: 'review.document',
  summary: 'Read the prescription, perhaps ahead; logged as prescription.fetch, a look as prescription.view',
  refuses: ['not_found'],
  via: 'http',
  path: `${REVIEW}/prescription.pdf`,
  query: ReviewDocumentQuery,
  reply: 'application/pdf',
});

export const readEPrescription = consoleOperation({
  ...reading,
  name: 'review.e-prescription',
  summary: 'Read the token of the e-prescription; each look is logged as e-prescription.view',
  refuses: ['not_found'],
  path: `${REVIEW}/e-prescription`,
  reply: EPrescription,
});

export const noteView = consoleOperation({
  ...reading,
  name: 'review.viewed',
  summary: 'Note that the person looks at a document; one audit entry per session, document and 15 minutes',
  refuses: ['not_found'],
  statuses: [204],
  method: 'POST',
  path: `${REVIEW}/viewed`,
  query: ReviewDocumentQuery,
});

export const setReviewMarks = consoleOperation({
  ...reviewing,
  name: 'review.marks',
  summary: 'Keep what the pharmacist has checked on the prescription; left-out fields stay',
  refuses: ['not_found', 'already_decided', 'conflict'],
  path: `${REVIEW}/marks`,
  body: ReviewMarksBody,
  reply: ReviewMarks,
});

export const checkPrescriber = consoleOperation({
  ...reviewing,
  name: 'review.prescriber',
  summary: 'Mark the prescriber as checked by the organization, or take that back',
  refuses: ['not_found', 'conflict'],
  path: `${REVIEW}/prescriber`,
  body: PrescriberCheckBody,
  reply: PrescriberCheckResponse,
});

export const planRequest = consoleOperation({
  ...reviewing,
  name: 'review.plan',
  summary: 'Assign an order request to a person, or park it; left-out fields stay',
  refuses: ['not_found', 'already_decided', 'conflict'],
  path: `${REVIEW}/plan`,
  body: ReviewPlanBody,
  reply: ReviewPlan,
});

export const withdrawApproval = consoleOperation({
  ...reviewing,
  name: 'review.withdraw-approval',
  summary: 'Take back the own first approval; 204 also when there is none',
  refuses: ['not_found', 'already_decided', 'conflict'],
  statuses: [204],
  method: 'POST',
  path: `${REVIEW}/withdraw-approval`,
});
