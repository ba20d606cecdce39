/** Webhook subscriptions, deliveries and events; see sentences.ts. */
const SUBSCRIPTION = 'Id of the subscription';
const URL_RULE = 'HTTPS URL that the events are posted to';

export const WEBHOOK_SENTENCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  WebhookSubscription: {
    $: 'A URL that gets events',
    id: SUBSCRIPTION,
    url: 'URL that the events are posted to',
    description: 'Purpose of the subscription, for people',
    is_active: 'Events are delivered; false: switched off, by a person or by the service',
  },
  WebhookSubscriptionWithSecret: { $: 'A URL that gets events, with the secret that signs them' },
  WebhookSettings: {
    description: 'Purpose of the subscription, for people; null for none',
    rate_per_second: 'Attempts per second at most; null, the default, for no limit',
  },
  WebhookCreateBody: { $: 'A new subscription', url: URL_RULE },
  WebhookUpdateBody: { $: 'Changes of a subscription. Fields left out keep their value', url: URL_RULE },
  WebhookListResponse: { $: 'The subscriptions of the organization' },
  WebhookTestBody: { $: 'Which event is sent as a test' },
  WebhookTestResponse: { $: 'The event that is on its way' },
  WebhookRecoverBody: { $: 'Since when events were missed' },
  WebhookRecoverResponse: { $: 'What will be sent' },
  WebhookDelivery: {
    $: 'One event on its way to one subscription',
    status:
      'pending: still to be sent or sent again; cancelled: the subscription ended before the delivery did',
    created_at: 'When the delivery was created, in UTC',
  },
  WebhookDeliveryDetail: { $: 'A delivery with its event and its attempts' },
  WebhookAttempt: {
    $: 'One request to the receiver',
    number: 'Number of the attempt, from 1',
    started_at: 'When the attempt began, in UTC',
    duration_ms: 'Milliseconds until the answer, or until the attempt was given up',
  },
  WebhookDeliveryListQuery: {
    status: 'Only deliveries in this state',
    event_type: 'Only deliveries of events of this kind',
  },
  WebhookDeliveryListResponse: { $: 'A page of the deliveries of a subscription' },
  WebhookEvent: {
    $: 'An event: something has changed. Metadata holds ids and states, no customer data',
    id: 'Id of the event: the same in every delivery and in the feed',
    created_at: 'When the change was made, in UTC',
  },
  WebhookEventType: {
    $: 'A kind of event',
    description: 'When such an event is sent',
    example: 'An event of this kind, which webhooks.test sends when asked for the kind',
  },
  WebhookEventTypeListResponse: { $: 'The kinds of events' },
  EventFeedQuery: { event_type: 'Only events of this kind' },
  EventFeedResponse: {
    $: 'A page of events, in the order of their arrival',
    data: 'The events, oldest first',
  },
  EventFeedPagination: { $: 'Paging by the id of the last event' },
};
