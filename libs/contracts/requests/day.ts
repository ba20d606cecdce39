import { CalendarDate, Flag, Int, Nested, OneOf, Text, Timestamp } from '../calls/fields';
import { consoleOperation } from '../calls/operation';
import { ORDER_STATUSES, type OrderStatus } from '../orders/orders';

/** The approvals of a day, for the person who goes through them once more. */

/** Approvals of a day that one answer has. */
export const MAX_DAY_APPROVALS = 1_000;
/** Lines of an order in it. */
export const MAX_DAY_LINES = 50;

export class DayQuery {
  @CalendarDate({ description: 'Day in Berlin' }) on!: string;
}

export class DayLine {
  @Text({ nullable: true }) name!: string | null;
  @Text({ nullable: true }) p1_id!: string | null;
  @Int() quantity!: number;
}

/** How long a tick is kept. */
export const DAY_CHECK_DAYS = 30;

export class DayCheck {
  @Text({ description: 'Name of the person who ticked it off' }) by!: string;
  @Timestamp() at!: string;
}

export class DayCheckBody {
  @Flag({ description: 'False takes the tick back' }) checked!: boolean;
}

export class DayCheckResponse {
  @Nested(() => DayCheck, { nullable: true }) checked!: DayCheck | null;
}

export class DayApproval {
  @Text({ format: 'uuid' }) id!: string;
  @Text({ nullable: true }) customer_name!: string | null;
  @Text() shop_id!: string;
  @Text({ format: 'uuid', nullable: true, description: 'Null when the order is gone' }) order_id!:
    string | null;
  @Text({ nullable: true }) order_number!: string | null;
  @OneOf(ORDER_STATUSES, { nullable: true }) order_status!: OrderStatus | null;
  @Nested(() => DayLine, { list: { maxItems: MAX_DAY_LINES }, description: 'Of the order, as it is now' })
  lines!: DayLine[];
  @Int({ description: 'Of the order; more than `lines` may show' }) line_count!: number;
  @Timestamp() approved_at!: string;
  @Text({ description: 'Name of the person or of the API key' }) approved_by!: string;
  @Text({ nullable: true, description: 'The first of two people' }) first_approved_by!: string | null;
  @Nested(() => DayCheck, { nullable: true, description: 'Null until somebody has ticked it off' })
  checked!: DayCheck | null;
}

export class DayResponse {
  @Nested(() => DayApproval, {
    list: { maxItems: MAX_DAY_APPROVALS },
    description: 'In the order of approval',
  })
  data!: DayApproval[];
  @Int({ description: 'All approvals of the day' }) total!: number;
}

export const listDay = consoleOperation({
  service: 'order-core',
  access: 'order_requests.read',
  method: 'GET',
  name: 'review.day',
  summary: `List what was approved on a day; at most ${MAX_DAY_APPROVALS}`,
  via: 'http',
  smallOverBus: true,
  path: '/api/v2/public/orgs/{orgId}/review/day',
  query: DayQuery,
  reply: DayResponse,
});

export const checkDay = consoleOperation({
  service: 'order-core',
  access: 'order_requests.review',
  method: 'PUT',
  name: 'review.day-check',
  summary: `Tick an approval off, or take the tick back; kept for ${DAY_CHECK_DAYS} days`,
  refuses: ['not_found'],
  path: '/api/v2/public/orgs/{orgId}/review/requests/{requestId}/day-check',
  body: DayCheckBody,
  reply: DayCheckResponse,
});
