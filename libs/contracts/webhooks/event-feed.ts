import { ALL_EVENT_TYPES, type EventType, WebhookEvent } from './events';
import { FreeObject, Int, Nested, OneOf, QueryInteger, QueryText, Text } from '../calls/fields';
import { operation } from '../calls/operation';
import { CursorOnlyPagination, CursorOnlyQuery, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../calls/paging';
import { Described } from '../calls/schema';

/**
 * The kinds of events, and the events themselves as a feed for receivers behind a firewall:
 * docs/contract.md#events-and-webhooks.
 */

@Described('A kind of event')
export class WebhookEventType {
  @OneOf(ALL_EVENT_TYPES) event_type!: EventType;
  @Text({ description: 'When such an event is sent' }) description!: string;
  @FreeObject({ description: 'JSON Schema (2020-12) of the body' }) schema!: Record<string, unknown>;
  @Nested(() => WebhookEvent, {
    description:
      'An event of this kind; webhooks.test sends it with metadata.test true when asked for the kind',
  })
  example!: WebhookEvent;
}

@Described('The kinds of events')
export class WebhookEventTypeListResponse {
  @Nested(() => WebhookEventType, { list: { maxItems: ALL_EVENT_TYPES.length } }) data!: WebhookEventType[];
  @Nested(() => CursorOnlyPagination) pagination!: CursorOnlyPagination;
}

export class EventFeedQuery {
  @QueryText({ optional: true, description: 'Id of the last event you have; the feed continues after it' })
  after?: string;
  @QueryText({ optional: true, description: "The page before's next_cursor, under the same event_type" })
  cursor?: string;
  @OneOf(ALL_EVENT_TYPES, { optional: true, description: 'Only events of this kind' }) event_type?: EventType;
  @QueryInteger({ minimum: 1, maximum: MAX_PAGE_SIZE, description: 'Page size' })
  limit: number = DEFAULT_PAGE_SIZE;
}

@Described('Paging by cursor, or by the id of the last event')
export class EventFeedPagination {
  @Int() limit!: number;
  @Text({ nullable: true, description: 'The next value of cursor, or after; null at the end of the feed' })
  next_cursor!: string | null;
}

@Described('A page of events, in the order of their arrival')
export class EventFeedResponse {
  @Nested(() => WebhookEvent, { list: { maxItems: MAX_PAGE_SIZE }, description: 'The events, oldest first' })
  data!: WebhookEvent[];
  @Nested(() => EventFeedPagination) pagination!: EventFeedPagination;
}

const ORGANIZATION = '/api/v2/public/orgs/{orgId}';

export const listWebhookEventTypes = operation({
  name: 'webhooks.event-types',
  summary: 'List the kinds of events with schema and example',
  service: 'webhook-worker',
  access: 'webhooks.read',
  path: `${ORGANIZATION}/webhook-event-types`,
  query: CursorOnlyQuery,
  reply: WebhookEventTypeListResponse,
});

export const readEventFeed = operation({
  name: 'events.feed',
  summary:
    'Read the events of the last 30 days in the order of their arrival, for receivers behind a firewall',
  service: 'webhook-worker',
  access: 'webhooks.read',
  path: `${ORGANIZATION}/events`,
  query: EventFeedQuery,
  reply: EventFeedResponse,
});
