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
} from '../calls/fields';
import { type MetadataChange, MetadataChangeField } from '../calls/metadata';
import { MAX_BODY_BYTES, operation } from '../calls/operation';
import {
  MAX_ORDER_ITEMS,
  ORDER_STATUSES,
  SHIPPING_OPTIONS,
  type OrderStatus,
  type ShippingOption,
} from '../orders/orders';
import { atLeastOneOf, Described } from '../calls/schema';
import { TestMark } from '../calls/test-mark';
import { Dosage, PrescriptionFields } from './prescription-fields';
import * as answer from './partner-answer';
import {
  MAX_REQUEST_DOCUMENTS,
  PAYLOAD_PDFS,
  type PayloadDocument,
  PayloadDocuments,
  PrescriptionPdf,
  PrescriptionPdfUrl,
  RequestDocument,
} from './request-documents';

/**
 * Submission of order requests, through a shop's connector or directly. Lines use `quantity`. Review by staff is in
 * order-request-review.ts.
 */

export const ORDER_REQUEST_STATUSES = [
  'pending',
  'approved',
  'rejected',
  'needs_clarification',
  'expired',
  'cancelled',
] as const;
export type OrderRequestStatus = (typeof ORDER_REQUEST_STATUSES)[number];

/** Payment statuses that a partner may send; refunds and failures exist only on orders. */
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

export const CANCEL_REASONS = ['customer_request', 'payment_failed', 'sent_by_mistake', 'other'] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];
/** Why a request was rejected or withdrawn. */
export type RequestReason = RejectionReason | CancelReason;
export const REQUEST_REASONS = [...new Set<RequestReason>([...REJECTION_REASONS, ...CANCEL_REASONS])];

/** Limit of values in a body; 500 lines with all their fields have a few thousand. */
const MAX_REQUEST_VALUES = 10_000;

@Described('Lines of an order request say quantity, never qty.', atLeastOneOf('name', 'p1_id', 'product_id'))
export class OrderRequestLineItem {
  @Text({
    optional: true,
    nullable: true,
    description: 'Name of the product, for people; one of name, p1_id and product_id is required',
  })
  name?: string | null;
  @Quantity({ description: 'Pieces' }) quantity!: number;
  @Money({ description: 'Unit price' }) price!: number;
  @Text({
    optional: true,
    nullable: true,
    minLength: 1,
    description: 'Catalog product id; one of name, p1_id and product_id is required',
  })
  p1_id?: string | null;
  @Text({
    optional: true,
    nullable: true,
    minLength: 1,
    description: 'Alias of p1_id; another value beside it is refused',
  })
  product_id?: string | null;
  @Dosage() dosage?: string | null;
  @UseInstead('quantity') qty?: never;
}

const UNKNOWN_KEYS = 'Unknown keys are stored, encrypted, with the request.';
const PAYLOAD_RULES = [
  atLeastOneOf('customer_name', 'customer_email'),
  atLeastOneOf('items', 'prescription_pdf_base64', 'prescription_pdf_url', 'documents', 'e_prescription'),
];

/** On the domain of a shop, which decides shop and organization. */
@Described(UNKNOWN_KEYS, { allOf: PAYLOAD_RULES })
export class ExternalOrderPayload extends PrescriptionFields {
  @Text({ optional: true, nullable: true, description: 'Full name; this or customer_email is required' })
  customer_name?: string | null;
  @Email({
    optional: true,
    nullable: true,
    description: 'E-mail address of the customer; this or customer_name is required',
  })
  customer_email?: string | null;
  @Text({
    optional: true,
    nullable: true,
    description: "Id of the customer in the partner's system; null or left out for none",
  })
  customer_id?: string | null;
  @Text({ optional: true, nullable: true, description: 'Street and house number; null or left out for none' })
  address_street?: string | null;
  @Text({ optional: true, nullable: true, description: 'Town; null or left out for none' }) address_city?:
    string | null;
  @Text({
    optional: true,
    nullable: true,
    description: 'Postal code, as text: it may begin with 0; null or left out for none',
  })
  address_postal_code?: string | null;
  @Text({ optional: true, nullable: true, description: 'Telephone number; null or left out for none' })
  address_phone?: string | null;
  @OneOf(SHIPPING_OPTIONS, {
    optional: true,
    nullable: true,
    description:
      'How the goods reach the customer; Abholung is pick-up in the shop; null or left out: not chosen',
  })
  shipping_option?: ShippingOption | null;
  @Flag({
    optional: true,
    nullable: true,
    default: true,
    description:
      'The customer pays when picking up the goods; null or left out: true, but false with a shipping_option other than Abholung',
  })
  cash_on_pickup?: boolean | null;
  @OneOf(REQUEST_PAYMENT_STATUSES, {
    optional: true,
    nullable: true,
    description:
      'State of the payment; null or left out: cash_on_pickup where cash_on_pickup is true, else pending',
  })
  payment_status?: RequestPaymentStatus | null;
  @Text({
    optional: true,
    nullable: true,
    description: 'Id of the payment at the payment provider; null or left out for none',
  })
  payment_reference?: string | null;
  @Money({
    optional: true,
    nullable: true,
    description: 'Total in EUR; null or left out: the sum of quantity times price of the lines',
  })
  total_amount?: number | null;
  @PrescriptionPdf() prescription_pdf_base64?: string | null;
  @PrescriptionPdfUrl() prescription_pdf_url?: string | null;
  @PayloadDocuments() documents?: PayloadDocument[] | null;
  @Nested(() => OrderRequestLineItem, {
    list: { maxItems: MAX_ORDER_ITEMS },
    optional: true,
    nullable: true,
    description: 'The lines; null or left out for none, where a prescription comes along',
  })
  items?: OrderRequestLineItem[] | null;
}

