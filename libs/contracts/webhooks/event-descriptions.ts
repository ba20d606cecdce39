import { EVENT_TYPES, type EventType, type WebhookEvent } from './events';
import { ADJUST_REASONS } from '../products/inventory';
import { CANCEL_REASONS, ORDER_REQUEST_STATUSES, REJECTION_REASONS } from '../requests/order-requests';
import { ChangedStatus } from '../orders/changed-status';
import { REQUEST_ORDER_CHANGES } from '../requests/partner-answer';
import { ORDER_STATUSES, PAYMENT_STATUSES } from '../orders/orders';
import { fieldsOf as schemasOf, type JsonSchema } from '../calls/schema';
import type { WebhookEventType } from './event-feed';
import { DISABLED_REASONS } from './webhooks';

/**
 * Fields of each kind of event: the single source of the `webhooks` of the OpenAPI description, of
 * `webhook-event-types`, of docs/integrate/events.md, and of the validation of all events in test runs. Receivers must ignore
 * unknown kinds and fields.
 */
interface Kind {
  title: string;
  /** Names of METADATA in every event of the kind; all kinds have `sequence`. */
  metadata: readonly MetadataName[];
  /** Names that only some events of the kind have. */
  optional?: readonly MetadataName[];
  /** Fields with a different schema in this kind. */
  own?: Partial<Record<MetadataName, MetadataField>>;
}

interface MetadataField {
  schema: JsonSchema;
  example: unknown;
}

const uuid = (last: number, description: string): MetadataField => ({
  schema: { type: 'string', format: 'uuid', description },
  example: `0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c${last}`,
});
const optionalUuid = (last: number, description: string): MetadataField => ({
  schema: { type: ['string', 'null'], format: 'uuid', description },
  example: uuid(last, description).example,
});
const oneOf = (values: readonly string[], example: string, description: string): MetadataField => ({
  schema: { type: 'string', enum: [...values], description },
  example,
});
const statusFields = (description: string, example: object): MetadataField => ({
  schema: {
    type: 'object',
    description,
    properties: Object.fromEntries([...schemasOf(ChangedStatus)].map(([name, { schema }]) => [name, schema])),
  },
  example,
});
const integer = (example: number, description: string, minimum?: number): MetadataField => ({
  schema: { type: 'integer', ...(minimum !== undefined && { minimum }), description },
  example,
});
const ids = (last: number, description: string): MetadataField => ({
  schema: { type: 'array', items: { type: 'string', format: 'uuid' }, description },
  example: [uuid(last, description).example],
});
const text = (example: string, description: string): MetadataField => ({
  schema: { type: 'string', description },
  example,
});

const DISABLED = Object.entries(DISABLED_REASONS)
  .map(([reason, meaning]) => `${reason}: ${meaning}`)
  .join('; ');

