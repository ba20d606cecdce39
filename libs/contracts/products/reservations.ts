import { Flag, Int, MAX_QUANTITY, Nested, OneOf, Quantity, Text } from '../calls/fields';
import { internalOperation } from '../calls/operation';
import { MAX_ORDER_ITEMS } from '../orders/orders';

/**
 * Stock between order-core and catalog. An approval is reserve -> commit -> confirm, and so is each change of the
 * lines of an order that stock follows. A hold belongs to one approval attempt of an order request, or to one claim
 * of an order (the claim's id replaces the order request's, its only attempt is 0). Reserving is idempotent. An
 * unconfirmed hold is released only after order-core has declared the attempt void.
 */

export class ReservationLine {
  @Text({ minLength: 1 }) p1_id!: string;
  /** Sum over the lines of the order that name the product. */
  @Quantity() quantity!: number;
}

export class ReserveBody {
  @Text({ minLength: 1 }) org_id!: string;
  /**
   * For a claim of an order that already holds stock: the order, and the current holder (a claim or an order
   * request).
   */
  @Text({ optional: true, nullable: true, format: 'uuid' }) order_id?: string | null;
  @Text({ optional: true, nullable: true, format: 'uuid' }) replaces?: string | null;
  /** For a claim that reopens the order: how its stock ended, if it held any. */
  @OneOf(['sold', 'released'], { optional: true, nullable: true }) ended_as?: 'sold' | 'released' | null;
  @Text({ format: 'uuid' }) order_request_id!: string;
  /** Approval attempt of the hold; a later attempt takes over an earlier attempt's hold. */
  @Int({ maximum: MAX_QUANTITY }) attempt!: number;
  @Nested(() => ReservationLine, { list: { maxItems: MAX_ORDER_ITEMS } }) lines!: ReservationLine[];
}

export class ReserveResponse {
  @Flag({ description: 'True when every line is held (lines outside the inventory are not stock-managed)' })
  held!: boolean;
  @Text({ listOf: { maxItems: MAX_ORDER_ITEMS }, description: 'Products that lack stock; empty when held' })
  short_p1_ids!: string[];
  @Flag({ optional: true, description: 'True when held and at least one line is of the inventory' })
  is_stocked?: boolean;
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
 * Called by the catalog for an old hold. `void` guarantees that this attempt never commits, so the hold may be
 * released.
 */
export const settleAttempt = internalOperation({
  name: 'order-requests.settle-attempt',
  summary: 'Did this approval attempt commit? If not, it never will',
  body: SettleAttemptBody,
  reply: SettleAttemptResponse,
});

export class ReleaseHoldResponse {
  @Flag({ description: 'False when this attempt holds nothing' }) released!: boolean;
}

/**
 * Releases the stock of a refused approval immediately; otherwise the hold would block others until the catalog settles
 * it. order-core calls it only after it has made the attempt void.
 */
export const releaseHold = internalOperation({
  name: 'reservations.release',
  summary: 'Give back the stock of an approval attempt that was refused',
  service: 'catalog',
  body: SettleAttemptBody,
  reply: ReleaseHoldResponse,
});