@Described(UNKNOWN_KEYS, { allOf: [...PAYLOAD_RULES, { required: ['shop_id'] }] })
export class OrderRequestPayload extends ExternalOrderPayload {
  /** Checked on shop domains, too: an id of another shop is refused there. */
  @Text({ optional: true, nullable: true, description: 'A shop of the organization; required' })
  shop_id?: string | null;
  @Text({
    optional: true,
    nullable: true,
    description: 'The organization of the token; null or left out: the same',
  })
  org_id?: string | null;
}

const PAYLOAD = 'Customer, lines and prescription. Keys that are not named here are stored, too';
const ENVELOPE = 'An order request: its reference, its sender, and what the customer wants';

class RequestHead {
  @Text({
    optional: true,
    nullable: true,
    minLength: 1,
    description:
      "Caller's trace or idempotency reference: repeated with the same payload, it is the same request; null or left out for none",
  })
  external_reference?: string | null;
  @Text({
    optional: true,
    nullable: true,
    minLength: 1,
    description: 'Platform identifier; null or left out: shop:<shop_id>',
  })
  source?: string | null;
  @MetadataChangeField(
    'Your own values, which the order gets, too. In an answer to a question: given keys are set, null removes one',
  )
  metadata?: MetadataChange | null;
}

@Described(ENVELOPE)
export class ExternalOrderEnvelope extends RequestHead {
  @FreeObject({ payloadOf: () => ExternalOrderPayload, description: PAYLOAD })
  payload!: Record<string, unknown>;
}

@Described(ENVELOPE)
export class OrderRequestEnvelope extends RequestHead {
  /** The handler checks it against OrderRequestPayload, because unknown keys are stored. */
  @FreeObject({ payloadOf: () => OrderRequestPayload, description: PAYLOAD })
  payload!: Record<string, unknown>;
}

@Described('Receipt of an order request')
export class OrderRequestResponse {
  @Text({ format: 'uuid', description: 'Id of the order request: keep it, to read the request back' })
  id!: string;
  @OneOf(ORDER_REQUEST_STATUSES, {
    description:
      'State of the request. pending: waits for a decision; needs_clarification: waits for an answer of the partner',
  })
  status!: OrderRequestStatus;
  @Text({ maxLength: 10_000, description: 'One sentence about the state, for people' }) message!: string;
  @Text({ nullable: true, description: 'The reference as it was sent' }) external_reference!: string | null;
  @TestMark() test?: boolean;
}

@Described('Receipt of a replaced order request')
export class ReplaceResponse extends OrderRequestResponse {
  @Nested(() => RequestDocument, { list: { maxItems: MAX_REQUEST_DOCUMENTS }, description: 'By number' })
  documents!: RequestDocument[];
}

@Described('What a partner may know of its order request')
export class OrderRequestProgress extends OrderRequestResponse {
  @OneOf(ORDER_STATUSES, {
    nullable: true,
    description: 'Status of the order that the request became; null before it did',
  })
  order_status!: OrderStatus | null;
  @Nested(() => answer.RequestOrder, answer.REQUEST_ORDER_FIELD) order!: answer.RequestOrder | null;
  @Nested(() => answer.RequestApproval, answer.ANSWER_FIELD) answer!: answer.RequestApproval | null;
  @OneOf(REQUEST_REASONS, { nullable: true }) reason!: RequestReason | null;
  @Text({ nullable: true, maxLength: 10_000, description: 'Open question; null when erased' })
  question!: string | null;
  @Nested(() => answer.RequestOffer, answer.OFFER_FIELD) offer!: answer.RequestOffer | null;
  @Nested(() => RequestDocument, { list: { maxItems: MAX_REQUEST_DOCUMENTS }, description: 'By number' })
  documents!: RequestDocument[];
  @Timestamp({ description: 'When the request or its order was last changed, in UTC' }) updated_at!: string;
}