/** A name has the same meaning in all kinds. */
const METADATA = {
  order_id: uuid(11, 'Id of the order'),
  order_request_id: optionalUuid(
    12,
    'Order request that became the order; null where it was not made from one',
  ),
  webhook_id: uuid(13, 'Id of the webhook subscription'),
  shop_id: optionalUuid(14, 'Id of the shop; null where it concerns no single shop'),
  prescription_id: uuid(15, 'Id of the prescription'),
  erasure_id: uuid(18, 'Id of the erasure'),
  order_ids: ids(11, 'Orders that were emptied'),
  order_request_ids: ids(12, 'Order requests that were emptied'),
  prescription_ids: ids(15, 'Prescriptions that were emptied'),
  hold_id: uuid(24, 'Id of the hold of a lot'),
  log_id: uuid(16, 'Id of the entry in the stock log'),
  stock_claim_id: optionalUuid(
    17,
    'The claim that holds stock for the order; null when stock does not follow it',
  ),
  p1_id: text('P1-10001', 'Catalog product id'),
  source: text('telemedicine-platform', 'Platform as the sender names it, not verified'),
  integration_id: optionalUuid(
    19,
    'Integration that handed the request in, by the id of its first key; null where the organization did',
  ),
  status: oneOf(ORDER_STATUSES, 'pending', 'Status of the order after the change'),
  old_status: oneOf(ORDER_STATUSES, 'pending', 'Status before the change'),
  new_status: oneOf(ORDER_STATUSES, 'shipped', 'Status after the change; the same where only flags changed'),
  old_payment_status: oneOf(PAYMENT_STATUSES, 'pending', 'State of the payment before the change'),
  new_payment_status: oneOf(
    PAYMENT_STATUSES,
    'paid',
    'State of the payment after the change; the same where only the reference changed',
  ),
  changed: {
    schema: { type: 'array', items: { type: 'string' }, description: 'Names of the fields that changed' },
    example: ['status', 'shipped'],
  },
  old: statusFields('Those fields before the change', { status: 'pending', shipped: false }),
  new: statusFields('Those fields after the change', { status: 'shipped', shipped: true }),
  reason: text('other', 'Why'),
  delta: integer(-2, 'Pieces that were added; negative for pieces that were taken'),
  stock_quantity: integer(8, 'Pieces in stock after the change, reserved ones included', 0),
  low_stock_threshold: integer(10, 'Stock at or below this number counts as low', 0),
} satisfies Record<string, MetadataField>;
type MetadataName = keyof typeof METADATA;

const ORDER: MetadataName[] = ['order_id', 'shop_id', 'order_request_id'];
const STOCKED: MetadataName[] = [...ORDER, 'stock_claim_id'];
const REQUEST: MetadataName[] = ['order_request_id', 'shop_id', 'status'];
const SHOP_PRODUCT: MetadataName[] = ['p1_id', 'shop_id'];
const ofRequest = (status: string) => ({
  order_request_id: uuid(12, 'Id of the order request'),
  status: oneOf(ORDER_REQUEST_STATUSES, status, 'State of the request after the change'),
});

const KINDS: Record<EventType, Kind> = {
  order_status_updated: {
    title: 'Order status updated',
    metadata: [...STOCKED, 'old_status', 'new_status', 'changed', 'old', 'new'],
  },
  order_request_submitted: {
    title: 'Order request submitted',
    metadata: [...REQUEST, 'source', 'integration_id'],
    own: ofRequest('pending'),
  },
  order_created: { title: 'Order created', metadata: [...STOCKED, 'status'] },
  order_updated: {
    title: 'Order changed',
    metadata: [...STOCKED, 'status'],
    optional: ['changed'],
    own: {
      changed: {
        schema: {
          type: 'array',
          items: { type: 'string', enum: [...REQUEST_ORDER_CHANGES] },
          description:
            'Which of these changed of an order that was made from a request; of other orders parcels alone. Left out where none did',
        },
        example: ['items', 'total_amount'],
      },
    },
  },
  order_payment_updated: {
    title: 'Order payment updated',
    metadata: [...ORDER, 'old_payment_status', 'new_payment_status', 'changed'],
    own: { changed: { ...METADATA.changed, example: ['payment_status', 'payment_reference'] } },
  },
  order_request_approved: {
    title: 'Order request approved',
    metadata: [...REQUEST, 'order_id'],
    own: ofRequest('approved'),
  },
  order_request_rejected: {
    title: 'Order request rejected',
    metadata: [...REQUEST, 'reason'],
    own: {
      ...ofRequest('rejected'),
      reason: oneOf(REJECTION_REASONS, 'prescription_missing', 'Why the request was rejected'),
    },
  },
  order_request_clarification: {
    title: 'Question about an order request',
    metadata: REQUEST,
    own: ofRequest('needs_clarification'),
  },
  order_request_expired: {
    title: 'Order request expired',
    metadata: REQUEST,
    own: ofRequest('expired'),
  },
  order_request_cancelled: {
    title: 'Order request withdrawn',
    metadata: [...REQUEST, 'reason'],
    own: {
      ...ofRequest('cancelled'),
      reason: oneOf(CANCEL_REASONS, 'customer_request', 'Why the request was withdrawn'),
    },
  },
  prescription_received: { title: 'Prescription received', metadata: ['prescription_id', 'shop_id'] },
  customer_erased: {
    title: 'Customer erased',
    metadata: ['erasure_id', 'order_ids', 'order_request_ids', 'prescription_ids'],
  },
  lot_held: { title: 'Lot on hold', metadata: ['hold_id', 'p1_id'] },
  product_attached: { title: 'Product attached', metadata: SHOP_PRODUCT },
  product_detached: { title: 'Product detached', metadata: SHOP_PRODUCT },
  product_updated: {
    title: 'Product updated',
    metadata: [...SHOP_PRODUCT, 'changed'],
    own: { changed: { ...METADATA.changed, example: ['overrides'] } },
  },
  inventory_adjusted: {
    title: 'Stock adjusted',
    metadata: ['p1_id', 'log_id', 'delta', 'stock_quantity', 'reason'],
    own: { reason: oneOf(ADJUST_REASONS, 'correction', 'Why the stock changed') },
  },
  inventory_low: { title: 'Stock is low', metadata: ['p1_id', 'stock_quantity', 'low_stock_threshold'] },
  webhook_subscription_disabled: {
    title: 'Webhook switched off',
    metadata: ['webhook_id', 'reason'],
    own: { reason: oneOf(Object.keys(DISABLED_REASONS), 'only_failures', DISABLED) },
  },
  webhook_test: { title: 'Test', metadata: ['webhook_id'] },
};

