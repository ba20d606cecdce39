import { ALL_EVENT_TYPES, type EventType, WebhookEvent } from './events';
import { Flag, Int, Nested, OneOf, Text, Timestamp } from '../calls/fields';
import { operation } from '../calls/operation';
import {
  CursorOnlyPagination,
  CursorOnlyQuery,
  OffsetPagination,
  CursorQuery,
  MAX_PAGE_SIZE,
} from '../calls/paging';
import { Described } from '../calls/schema';

/** Webhook subscriptions and their deliveries. See docs/contract.md#events-and-webhooks */

export const MAX_SUBSCRIPTIONS = 20;
export const MAX_WEBHOOK_URL_LENGTH = 2048;
export const MAX_RATE_PER_SECOND = 1000;
/** How long events and deliveries can be read, recovered and sent again. */
export const EVENT_RETENTION_DAYS = 30;
/** The part of a receiver's answer that is stored with each attempt. */
export const KEPT_ANSWER_BYTES = 1024;

/** `cancelled`: the subscription was deleted or switched off before the delivery ended. */
export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const DISABLED_REASONS = {
  receiver_gone: 'The receiver answered 410',
  only_failures: 'Every attempt of the last 5 days failed',
} as const;
export type DisabledReason = keyof typeof DISABLED_REASONS;

@Described('A URL that gets events')
export class WebhookSubscription {
  @Text({ format: 'uuid', description: 'Id of the subscription' }) id!: string;
  @Text({ maxLength: MAX_WEBHOOK_URL_LENGTH, description: 'URL that the events are posted to' }) url!: string;
  @OneOf(ALL_EVENT_TYPES, { many: true, nullable: true, description: 'Kinds of events; null for every kind' })
  event_types!: EventType[] | null;
  @Text({ nullable: true, maxLength: 10_000, description: 'Purpose of the subscription, for people' })
  description!: string | null;
  @Flag({ description: 'Events are delivered; false: switched off, by a person or by the service' })
  is_active!: boolean;
  @Int({ nullable: true, minimum: 1, maximum: MAX_RATE_PER_SECOND, description: 'null for no limit' })
  rate_per_second!: number | null;
  @OneOf(Object.keys(DISABLED_REASONS), {
    nullable: true,
    description: 'Why the service switched the subscription off; null where it did not',
  })
  disabled_reason!: DisabledReason | null;
  @Timestamp({ nullable: true }) disabled_at!: string | null;
  @Timestamp({ nullable: true, description: 'Since when every attempt has failed' })
  failing_since!: string | null;
  @Timestamp({
    nullable: true,
    description: 'Until when the previous secret also signs, and alone makes X-Service-Signature',
  })
  previous_secret_until!: string | null;
  @Timestamp() created_at!: string;
  @Timestamp() updated_at!: string;
}

/** The secret is shown only when a subscription is created and when its secret is rotated. */
@Described('A URL that gets events, with the secret that signs them')
export class WebhookSubscriptionWithSecret extends WebhookSubscription {
  @Text({
    shownOnce: true,
    description: 'Shown once; null in a repeat under an Idempotency-Key',
    example: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=',
  })
  secret!: string;
}

@Described('A URL that gets events, after a rotation or its end')
export class RotatedWebhookSubscription extends WebhookSubscription {
  @Text({
    shownOnce: true,
    nullable: true,
    description: 'The new secret, shown once; null after finish, and in a repeat under an Idempotency-Key',
    example: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=',
  })
  secret!: string | null;
}

@Described('A rotation, or its end')
export class RotateSecretBody {
  @Flag({
    optional: true,
    description:
      'true: your receiver has the new secret, so the previous one stops signing now; no secret is made',
  })
  finish?: boolean;
}

/** Common fields of both bodies; `url` is required in one of them only. */
class WebhookSettings {
  @OneOf(ALL_EVENT_TYPES, {
    many: true,
    optional: true,
    nullable: true,
    description: 'Kinds of events; null, the default, for every kind',
  })
  event_types?: EventType[] | null;
  @Text({
    optional: true,
    nullable: true,
    maxLength: 10_000,
    description: 'Purpose of the subscription, for people; null for none',
  })
  description?: string | null;
  @Flag({ optional: true, description: 'Default true' }) is_active?: boolean;
  @Int({
    optional: true,
    nullable: true,
    minimum: 1,
    maximum: MAX_RATE_PER_SECOND,
    description: 'Attempts per second at most; null, the default, for no limit',
  })
  rate_per_second?: number | null;
}

@Described('A new subscription')
export class WebhookCreateBody extends WebhookSettings {
  @Text({
    minLength: 1,
    maxLength: MAX_WEBHOOK_URL_LENGTH,
    description: 'HTTPS URL that the events are posted to',
  })
  url!: string;
}

