import type { EventType } from '../webhooks/events';
import { Flag, Int, Nested, OneOf, Text, Timestamp } from '../calls/fields';
import { internalOperation, MAX_BODY_BYTES, operation } from '../calls/operation';
import { OrderRequestProgress } from './order-requests';
import { CALLBACK_STEPS, type CallbackStep } from './certification-steps';
import { REQUEST_ORDER_CHANGES, type RequestOrderChange } from './partner-answer';
import { CHANGED_STATUS_FIELDS, ChangedStatus, type ChangedStatusField } from '../orders/changed-status';
import { ORDER_STATUSES, type OrderStatus } from '../orders/orders';
import { Described } from '../calls/schema';
import { DISABLED_REASONS, type DisabledReason, MAX_WEBHOOK_URL_LENGTH } from '../webhooks/webhooks';

/**
 * The callback of a partner: a URL that is notified of the requests that one integration handed in at one shop, and of
 * their orders. An integration is an integration key with those that replaced it; its id is that of the first key.
 *
 * The partner calls order-core, which knows the integration. webhook-worker owns the callback: it is a subscription of
 * its delivery engine. The worker asks order-core for the body of each attempt, so no text about a customer is stored
 * outside of order-core (decision 0061).
 */
export const CALLBACK_EVENT_TYPES = [
  'order_request_approved',
  'order_request_rejected',
  'order_request_clarification',
  'order_request_expired',
  'order_request_cancelled',
  'order_status_updated',
  'order_updated',
] as const satisfies readonly EventType[];
export type CallbackEventType = (typeof CALLBACK_EVENT_TYPES)[number];

/** The organization's events that a callback reports; a payment that an upsert changes as `order_status_updated`. */
export const CALLBACK_SOURCES = [
  ...CALLBACK_EVENT_TYPES,
  'order_payment_updated',
] as const satisfies readonly EventType[];

/** What `changed` may name. */
const CALLBACK_CHANGES = [...new Set([...CHANGED_STATUS_FIELDS, ...REQUEST_ORDER_CHANGES])];

@Described('The URL that events are posted to.')
export class CallbackBody {
  @Text({
    minLength: 1,
    maxLength: MAX_WEBHOOK_URL_LENGTH,
    description: 'HTTPS URL that the events are posted to',
    example: 'https://telemedicine.example.com/offizin-callback',
  })
  url!: string;
}

@Described('The callback of this key at this shop.')
export class Callback {
  @Text({ maxLength: MAX_WEBHOOK_URL_LENGTH, description: 'URL that the events are posted to' }) url!: string;
  @Flag({ description: 'Events are delivered; false: the service switched the callback off' })
  is_active!: boolean;
  @OneOf(Object.keys(DISABLED_REASONS), {
    nullable: true,
    description: 'Why the service switched the callback off; null where it did not',
  })
  disabled_reason!: DisabledReason | null;
  @Timestamp({
    nullable: true,
    description: 'When the service switched it off, in UTC; null where it did not',
  })
  disabled_at!: string | null;
  @Timestamp({ nullable: true, description: 'Since when every attempt has failed' })
  failing_since!: string | null;
  @Timestamp({ nullable: true, description: 'Until when the previous secret also signs' })
  previous_secret_until!: string | null;
  @Timestamp() created_at!: string;
  @Timestamp() updated_at!: string;
}

@Described('The callback of this key at this shop, with the secret that signs its events.')
export class CallbackWithSecret extends Callback {
  @Text({
    description: 'Shown in this answer only',
    example: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=',
  })
  secret!: string;
}

@Described('What reading the request back answered when the event was sent.')
export class CallbackMetadata extends OrderRequestProgress {
  @Timestamp({
    description:
      'When this state was read, in UTC: at the sending. The event is of created_at, so later changes may be in the state already',
  })
  as_of!: string;
  @Int({
    minimum: 1,
    description: 'Increases within the events of the request, and within those of its order',
  })
  sequence!: number;
  @OneOf(ORDER_STATUSES, { optional: true, description: 'Only of order_status_updated: the status before' })
  old_status?: OrderStatus;
  @OneOf(ORDER_STATUSES, {
    optional: true,
    description: 'Only of order_status_updated: the status after; the same where another field changed',
  })
  new_status?: OrderStatus;
  @OneOf(CALLBACK_CHANGES, {
    many: true,
    optional: true,
    description:
      'Only of order_status_updated: which of status, payment_status, shipped, picked_up changed; and of order_updated: which members of order',
  })
  changed?: (ChangedStatusField | RequestOrderChange)[];
  @Nested(() => ChangedStatus, {
    optional: true,
    description: 'Only of order_status_updated: those fields before',
  })
  old?: ChangedStatus;
  @Nested(() => ChangedStatus, {
    optional: true,
    description: 'Only of order_status_updated: those fields after',
  })
  new?: ChangedStatus;
}