/** Every kind with its schema and an example. */
export function describedEventTypes(): WebhookEventType[] {
  return eventTypes().map((eventType) => ({
    event_type: eventType,
    description: EVENT_TYPES[eventType],
    schema: schemaOfEvent(eventType),
    example: exampleOfEvent(eventType),
  }));
}

export function exampleOfEvent(eventType: EventType): WebhookEvent {
  const { title } = KINDS[eventType];
  const metadata = Object.fromEntries(fieldsOf(eventType).map(([name, { example }]) => [name, example]));
  return {
    id: '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c10',
    org_id: '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c00',
    event_type: eventType,
    title,
    description: `${EVENT_TYPES[eventType]}.`,
    metadata: { ...metadata, sequence: 1 },
    created_at: '2026-01-31T12:00:00.000Z',
  };
}

/** Self-contained JSON Schema (2020-12) of the body of one kind. */
export function schemaOfEvent(eventType: EventType): JsonSchema {
  const string = (description: string) => ({ type: 'string', description });
  return {
    type: 'object',
    required: ['id', 'org_id', 'event_type', 'title', 'description', 'metadata', 'created_at'],
    properties: {
      id: { ...string('Id of the event: the same in every delivery and in the feed'), format: 'uuid' },
      org_id: string('Id of the organization'),
      event_type: { const: eventType, description: 'Kind of the event' },
      title: string('Human-readable title'),
      description: string('Human-readable text'),
      metadata: metadataSchemaOf(eventType),
      created_at: { ...string('When the change was made, in UTC'), format: 'date-time' },
    },
  };
}

/** JSON Schema of `metadata` alone. */
export function metadataSchemaOf(eventType: EventType): JsonSchema {
  return {
    type: 'object',
    description: 'Ids and states; no customer data',
    required: [...KINDS[eventType].metadata, 'sequence'],
    properties: {
      ...Object.fromEntries(fieldsOf(eventType).map(([name, { schema }]) => [name, schema])),
      test: {
        type: 'boolean',
        description: 'True in an event that webhooks.test sent, and in one of a test shop; else left out',
      },
      sequence: { type: 'integer', minimum: 1, description: 'Increases by one per object' },
    },
  };
}

function fieldsOf(eventType: EventType): [string, MetadataField][] {
  const { metadata, optional = [], own } = KINDS[eventType];
  return [...metadata, ...optional].map((name) => [name, own?.[name] ?? METADATA[name]]);
}

function eventTypes(): EventType[] {
  return Object.keys(EVENT_TYPES).filter((name): name is EventType => Object.hasOwn(KINDS, name));
}
