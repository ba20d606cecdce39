import { Flag, Int, MAX_QUANTITY, Nested, OneOf, Quantity, Text } from './fields';
import { internalOperation } from './operation';
import { MAX_ORDER_ITEMS } from './orders';

/**
 * Stock between order-core and catalog: approval is reserve -> commit -> confirm, and so is each change of the lines of
 * an order that the stock follows. A hold belongs to one approval attempt of one order request, or to one claim of an
 * order (its only attempt is 0; a claim stands where an order request does); repeating it is harmless, and a hold that nobody confirms is released only after
 * order-core has said, once and for all, that this attempt can no longer commit.
 */

export class ReservationLine {
  @Text({ minLength: 1 }) p1_id!: string;
  /** Sum over the lines of the order that name the product. */
  @Quantity() quantity!: number;
}

export class ReserveBody {
  @Text({ minLength: 1 }) org_id!: string;
  /** The order that the claim is of, when it holds stock already, and what holds it: a claim, or its order request. */
  @Text({ optional: true, nullable: true, format: 'uuid' }) order_id?: string | null;
  @Text({ optional: true, nullable: true, format: 'uuid' }) replaces?: string | null;
  @Text({ format: 'uuid' }) order_request_id!: string;
  /** Approval attempt the hold belongs to; a later attempt takes the hold of an earlier one over. */
  @Int({ maximum: MAX_QUANTITY }) attempt!: number;
  @Nested(() => ReservationLine, { list: { maxItems: MAX_ORDER_ITEMS } }) lines!: ReservationLine[];
}

export class ReserveResponse {
  @Flag({ description: 'True when every line is held (lines outside the inventory are not stock-managed)' })
  held!: boolean;
  @Text({ listOf: { maxItems: MAX_ORDER_ITEMS }, description: 'Products that lack stock; empty when held' })
  short_p1_ids!: string[];
}

/** All or none; idempotent by order request and attempt. */
export const reserveStock = internalOperation({
  name: 'reservations.reserve',
  summary: 'Hold stock for an order request that is being approved',
  service: 'catalog',
  body: ReserveBody,
  reply: ReserveResponse,
});

export class SettleAttemptBody {
  @Text({ format: 'uuid' }) order_request_id!: string;
  @Int({ maximum: MAX_QUANTITY }) attempt!: number;
}

export class SettleAttemptResponse {
  @OneOf(['approved', 'void']) outcome!: 'approved' | 'void';
  @Text({ nullable: true }) order_id!: string | null;
}

/**
 * Asked by the catalog of an old hold. `void` is a promise: order-core has made sure that this attempt never commits,
 * so the hold may be released whatever is still under way.
 */
export const settleAttempt = internalOperation({
  name: 'order-requests.settle-attempt',
  summary: 'Did this approval attempt commit? If not, it never will',
  service: 'order-core',
  body: SettleAttemptBody,
  reply: SettleAttemptResponse,
});

export class ReleaseHoldResponse {
  @Flag({ description: 'False when this attempt holds nothing any more' }) released!: boolean;
}

/**
 * Gives back at once what a refused approval holds; the hold would end by itself a minute later, and refuse others until
 * then. order-core asks only after it has made the attempt void.
 */
export const releaseHold = internalOperation({
  name: 'reservations.release',
  summary: 'Give back the stock of an approval attempt that was refused',
  service: 'catalog',
  body: SettleAttemptBody,
  reply: ReleaseHoldResponse,
});