@Described('An event about an order request of the partner, or about its order.')
export class CallbackEvent {
  @Text({ format: 'uuid', description: 'Id of the event: the same in every attempt' }) id!: string;
  @Text() org_id!: string;
  @OneOf(CALLBACK_EVENT_TYPES) event_type!: CallbackEventType;
  @Text({ description: 'Human-readable title' }) title!: string;
  @Text({ description: 'Human-readable text' }) description!: string;
  @Nested(() => CallbackMetadata) metadata!: CallbackMetadata;
  @Timestamp({ description: 'When the change was made, in UTC' }) created_at!: string;
}

export const NO_CALLBACK = 'This key has no callback at this shop.';

const CALLBACK_PATH = '/api/v1/callback';

export const setCallback = operation({
  name: 'callback.set-external',
  summary: 'Set the URL that is notified of your requests at this shop; each call answers a new secret, once',
  via: 'http',
  access: 'connector',
  method: 'PUT',
  path: CALLBACK_PATH,
  body: CallbackBody,
  maxBodyBytes: MAX_BODY_BYTES,
  reply: CallbackWithSecret,
});

export const getCallback = operation({
  name: 'callback.get-external',
  summary: 'Read the callback, without its secret',
  via: 'http',
  access: 'connector',
  path: CALLBACK_PATH,
  reply: Callback,
});

export const deleteCallback = operation({
  name: 'callback.delete-external',
  summary: 'Delete the callback and cancel its pending deliveries',
  via: 'http',
  access: 'connector',
  method: 'DELETE',
  path: CALLBACK_PATH,
  statuses: [204],
});

/** Whose callback. */
export class CallbackOwner {
  @Text({ format: 'uuid' }) org_id!: string;
  @Text({ format: 'uuid' }) integration_id!: string;
  @Text({ format: 'uuid' }) shop_id!: string;
}

/** `key_id`: the key that asked, for the audit log. */
export class StoreCallbackBody extends CallbackOwner {
  @Text({ format: 'uuid' }) key_id!: string;
  @Text({ maxLength: MAX_WEBHOOK_URL_LENGTH }) url!: string;
}

export class RemoveCallbackBody extends CallbackOwner {
  @Text({ format: 'uuid' }) key_id!: string;
}

export class RemoveCallbackResponse {
  @Flag() removed!: boolean;
}

export const storeCallback = internalOperation({
  name: 'callbacks.store',
  summary: 'Make or change the callback of an integration at a shop',
  service: 'webhook-worker',
  body: StoreCallbackBody,
  reply: CallbackWithSecret,
});

export const findCallback = internalOperation({
  name: 'callbacks.find',
  summary: 'Read the callback of an integration at a shop',
  service: 'webhook-worker',
  body: CallbackOwner,
  reply: Callback,
});

export const removeCallback = internalOperation({
  name: 'callbacks.remove',
  summary: 'Delete the callback of an integration at a shop',
  service: 'webhook-worker',
  body: RemoveCallbackBody,
  reply: RemoveCallbackResponse,
});

export class ReadForCallbackBody extends CallbackOwner {
  @Text({ format: 'uuid' }) order_request_id!: string;
}

export class ReadForCallbackResponse {
  @Flag({ description: 'A key of the integration may use this shop; false: its callback ends' })
  is_live!: boolean;
  @Nested(() => OrderRequestProgress, { nullable: true, description: 'null when there is no such request' })
  progress!: OrderRequestProgress | null;
  @Timestamp({ nullable: true, description: 'When it was read; null without one' }) as_of!: string | null;
  @OneOf(CALLBACK_STEPS, {
    many: true,
    optional: true,
    description: 'Steps of the certification that are not done; left out for all but test shops',
  })
  awaited?: CallbackStep[];
}

/** Asked before each attempt. */
export const readForCallback = internalOperation({
  name: 'order-requests.read-for-callback',
  summary: 'What an integration may read of a request now',
  body: ReadForCallbackBody,
  reply: ReadForCallbackResponse,
});
