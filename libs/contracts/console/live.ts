import type { EventType } from '../webhooks/events';
import { Text } from '../calls/fields';
import { consoleOperation } from '../calls/operation';
import type { StaffScope } from '../people/scopes';

/**
 * The console's stream: what changed, and whether the session still counts. It states that something changed and never
 * what: the console asks again, with its own rights (decision 0040).
 */

export const CHANGE_KINDS = [
  'order_request',
  'order',
  'prescription',
  'product',
  'inventory',
  'webhook',
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** A role is notified of a kind that it may read. */
export const SCOPE_OF_KIND: Readonly<Record<ChangeKind, StaffScope>> = {
  order_request: 'order_requests.read',
  order: 'orders.read',
  prescription: 'prescriptions.read',
  product: 'products.read',
  inventory: 'inventory.read',
  webhook: 'webhooks.read',
};

export const KIND_OF_EVENT: Readonly<Record<EventType, ChangeKind>> = {
  order_status_updated: 'order',
  order_request_submitted: 'order_request',
  order_created: 'order',
  order_updated: 'order',
  order_payment_updated: 'order',
  order_request_approved: 'order_request',
  order_request_rejected: 'order_request',
  order_request_clarification: 'order_request',
  order_request_expired: 'order_request',
  order_request_cancelled: 'order_request',
  prescription_received: 'prescription',
  // For lists and pages of a customer. Each emptied object is announced by its id.
  customer_erased: 'order_request',
  lot_held: 'order',
  product_attached: 'product',
  product_detached: 'product',
  product_updated: 'product',
  inventory_adjusted: 'inventory',
  inventory_low: 'inventory',
  webhook_subscription_disabled: 'webhook',
  webhook_test: 'webhook',
};

export interface LiveChange {
  kind: ChangeKind;
  /** Of the object; a product's is its `p1_id`. */
  id: string;
}

/** Core NATS subject: changes of order-core that write no event, for the gateways. */
export const CHANGED_SUBJECT = 'changed.order-core';

export interface UnpublishedChange extends LiveChange {
  orgId: string;
}

/** A colleague who has an order request open. */
export interface LivePerson {
  staff_id: string;
  name: string;
  request_id: string;
  since: string;
}

/** The events of the stream, by name, with what their `data` holds as JSON. */
export interface LiveEvents {
  /** First: the open streams of the organization on this gateway. */
  hello: { open: number };
  /** `all` instead of a list: ask everything again. */
  change: { changes: LiveChange[]; all?: true };
  /** The other people of the organization who have a request open; first, and at each change. */
  presence: { people: LivePerson[] };
  /** `ended`: the stream ends, too. `changed`: read the session again. */
  session: { reason: 'ended' | 'changed' };
}

/** More changes than this in one message become `all`. */
export const MAX_LIVE_CHANGES = 100;
/** People in one message; further ones are left out. */
export const MAX_LIVE_PEOPLE = 100;
/** Open streams of one session. */
export const MAX_SESSION_STREAMS = 4;

export const EVENT_STREAM = 'text/event-stream';

export class LiveQuery {
  @Text({ optional: true, description: 'The person whom the page shows; 401 when another one is signed in' })
  staff?: string;
}

export const openLive = consoleOperation({
  name: 'live.open',
  summary: 'Follow changes of the organization and the state of the session, as server-sent events',
  service: 'gateway',
  access: 'session',
  path: '/api/live',
  query: LiveQuery,
  reply: EVENT_STREAM,
});

export class PresenceBody {
  @Text({ format: 'uuid', nullable: true, description: 'The order request that is open; null for none' })
  request_id!: string | null;
}

export const setPresence = consoleOperation({
  name: 'live.presence',
  summary: 'Tell colleagues for the next 30 s which order request this session has open',
  service: 'gateway',
  access: 'order_requests.read',
  method: 'PUT',
  path: '/api/presence',
  body: PresenceBody,
  statuses: [204],
  maxBodyBytes: 1024,
});