@Described('Changes of a subscription. Fields left out keep their value')
export class WebhookUpdateBody extends WebhookSettings {
  @Text({
    optional: true,
    minLength: 1,
    maxLength: MAX_WEBHOOK_URL_LENGTH,
    description: 'HTTPS URL that the events are posted to',
  })
  url?: string;
}

@Described('The subscriptions of the organization')
export class WebhookListResponse {
  @Nested(() => WebhookSubscription, { list: { maxItems: MAX_SUBSCRIPTIONS } }) data!: WebhookSubscription[];
  @Nested(() => CursorOnlyPagination) pagination!: CursorOnlyPagination;
}

@Described('Which event is sent as a test')
export class WebhookTestBody {
  @OneOf(ALL_EVENT_TYPES, {
    optional: true,
    description: 'Kind of event whose example is sent; left out: webhook_test',
  })
  event_type: EventType = 'webhook_test';
}

@Described('The event that is on its way')
export class WebhookTestResponse {
  @Text({ format: 'uuid' }) webhook_id!: string;
  @OneOf(ALL_EVENT_TYPES) event_type!: EventType;
  @Int({ minimum: 1, description: 'metadata.sequence of the event that will arrive' }) sequence!: number;
}

@Described('Since when events were missed')
export class WebhookRecoverBody {
  @Timestamp({ description: `Start of the missed period, at most ${EVENT_RETENTION_DAYS} days ago` })
  since!: string;
}

@Described('What will be sent')
export class WebhookRecoverResponse {
  @Int({ description: 'Deliveries that will be sent (again)' }) scheduled!: number;
  @Flag({ description: 'More deliveries are left: call again with the same since' }) more!: boolean;
}

@Described('One event on its way to one subscription')
export class WebhookDelivery {
  @Text({ format: 'uuid', description: 'X-Service-Delivery-Id, the same for every attempt' }) id!: string;
  @Text({ format: 'uuid' }) webhook_id!: string;
  @Text({ format: 'uuid' }) event_id!: string;
  @OneOf(ALL_EVENT_TYPES) event_type!: EventType;
  @OneOf(DELIVERY_STATUSES, {
    description:
      'pending: still to be sent or sent again; cancelled: the subscription ended before the delivery did',
  })
  status!: DeliveryStatus;
  @Int() attempt_count!: number;
  @Timestamp({ nullable: true, description: 'null unless the delivery is pending' })
  next_attempt_at!: string | null;
  @Timestamp({ nullable: true }) last_attempt_at!: string | null;
  @Timestamp({ description: 'When the delivery was created, in UTC' }) created_at!: string;
}

@Described('One request to the receiver')
export class WebhookAttempt {
  @Int({ minimum: 1, description: 'Number of the attempt, from 1' }) number!: number;
  @Timestamp({ description: 'When the attempt began, in UTC' }) started_at!: string;
  @Int({ description: 'Milliseconds until the answer, or until the attempt was given up' })
  duration_ms!: number;
  @Int({ nullable: true, description: 'HTTP status of the answer; null when there was none' })
  status_code!: number | null;
  @OneOf(['refused_by_policy', 'dns', 'connect', 'tls', 'timeout', 'reset', 'protocol', 'event_gone'], {
    nullable: true,
    description: 'Why there was no answer; event_gone: nothing was sent, the event has been deleted',
  })
  failure!: string | null;
  @Text({
    nullable: true,
    maxLength: KEPT_ANSWER_BYTES,
    description: 'First KiB of the answer; null of a callback',
  })
  answer!: string | null;
}

@Described('A delivery with its event and its attempts')
export class WebhookDeliveryDetail extends WebhookDelivery {
  @Nested(() => WebhookEvent, { nullable: true, description: 'null when it has been deleted' })
  event!: WebhookEvent | null;
  @Nested(() => WebhookAttempt, {
    list: { maxItems: MAX_PAGE_SIZE },
    description: 'A page of the attempts, oldest first',
  })
  attempts!: WebhookAttempt[];
  @Nested(() => CursorOnlyPagination, { description: 'Of `attempts`: limit and cursor of the query' })
  attempts_pagination!: CursorOnlyPagination;
}

export class WebhookDeliveryListQuery extends CursorQuery {
  @OneOf(DELIVERY_STATUSES, { optional: true, description: 'Only deliveries in this state' })
  status?: DeliveryStatus;
  @OneOf(ALL_EVENT_TYPES, { optional: true, description: 'Only deliveries of events of this kind' })
  event_type?: EventType;
}

