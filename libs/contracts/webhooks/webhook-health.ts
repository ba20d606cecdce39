import { ALL_EVENT_TYPES, type EventType } from './events';
import { Flag, Int, Nested, OneOf, QueryText, Text, Timestamp } from '../calls/fields';
import { consoleOperation } from '../calls/operation';
import { CursorOnlyPagination, CursorOnlyQuery, MAX_PAGE_SIZE } from '../calls/paging';
import { DELIVERY_STATUSES, type DeliveryStatus, WebhookDelivery, WebhookRecoverBody } from './webhooks';

/** What the console reads of webhooks besides their own operations: health, and deliveries of every subscription. */

export const STATS_HOURS = 24;
/** Deliveries that statistics are made of at most, the latest ones. */
export const MAX_STATS_DELIVERIES = 20_000;
/** Events that one call of webhooks.recover schedules at most, and webhooks.missed counts. */
export const MAX_RECOVERED = 10_000;

class AttemptCounts {
  @Int({ description: 'Attempts that the receiver took' }) delivered!: number;
  @Int({ description: 'Attempts that failed' }) failed!: number;
  @Int({ nullable: true, description: 'Median duration of the attempts; null without attempts' })
  p50_ms!: number | null;
  @Int({ nullable: true, description: 'Duration that 95 of 100 attempts kept; null without attempts' })
  p95_ms!: number | null;
}

export class WebhookHour extends AttemptCounts {
  @Timestamp({ description: 'Begin of the hour' }) hour!: string;
}

export class WebhookStats extends AttemptCounts {
  @Timestamp({
    description: `Earlier attempts are not counted: 24 hours ago, or later where more than ${MAX_STATS_DELIVERIES} deliveries were tried`,
  })
  since!: string;
  @Nested(() => WebhookHour, { list: { maxItems: STATS_HOURS }, description: 'Oldest first, every hour' })
  hours!: WebhookHour[];
}

export class WebhookDeliveryRow extends WebhookDelivery {
  @Text({ description: 'The order, order request, prescription, product or subscription of the event' })
  object_id!: string;
}

export class DeliverySearchQuery extends CursorOnlyQuery {
  @OneOf(DELIVERY_STATUSES, { optional: true }) status?: DeliveryStatus;
  @OneOf(ALL_EVENT_TYPES, { optional: true }) event_type?: EventType;
  @QueryText({ optional: true, description: 'Only of this subscription' }) webhook_id?: string;
  @QueryText({ optional: true, description: 'Only events of this order, or of another object by its id' })
  order_id?: string;
  @Timestamp({ optional: true, description: 'Events since then' }) from?: string;
  @Timestamp({ optional: true, notBefore: 'from', description: 'Events before then' }) to?: string;
}

export class DeliverySearchResponse {
  @Nested(() => WebhookDeliveryRow, { list: { maxItems: MAX_PAGE_SIZE } }) data!: WebhookDeliveryRow[];
  @Nested(() => CursorOnlyPagination) pagination!: CursorOnlyPagination;
}

export class MissedQuery extends WebhookRecoverBody {}

export class MissedResponse {
  @Int({ description: 'Deliveries that webhooks.recover would send with the same since' }) missed!: number;
  @Flag({ description: 'There are more than one call sends' }) more!: boolean;
}

const ORGANIZATION = '/api/v2/public/orgs/{orgId}';
const WEBHOOK = `${ORGANIZATION}/webhooks/{webhookId}` as const;
const reading = {
  service: 'webhook-worker',
  access: 'webhooks.read',
  method: 'GET',
} as const;

export const readWebhookStats = consoleOperation({
  ...reading,
  name: 'webhooks.stats',
  summary: 'Count the attempts of a subscription by hour, over 24 hours, with their durations',
  path: `${WEBHOOK}/stats`,
  reply: WebhookStats,
});

export const countMissed = consoleOperation({
  ...reading,
  name: 'webhooks.missed',
  summary: 'Count what webhooks.recover would send, without sending it',
  refuses: ['conflict'],
  path: `${WEBHOOK}/missed`,
  query: MissedQuery,
  narrow: 'Give a later since.',
  reply: MissedResponse,
});

export const searchDeliveries = consoleOperation({
  ...reading,
  name: 'webhook-deliveries.list',
  summary: 'List the deliveries of every subscription, newest event first',
  path: `${ORGANIZATION}/webhook-deliveries`,
  query: DeliverySearchQuery,
  narrow: 'Name a webhook_id or an order_id, or give a shorter period (from, to).',
  reply: DeliverySearchResponse,
});
