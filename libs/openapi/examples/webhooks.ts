import { describedEventTypes } from '@offizin/contracts/webhooks/event-descriptions';
import { EventFeedResponse, WebhookEventTypeListResponse } from '@offizin/contracts/webhooks/event-feed';
import {
  RotatedWebhookSubscription,
  RotateSecretBody,
  WebhookCreateBody,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryListResponse,
  WebhookListResponse,
  WebhookRecoverBody,
  WebhookRecoverResponse,
  WebhookSubscription,
  WebhookSubscriptionWithSecret,
  WebhookTestBody,
  WebhookTestResponse,
  WebhookUpdateBody,
} from '@offizin/contracts/webhooks/webhooks';
import {
  Callback,
  CallbackBody,
  CallbackEvent,
  CallbackWithSecret,
} from '@offizin/contracts/requests/callbacks';
import { REQUEST_ORDER } from './order-requests';
import {
  CHANGED_AT,
  CREATED_AT,
  DELIVERY_ID,
  EVENT_ID,
  example,
  FIRST_OF_MANY,
  LAST_PAGE,
  ORG_ID,
  REFERENCE,
  REQUEST_ID,
  WEBHOOK_ID,
} from './example';

const URL = 'https://erp.example.com/offizin-webhook';
const KINDS = describedEventTypes();
const CREATED = KINDS.filter(({ event_type }) => event_type === 'order_created');
const EVENTS = CREATED.map((kind) => ({ ...kind.example, id: EVENT_ID }));

const SUBSCRIPTION: WebhookSubscription = {
  id: WEBHOOK_ID,
  url: URL,
  event_types: ['order_created', 'order_status_updated'],
  description: 'ERP',
  is_active: true,
  rate_per_second: null,
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  previous_secret_until: null,
  created_at: CREATED_AT,
  updated_at: CREATED_AT,
};
const WITH_SECRET: WebhookSubscriptionWithSecret = {
  ...SUBSCRIPTION,
  secret: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=',
};
const DELIVERY: WebhookDelivery = {
  id: DELIVERY_ID,
  webhook_id: WEBHOOK_ID,
  event_id: EVENT_ID,
  event_type: 'order_created',
  status: 'succeeded',
  attempt_count: 1,
  next_attempt_at: null,
  last_attempt_at: CHANGED_AT,
  created_at: CREATED_AT,
};

export const WEBHOOK_EXAMPLES = [
  example(WebhookCreateBody, {
    url: URL,
    event_types: ['order_created', 'order_status_updated'],
    description: 'ERP',
  }),
  example(WebhookUpdateBody, { is_active: true, rate_per_second: 20 }),
  example(WebhookSubscription, SUBSCRIPTION),
  example(WebhookSubscriptionWithSecret, WITH_SECRET),
  example(RotateSecretBody, { finish: true }),
  example(RotatedWebhookSubscription, { ...WITH_SECRET, secret: null }),
  example(WebhookListResponse, { data: [SUBSCRIPTION], pagination: LAST_PAGE }),
  example(WebhookTestBody, { event_type: 'order_created' }),
  example(WebhookTestResponse, { webhook_id: WEBHOOK_ID, event_type: 'order_created', sequence: 42 }),
  example(WebhookRecoverBody, { since: CREATED_AT }),
  example(WebhookRecoverResponse, { scheduled: 12, more: false }),
  example(WebhookDelivery, DELIVERY),
  example(WebhookDeliveryListResponse, {
    data: [DELIVERY],
    pagination: { ...FIRST_OF_MANY, next_cursor: null },
  }),
  example(WebhookDeliveryDetail, {
    ...DELIVERY,
    event: EVENTS[0] ?? null,
    attempts: [
      { number: 1, started_at: CHANGED_AT, duration_ms: 84, status_code: 204, failure: null, answer: null },
    ],
    attempts_pagination: LAST_PAGE,
  }),
  example(WebhookEventTypeListResponse, { data: CREATED, pagination: LAST_PAGE }),
  example(EventFeedResponse, { data: EVENTS, pagination: { limit: 50, next_cursor: EVENT_ID } }),
];

const CALLBACK_URL = 'https://telemedicine.example.com/offizin-callback';

const CALLBACK: Callback = {
  url: CALLBACK_URL,
  is_active: true,
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  previous_secret_until: null,
  created_at: CREATED_AT,
  updated_at: CREATED_AT,
};

/** The body that a partner receives. */
const CALLBACK_EVENT: CallbackEvent = {
  id: EVENT_ID,
  org_id: ORG_ID,
  event_type: 'order_status_updated',
  title: 'Order status updated',
  description: 'Status, payment status or a flag of an order changed.',
  metadata: {
    id: REQUEST_ID,
    status: 'approved',
    message: 'The request was approved and became an order.',
    external_reference: REFERENCE,
    order_status: 'shipped',
    order: { ...REQUEST_ORDER, status: 'shipped', shipped: true },
    answer: { corrected: false, changes: [] },
    reason: null,
    question: null,
    offer: null,
    documents: [],
    updated_at: CHANGED_AT,
    as_of: CHANGED_AT,
    old_status: 'awaiting_packing',
    new_status: 'shipped',
    changed: ['status', 'shipped'],
    old: { status: 'awaiting_packing', shipped: false },
    new: { status: 'shipped', shipped: true },
    sequence: 2,
  },
  created_at: CHANGED_AT,
};

export const CALLBACK_EXAMPLES = [
  example(CallbackBody, { url: CALLBACK_URL }),
  example(Callback, CALLBACK),
  example(CallbackWithSecret, {
    ...CALLBACK,
    secret: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=',
  }),
  example(CallbackEvent, CALLBACK_EVENT),
];