@Described('A page of the deliveries of a subscription')
export class WebhookDeliveryListResponse {
  @Nested(() => WebhookDelivery, { list: { maxItems: MAX_PAGE_SIZE } }) data!: WebhookDelivery[];
  @Nested(() => OffsetPagination) pagination!: OffsetPagination;
}

const ORGANIZATION = '/api/v2/public/orgs/{orgId}';
const WEBHOOKS = `${ORGANIZATION}/webhooks` as const;
const WEBHOOK = `${WEBHOOKS}/{webhookId}` as const;
const DELIVERY = `${ORGANIZATION}/webhook-deliveries/{deliveryId}` as const;

export const createWebhook = operation({
  name: 'webhooks.create',
  needsConfirmation: true,
  summary: 'Subscribe a URL to events; the answer shows the secret, once',
  refuses: ['conflict'],
  service: 'webhook-worker',
  access: 'webhooks.write',
  method: 'POST',
  path: WEBHOOKS,
  body: WebhookCreateBody,
  reply: WebhookSubscriptionWithSecret,
  statuses: [201],
});

export const listWebhooks = operation({
  name: 'webhooks.list',
  summary: 'List webhook subscriptions',
  service: 'webhook-worker',
  access: 'webhooks.read',
  path: WEBHOOKS,
  query: CursorOnlyQuery,
  reply: WebhookListResponse,
});

export const getWebhook = operation({
  name: 'webhooks.get',
  summary: 'Read a webhook subscription',
  service: 'webhook-worker',
  access: 'webhooks.read',
  path: WEBHOOK,
  reply: WebhookSubscription,
});

export const updateWebhook = operation({
  name: 'webhooks.update',
  // A new URL receives the orders of the organization.
  mayNeedConfirmation: true,
  summary: 'Change the given fields of a subscription, or switch it off and on',
  service: 'webhook-worker',
  access: 'webhooks.write',
  method: 'PUT',
  path: WEBHOOK,
  body: WebhookUpdateBody,
  reply: WebhookSubscription,
});

export const deleteWebhook = operation({
  name: 'webhooks.delete',
  summary: 'Delete a subscription and cancel its pending deliveries',
  service: 'webhook-worker',
  access: 'webhooks.write',
  method: 'DELETE',
  path: WEBHOOK,
  statuses: [204],
});

export const rotateWebhookSecret = operation({
  name: 'webhooks.rotate-secret',
  needsConfirmation: true,
  summary: 'Create a new secret; the old one also signs for 24 hours, or until finish',
  service: 'webhook-worker',
  access: 'webhooks.write',
  method: 'POST',
  path: `${WEBHOOK}/rotate-secret`,
  body: RotateSecretBody,
  reply: RotatedWebhookSubscription,
});

export const testWebhook = operation({
  name: 'webhooks.test',
  summary: 'Send a webhook_test event, or the example of another kind, to this subscription only',
  refuses: ['conflict'],
  service: 'webhook-worker',
  access: 'webhooks.write',
  method: 'POST',
  path: `${WEBHOOK}/test`,
  body: WebhookTestBody,
  reply: WebhookTestResponse,
});

export const recoverWebhook = operation({
  name: 'webhooks.recover',
  summary: 'Send every event since a time that this subscription missed',
  refuses: ['conflict'],
  service: 'webhook-worker',
  access: 'webhooks.write',
  method: 'POST',
  path: `${WEBHOOK}/recover`,
  body: WebhookRecoverBody,
  narrow: 'Give a later since.',
  reply: WebhookRecoverResponse,
});

export const listWebhookDeliveries = operation({
  name: 'webhooks.deliveries',
  summary: 'List the deliveries of a subscription, newest event first',
  service: 'webhook-worker',
  access: 'webhooks.read',
  path: `${WEBHOOK}/deliveries`,
  query: WebhookDeliveryListQuery,
  narrow: 'Ask for fewer rows (limit), or page by cursor.',
  reply: WebhookDeliveryListResponse,
});

export const getWebhookDelivery = operation({
  name: 'webhook-deliveries.get',
  summary: 'Read a delivery with its event and its attempts',
  service: 'webhook-worker',
  access: 'webhooks.read',
  path: DELIVERY,
  query: CursorOnlyQuery,
  reply: WebhookDeliveryDetail,
});

export const redeliverWebhook = operation({
  name: 'webhook-deliveries.redeliver',
  summary: 'Send a delivery again, now, under the same delivery id',
  refuses: ['conflict'],
  service: 'webhook-worker',
  access: 'webhooks.write',
  method: 'POST',
  path: `${DELIVERY}/redeliver`,
  reply: WebhookDelivery,
});
