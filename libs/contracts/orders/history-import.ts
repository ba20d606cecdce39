import { FreeObject, Int, MAX_TEXT_LENGTH, Nested, OneOf, Text, Timestamp } from '../calls/fields';
import { internalOperation } from '../calls/operation';
import { REJECTION_REASONS, type RejectionReason } from '../requests/order-requests';
import {
  OrderUpsertBody,
  ORDER_STATUSES,
  type OrderStatus,
  PAYMENT_STATUSES,
  type PaymentStatus,
} from './orders';

/**
 * Orders and order requests of the past, written with their dates by the operator: for the demo, or a move from another
 * system. They publish no events; subscribers learn of such an object when it changes next. Idempotent by shop and
 * external id, and by shop, source and reference of the organization. A known object stays as it is.
 */

/** The sender also keeps a batch within one bus message (1 MiB). */
export const MAX_IMPORTED_ORDERS = 200;
export const MAX_IMPORTED_REQUESTS = 25;
const MAX_STEPS = 20;

/** A change of status or payment after the order was created. */
export class ImportedStep {
  @Timestamp() at!: string;
  @OneOf(ORDER_STATUSES, { optional: true }) status?: OrderStatus;
  @OneOf(PAYMENT_STATUSES, { optional: true }) payment_status?: PaymentStatus;
}

/** As upserted at `created_at`, with the steps since, oldest first. */
export class ImportedOrder extends OrderUpsertBody {
  @Timestamp() created_at!: string;
  @Nested(() => ImportedStep, { list: { maxItems: MAX_STEPS } }) steps!: ImportedStep[];
}

export const IMPORTED_DECISIONS = ['needs_clarification', 'approved', 'rejected'] as const;

export class ImportedDecision {
  @OneOf(IMPORTED_DECISIONS) status!: (typeof IMPORTED_DECISIONS)[number];
  @Timestamp() at!: string;
  @Text({ optional: true, maxLength: 10_000, description: 'Question to the partner' }) question?: string;
  @OneOf(REJECTION_REASONS, { optional: true }) reason?: RejectionReason;
  @Nested(() => ImportedStep, { list: { maxItems: MAX_STEPS }, optional: true }) steps?: ImportedStep[];
}

/** As submitted at `submitted_at`, with what was decided since. */
export class ImportedRequest {
  @Text() shop_id!: string;
  @Text({ minLength: 1 }) source!: string;
  @Text({ minLength: 1, maxLength: MAX_TEXT_LENGTH }) external_reference!: string;
  @Timestamp() submitted_at!: string;
  /** The handler checks it as OrderRequestPayload. */
  @FreeObject() payload!: Record<string, unknown>;
  @Nested(() => ImportedDecision, { optional: true }) decision?: ImportedDecision;
}

export class ImportHistoryBody {
  @Text({ minLength: 1 }) org_id!: string;
  @Nested(() => ImportedOrder, { list: { maxItems: MAX_IMPORTED_ORDERS } }) orders!: ImportedOrder[];
  @Nested(() => ImportedRequest, { list: { maxItems: MAX_IMPORTED_REQUESTS } }) requests!: ImportedRequest[];
}

export class ImportHistoryResponse {
  @Int({ description: 'Orders written, those of approved requests included' }) orders!: number;
  @Int({ description: 'Order requests written' }) requests!: number;
}

export const importHistory = internalOperation({
  name: 'history.import',
  summary: 'Write orders and order requests of the past, with their dates',
  body: ImportHistoryBody,
  reply: ImportHistoryResponse,
});
