import { EVENT_TYPES, type EventType, type WebhookEvent } from '@offizin/contracts/events';
import type { WebhookEventType } from '@offizin/contracts/webhook-events';

/**
 * What each kind of event carries, for people who write a receiver. The schema is derived from the example: every value
 * of `metadata` has the type shown there. Receivers ignore what they do not know; kinds and fields are added over time.
 */
const ORDER_ID = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c11';
const REQUEST_ID = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c12';
const WEBHOOK_ID = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c13';
const SHOP_ID = '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c14';
const PRODUCT_ID = 'P1-10001';

type Metadata = Record<string, string | number | string[]>;

/** They stand in every event of their kind, but may be null: an order that was not made from a request. */
const NULLABLE = new Set(['order_request_id', 'shop_id', 'stock_claim_id']);

const ORDER = { order_id: ORDER_ID, shop_id: SHOP_ID, order_request_id: REQUEST_ID };
/** The claim by which stock follows the order; null where it does not. */
const STOCKED = { ...ORDER, stock_claim_id: '0197a6f0-7c1e-7b1a-9c55-6a3a0a9f1c15' };
const REQUEST = { order_request_id: REQUEST_ID, shop_id: SHOP_ID };

export const METADATA_EXAMPLES: Record<EventType, { title: string; metadata: Metadata }> = {
  order_status_updated: {
    title: 'Order status updated',
    metadata: { ...STOCKED, old_status: 'pending', new_status: 'shipped', changed: ['status', 'shipped'] },
  },
  order_request_submitted: {
    title: 'Order request submitted',
    metadata: { ...REQUEST, source: 'telemedicine-platform', status: 'pending' },
  },
  order_created: { title: 'Order created', metadata: { ...STOCKED, status: 'pending' } },
  order_updated: { title: 'Order changed', metadata: { ...STOCKED, status: 'pending' } },
  order_payment_updated: {
    title: 'Order payment updated',
    metadata: {
      ...ORDER,
      old_payment_status: 'pending',
      new_payment_status: 'paid',
      changed: ['payment_status', 'payment_reference'],
    },
  },
  order_request_approved: { title: 'Order request approved', metadata: { ...ORDER, status: 'approved' } },
  order_request_rejected: {
    title: 'Order request rejected',
    metadata: { ...REQUEST, reason: 'prescription_missing', status: 'rejected' },
  },
  order_request_clarification: {
    title: 'Question about an order request',
    metadata: { ...REQUEST, status: 'needs_clarification' },
  },
  prescription_received: {
    title: 'Prescription received',
    metadata: { prescription_id: REQUEST_ID, shop_id: SHOP_ID },
  },
  product_attached: { title: 'Product attached', metadata: { p1_id: PRODUCT_ID, shop_id: SHOP_ID } },
  product_detached: { title: 'Product detached', metadata: { p1_id: PRODUCT_ID, shop_id: SHOP_ID } },
  product_updated: { title: 'Product updated', metadata: { p1_id: PRODUCT_ID, shop_id: SHOP_ID } },
  inventory_adjusted: {
    title: 'Stock adjusted',
    metadata: { p1_id: PRODUCT_ID, log_id: REQUEST_ID, delta: -2, stock_quantity: 8, reason: 'correction' },
  },
  inventory_low: {
    title: 'Stock is low',
    metadata: { p1_id: PRODUCT_ID, stock_quantity: 2, low_stock_threshold: 5 },
  },
  webhook_subscription_disabled: {
    title: 'Webhook switched off',
    metadata: { webhook_id: WEBHOOK_ID, reason: 'only_failures' },
  },
  webhook_test: { title: 'Test', metadata: { webhook_id: WEBHOOK_ID } },
};

/** Every kind with its schema and an example. */
export function describedEventTypes(): WebhookEventType[] {
  return eventTypes().map((eventType) => ({
    event_type: eventType,
    description: EVENT_TYPES[eventType],
    schema: schemaOf(eventType),
    example: exampleOf(eventType),
  }));
}

export function exampleOf(eventType: EventType): WebhookEvent {
  const { title, metadata } = METADATA_EXAMPLES[eventType];
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

/** JSON Schema (2020-12) of the body of one kind. */
export function schemaOf(eventType: EventType): Record<string, unknown> {
  const metadata = Object.entries(METADATA_EXAMPLES[eventType].metadata);
  const text = { type: 'string' };
  return {
    type: 'object',
    required: ['id', 'org_id', 'event_type', 'title', 'description', 'metadata', 'created_at'],
    properties: {
      id: { type: 'string', format: 'uuid' },
      org_id: text,
      event_type: { const: eventType },
      title: text,
      description: text,
      metadata: {
        type: 'object',
        required: [...metadata.map(([name]) => name), 'sequence'],
        properties: {
          ...Object.fromEntries(metadata.map(([name, value]) => [name, schemaOfValue(name, value)])),
          sequence: { type: 'integer', minimum: 1, description: 'Rises by one per object' },
        },
      },
      created_at: { type: 'string', format: 'date-time' },
    },
  };
}

function schemaOfValue(name: string, value: Metadata[string]): Record<string, unknown> {
  if (Array.isArray(value)) return { type: 'array', items: { type: 'string' } };
  const type = typeof value === 'number' ? 'integer' : 'string';
  return { type: NULLABLE.has(name) ? [type, 'null'] : type };
}

function eventTypes(): EventType[] {
  return Object.keys(METADATA_EXAMPLES).filter((name): name is EventType => Object.hasOwn(EVENT_TYPES, name));
}
