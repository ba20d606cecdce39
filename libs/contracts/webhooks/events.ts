import { FreeObject, OneOf, Text, Timestamp } from '../calls/fields';
import type { ServiceName } from '../calls/operation';
import { Described } from '../calls/schema';

/**
 * Events as subscribers get them. One event for one committed change. Metadata holds ids and states, no customer
 * data. The bytes that the owning service stored in its outbox are the bytes that are signed and sent.
 */
export const EVENT_TYPES = {
  order_status_updated: 'Status, payment status or a flag of an order changed',
  order_request_submitted: 'An order request was handed in',
  order_created: 'An order was created',
  order_updated: 'Fields of an order changed',
  order_payment_updated: 'Payment status or reference of an order changed, and nothing else',
  order_request_approved: 'An order request was approved and became an order',
  order_request_rejected: 'An order request was rejected',
  order_request_clarification: 'Staff asked about an order request, or offered other lines',
  order_request_expired: 'An order request expired before it was decided',
  order_request_cancelled: 'An order request was withdrawn by its sender',
  prescription_received: 'A prescription was ingested',
  customer_erased: 'Personal data of orders, order requests and prescriptions were erased',
  lot_held: 'A lot was put on hold',
  product_attached: 'A product was attached to a shop',
  product_detached: 'A product was detached from a shop',
  product_updated: 'A product of the organization changed',
  inventory_adjusted: 'The stock of a product was adjusted',
  inventory_low: 'The stock of a product fell to its threshold',
  webhook_subscription_disabled: 'A subscription was switched off',
  webhook_test: 'A test that the subscriber asked for',
} as const;
export type EventType = keyof typeof EVENT_TYPES;
export const ALL_EVENT_TYPES: readonly string[] = Object.keys(EVENT_TYPES);

export function isEventType(text: string): text is EventType {
  return ALL_EVENT_TYPES.includes(text);
}

@Described('An event: something has changed. Metadata holds ids and states, no customer data')
export class WebhookEvent {
  @Text({ format: 'uuid', description: 'Id of the event: the same in every delivery and in the feed' })
  id!: string;
  @Text() org_id!: string;
  @OneOf(ALL_EVENT_TYPES) event_type!: EventType;
  @Text({ description: 'Human-readable title' }) title!: string;
  /** May contain a caller's id of up to 255 characters. */
  @Text({ maxLength: 1000, description: 'Human-readable text' }) description!: string;
  @FreeObject({ description: 'Ids and states; sequence increases by one per object' }) metadata!: Record<
    string,
    unknown
  >;
  @Timestamp({ description: 'When the change was made, in UTC' }) created_at!: string;
}

/** Only for order-core's audit log; see audit-record.ts. */
export const AUDIT_RECORD = 'audit_record';

/** An event between an outbox and its consumers: the stored body, and the fields that order it. */
export interface OutboxEvent {
  id: string;
  orgId: string;
  eventType: EventType | typeof AUDIT_RECORD;
  /** The object whose events must keep their order. */
  aggregateId: string;
  /** Increases by one per aggregate; 0 in an audit record, which has no order. */
  sequence: number;
  /** JSON text of a WebhookEvent, or of an AuditRecord. */
  body: string;
  /**
   * `stock` if the catalog also consumes the event, `audit` if only order-core does; see subjectOfEvent.
   */
  topic: EventTopic;
  /** Traceparent of the cause, if sampled. Sent as a header, never in the body. */
  traceparent?: string | null;
  /** The integration whose request the event concerns, for its callback (callbacks.ts). Never in the body. */
  integrationId?: string | null;
}
export type EventTopic = 'stock' | 'plain' | 'audit';

type Publisher = Exclude<ServiceName, 'gateway' | 'connector-edge'>;

/** The topics that each service publishes. */
export const topicsOf: Readonly<Record<Publisher, readonly EventTopic[]>> = {
  'order-core': ['plain', 'stock'],
  catalog: ['plain', 'audit'],
  'webhook-worker': ['plain', 'audit'],
};

/** The service that owns the objects of an event type; only it may publish the type. */
const publisherOf: Readonly<Record<EventType, Publisher>> = {
  order_status_updated: 'order-core',
  order_request_submitted: 'order-core',
  order_created: 'order-core',
  order_updated: 'order-core',
  order_payment_updated: 'order-core',
  order_request_approved: 'order-core',
  order_request_rejected: 'order-core',
  order_request_clarification: 'order-core',
  order_request_expired: 'order-core',
  order_request_cancelled: 'order-core',
  prescription_received: 'order-core',
  customer_erased: 'order-core',
  lot_held: 'order-core',
  product_attached: 'catalog',
  product_detached: 'catalog',
  product_updated: 'catalog',
  inventory_adjusted: 'catalog',
  inventory_low: 'catalog',
  webhook_subscription_disabled: 'webhook-worker',
  webhook_test: 'webhook-worker',
};

/**
 * Whether the subject allows an event of this type. The broker's permissions bind the subject to its publisher;
 * this check binds the content to the subject, so that a compromised catalog cannot publish `order_created`.
 */
export function mayStandOn(subject: string, eventType: string): boolean {
  const publisher = subject.slice(subject.lastIndexOf('.') + 1);
  if (subject.startsWith('audit.') || eventType === AUDIT_RECORD)
    return subject.startsWith('audit.') && eventType === AUDIT_RECORD;
  // Unknown types (of a newer version) are left to the consumer.
  return !isEventType(eventType) || publisherOf[eventType] === publisher;
}

/**
 * Subject of a message in the stream EVENTS: `events.<topic>.<publisher>`. With the topic in the subject, one
 * filter limits the catalog's consumer to stock events (several filters need NATS 2.10, development uses 2.9).
 * Audit records use `audit.<publisher>`, outside `events.>`. The broker's permissions bind each subject to its
 * publisher.
 */
export function subjectOfEvent({ topic }: Pick<OutboxEvent, 'topic'>, publisher: ServiceName): string {
  return topic === 'audit' ? `audit.${publisher}` : `events.${topic}.${publisher}`;
}
