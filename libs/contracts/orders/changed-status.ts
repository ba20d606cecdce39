import { Flag, OneOf } from '../calls/fields';
import { Described } from '../calls/schema';
import { ORDER_STATUSES, type OrderStatus, PAYMENT_STATUSES, type PaymentStatus } from './orders';

/** The fields of an order that an event `order_status_updated` reports. */
export const CHANGED_STATUS_FIELDS = ['status', 'payment_status', 'shipped', 'picked_up'] as const;
export type ChangedStatusField = (typeof CHANGED_STATUS_FIELDS)[number];

@Described('Those of the four fields that changed, with their values before or after it.')
export class ChangedStatus {
  @OneOf(ORDER_STATUSES, { optional: true, description: 'Step of the workflow' }) status?: OrderStatus;
  @OneOf(PAYMENT_STATUSES, { optional: true, description: 'State of the payment' })
  payment_status?: PaymentStatus;
  @Flag({ optional: true, description: 'The goods have been handed to the carrier' }) shipped?: boolean;
  @Flag({ optional: true, description: 'The customer has picked up the goods' }) picked_up?: boolean;
}