@Described('Why its sender takes the request back')
export class CancelOrderRequestBody {
  @OneOf(CANCEL_REASONS, { description: 'Why the request is withdrawn; the pharmacy may read it' })
  reason!: CancelReason;
  @Text({
    optional: true,
    nullable: true,
    maxLength: 10_000,
    description: 'For the pharmacy; no health data',
  })
  message?: string | null;
}

export class ExternalReferenceQuery {
  @QueryText({ maxLength: MAX_TEXT_LENGTH, description: 'The reference of the request, exactly' })
  external_reference!: string;
}

export const ORDER_REQUESTS_PATH = '/api/v2/public/orgs/{orgId}/order-requests';
export const CONNECTOR_PATH = '/api/v1/external-order';

/** A call with an envelope and its document. */
const withEnvelope = {
  service: 'order-core',
  via: 'http',
  documentFields: PAYLOAD_PDFS,
  maxBodyValues: MAX_REQUEST_VALUES,
  reply: OrderRequestResponse,
} as const;
const withdrawal = {
  service: 'order-core',
  refuses: ['already_decided'],
  body: CancelOrderRequestBody,
  reply: OrderRequestResponse,
} as const;

export const submitExternalOrder = operation({
  ...withEnvelope,
  body: ExternalOrderEnvelope,
  name: 'order-requests.submit-external',
  summary: 'Hand in an order request on a shop domain',
  refuses: ['reference_conflict', 'conflict'],
  access: 'connector',
  method: 'POST',
  path: CONNECTOR_PATH,
});

export const replaceExternalOrder = operation({
  ...withEnvelope,
  reply: ReplaceResponse,
  body: ExternalOrderEnvelope,
  name: 'order-requests.replace-external',
  summary: 'Replace an undecided order request; documents that it leaves out stay',
  refuses: ['already_decided', 'conflict'],
  access: 'connector',
  method: 'PUT',
  path: `${CONNECTOR_PATH}/{requestId}`,
});

export const cancelExternalOrder = operation({
  ...withdrawal,
  name: 'order-requests.cancel-external',
  summary: 'Withdraw an undecided order request',
  via: 'http',
  maxBodyBytes: MAX_BODY_BYTES,
  access: 'connector',
  method: 'POST',
  path: `${CONNECTOR_PATH}/{requestId}/cancel`,
});

export const readExternalOrder = operation({
  name: 'order-requests.read-external',
  summary: 'Read back an order request by id',
  via: 'http',
  access: 'connector',
  path: `${CONNECTOR_PATH}/{requestId}`,
  reply: OrderRequestProgress,
});

export const findExternalOrder = operation({
  name: 'order-requests.find-external',
  summary: 'Read back an order request by the reference it was sent with',
  via: 'http',
  access: 'connector',
  path: CONNECTOR_PATH,
  query: ExternalReferenceQuery,
  reply: OrderRequestProgress,
});

export const submitOrderRequest = operation({
  ...withEnvelope,
  body: OrderRequestEnvelope,
  name: 'order-requests.submit',
  summary: 'Hand in an order request directly, with payload.shop_id',
  refuses: ['not_found', 'reference_conflict', 'conflict'],
  smallOverBus: true,
  access: 'order_requests.write',
  method: 'POST',
  path: ORDER_REQUESTS_PATH,
});

export const replaceOrderRequest = operation({
  ...withEnvelope,
  reply: ReplaceResponse,
  body: OrderRequestEnvelope,
  name: 'order-requests.replace',
  summary: 'Replace an undecided direct order request; documents that it leaves out stay',
  refuses: ['already_decided', 'conflict'],
  smallOverBus: true,
  access: 'order_requests.write',
  method: 'PUT',
  path: `${ORDER_REQUESTS_PATH}/{requestId}`,
});

export const cancelOrderRequest = operation({
  ...withdrawal,
  name: 'order-requests.cancel',
  summary: 'Withdraw an undecided order request that was handed in directly',
  access: 'order_requests.write',
  method: 'POST',
  path: `${ORDER_REQUESTS_PATH}/{requestId}/cancel`,
});
