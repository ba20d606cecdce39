import { ValidateBy } from 'class-validator';
import { field, Flag, Int, MAX_TEXT_LENGTH, Money, Nested, OneOf, Text, Timestamp } from '../calls/fields';
import { Described } from '../calls/schema';
import {
  MAX_ORDER_ITEMS,
  ORDER_STATUSES,
  OrderItem,
  type OrderStatus,
  PAYMENT_STATUSES,
  type PaymentStatus,
  SHIPPING_OPTIONS,
  type ShippingOption,
} from '../orders/orders';
import { MAX_PARCELS, Parcel } from '../orders/parcels';
import {
  type Answer,
  ANSWER_CHANGE_KINDS,
  type AnswerChange,
  type AnswerChangeKind,
  MAX_ANSWER_CHANGES,
} from './answer-changes';

/** What the sender of a request reads of it: the pharmacist's offer, what the pharmacist changed at the approval, and the order as it is now. */

/** A quantity or a price is a number, a product or a name a text. */
function ChangedValue(description: string) {
  const validate = (value: unknown): boolean =>
    value === null || typeof value === 'number' || typeof value === 'string';
  const defaultMessage = () => 'must be a text, a number or null';
  const check = ValidateBy({ name: 'changedValue', validator: { validate, defaultMessage } });
  return field({ type: ['string', 'number', 'null'], maxLength: MAX_TEXT_LENGTH }, [check], { description });
}

@Described('One difference between what was sent and what was approved')
export class RequestApprovalChange implements AnswerChange {
  @OneOf(ANSWER_CHANGE_KINDS, {
    description:
      'What differs: quantity, price, product or name of a line; a line that was added or removed; the delivery or the customer, without values',
  })
  kind!: AnswerChangeKind;
  @Int({
    minimum: 1,
    nullable: true,
    description:
      'The line, from 1, in what was sent; of an added one in the order. Null for delivery and customer, and for a price that is the total',
  })
  line!: number | null;
  @ChangedValue('As it was sent; a product is its id, else its name. Null for an added line') from!:
    string | number | null;
  @ChangedValue('As it was approved. Null for a removed line') to!: string | number | null;
}

@Described('What the pharmacist changed at the approval; it never changes afterwards')
export class RequestApproval implements Answer {
  @Flag({ description: 'Something was changed. Lines in another order do not count' }) corrected!: boolean;
  @Nested(() => RequestApprovalChange, {
    list: { maxItems: MAX_ANSWER_CHANGES },
    description: 'The changes, by line; at most the first 500',
  })
  changes!: RequestApprovalChange[];
}

/** The members of a RequestOrder that `order_updated` names. */
export const REQUEST_ORDER_CHANGES = [
  'items',
  'total_amount',
  'shipping_option',
  'payment_status',
  'shipped',
  'picked_up',
  'parcels',
] as const satisfies readonly (keyof RequestOrder)[];
export type RequestOrderChange = (typeof REQUEST_ORDER_CHANGES)[number];

@Described('The order that the request became, as it is when read. It holds no data of the customer')
export class RequestOrder {
  @Text({ description: 'Identifier of the order for its sender: the reference, or the id of the request' })
  external_id!: string;
  @OneOf(ORDER_STATUSES, { description: 'Step of the workflow that the order has reached' })
  status!: OrderStatus;
  @Nested(() => OrderItem, { list: { maxItems: MAX_ORDER_ITEMS }, description: 'The lines of the order' })
  items!: OrderItem[];
  @Money({ description: 'Total in EUR' }) total_amount!: number;
  @OneOf(SHIPPING_OPTIONS, { nullable: true, description: 'How the goods reach the customer' })
  shipping_option!: ShippingOption | null;
  @OneOf(PAYMENT_STATUSES, { description: 'State of the payment' }) payment_status!: PaymentStatus;
  @Flag({ description: 'The goods have been handed to the carrier' }) shipped!: boolean;
  @Flag({ description: 'The customer has picked up the goods' }) picked_up!: boolean;
  @Nested(() => Parcel, {
    list: { maxItems: MAX_PARCELS },
    description: 'The parcels of the order, oldest first; empty for none',
  })
  parcels!: Parcel[];
}

export const OFFER_STATES = ['open', 'accepted', 'declined', 'expired', 'ended'] as const;
export type OfferState = (typeof OFFER_STATES)[number];

@Described('Other lines that the pharmacist offers in place of those that were sent. They hold no stock')
export class RequestOffer {
  @Text({ format: 'uuid', description: 'Names this offer in its answer' }) id!: string;
  @Nested(() => OrderItem, { list: { maxItems: MAX_ORDER_ITEMS }, description: 'All lines that are offered' })
  items!: OrderItem[];
  @Money({ description: 'Total in EUR' }) total_amount!: number;
  @OneOf(SHIPPING_OPTIONS, { nullable: true, description: 'How the goods would reach the customer' })
  shipping_option!: ShippingOption | null;
  @Timestamp({ description: 'The offer takes an answer until then, in UTC' }) valid_until!: string;
  @OneOf(OFFER_STATES, {
    description:
      'open: waits for its answer; accepted, declined: by the sender; expired: not answered in time; ended: taken back, or the request has another version or was decided',
  })
  state!: OfferState;
  @Text({ nullable: true, maxLength: 10_000, description: 'What the sender said to it' })
  message!: string | null;
}

export const OFFER_FIELD = {
  nullable: true,
  description: 'The last offer of the pharmacist; null without one, and after an erasure',
} as const;
export const ANSWER_FIELD = {
  nullable: true,
  description:
    'What the pharmacist changed at the approval; null before it, for approvals of before this field existed, and after an erasure',
} as const;
export const REQUEST_ORDER_FIELD = {
  nullable: true,
  description: 'The order that the request became, as it is now; null before there is one',
} as const;
