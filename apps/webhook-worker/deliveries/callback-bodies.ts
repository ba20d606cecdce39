import {
  CALLBACK_EVENT_TYPES,
  type CallbackEvent,
  type CallbackEventType,
  type CallbackMetadata,
  type ReadForCallbackBody,
  type ReadForCallbackResponse,
} from '@offizin/contracts/requests/callbacks';
import type { CallbackStep } from '@offizin/contracts/requests/certification-steps';
import { REQUEST_ORDER_CHANGES } from '@offizin/contracts/requests/partner-answer';
import { EVENT_TYPES, type WebhookEvent } from '@offizin/contracts/webhooks/events';
import type { ChangedStatus } from '@offizin/contracts/orders/changed-status';
import type { PaymentStatus } from '@offizin/contracts/orders/orders';
import type { OrderRequestProgress } from '@offizin/contracts/requests/order-requests';
import type { Database } from '@offizin/pg/database';
import { errorFields, log } from '@offizin/runtime/log';
import { cancelPending, endCallback } from './switch-off.store';
import type { LeasedDelivery } from './leases.store';
import { postponeDelivery } from './results.store';

/** Pause before a delivery without a body is leased again. */
const POSTPONE_MS = 5_000;

export interface CallbackBodiesOptions {
  database: Database;
  /** Asks order-core. Shorter than the reserve of a lease (delivery-engine). */
  read: (requested: ReadForCallbackBody) => Promise<ReadForCallbackResponse>;
  /** A callback has ended; the outbox holds an audit record about it. */
  onEnded: () => void;
}

export interface FilledDelivery extends LeasedDelivery {
  /** Steps of the certification that its attempt may tick; of a callback at a test shop. */
  awaited?: readonly CallbackStep[];
}

/**
 * Bodies of callbacks. The stored event is the organization's own; a partner gets only the fields that it may read.
 * They are read before each attempt, because the request may have been erased or the key revoked (decision 0061).
 */
export class CallbackBodies {
  constructor(private readonly options: CallbackBodiesOptions) {}

  /**
   * The delivery with the body to send; unchanged unless it is a callback's. Null when nothing is sent now: order-core
   * does not answer, which is not an attempt, or the callback has ended.
   */
  async fill(delivery: LeasedDelivery, leaseToken: string): Promise<FilledDelivery | null> {
    const { integration_id, shop_id, org_id, body } = delivery;
    if (integration_id === null || shop_id === null || body === null) return delivery;
    const event = JSON.parse(body) as WebhookEvent;
    const order_request_id = String(event.metadata['order_request_id']);
    const answer = await this.options
      .read({ org_id, integration_id, shop_id, order_request_id })
      .catch((error: unknown) => {
        log.warn({ delivery_id: delivery.id, ...errorFields(error) }, 'callback waits for order-core');
        return null;
      });
    if (!answer) return this.postpone(delivery, leaseToken);
    if (!answer.is_live) return this.end(delivery, leaseToken);
    // Without a request nothing can be sent: it fails as a delivery without its event.
    const { progress, as_of, awaited = [] } = answer;
    const state = progress && { ...progress, as_of: as_of ?? progress.updated_at };
    return { ...delivery, body: state && callbackBody(event, state), awaited };
  }

  private async postpone({ id }: LeasedDelivery, leaseToken: string): Promise<null> {
    await postponeDelivery(this.options.database, { deliveryId: id, leaseToken, waitMs: POSTPONE_MS });
    return null;
  }

  private async end(delivery: LeasedDelivery, leaseToken: string): Promise<null> {
    const { database, onEnded } = this.options;
    if (await endCallback(database, delivery.subscription_id)) onEnded();
    // Releases its lease first: a leased delivery is not cancelled.
    await this.postpone(delivery, leaseToken);
    await cancelPending(database, delivery.subscription_id);
    return null;
  }
}

/** What the partner may read, and when it was read. */
type ReadState = OrderRequestProgress & Pick<CallbackMetadata, 'as_of'>;
type Change = Pick<CallbackMetadata, 'old_status' | 'new_status' | 'changed' | 'old' | 'new'>;
/** Of an `order_payment_updated`. */
interface PaymentChange {
  old_payment_status?: PaymentStatus;
  new_payment_status?: PaymentStatus;
}

/** JSON text of a CallbackEvent: of the organization's event only what says which change it is. */
export function callbackBody(event: WebhookEvent, state: ReadState): string {
  const { id, org_id, title, created_at, metadata } = event;
  const event_type = callbackTypeOf(event);
  const sent: CallbackEvent = {
    id,
    org_id,
    event_type,
    title,
    description: `${EVENT_TYPES[event_type]}.`,
    metadata: {
      ...state,
      ...(event.event_type === 'order_payment_updated'
        ? paymentIn(metadata)
        : changeIn(event_type, metadata)),
      sequence: Number(metadata['sequence']),
    },
    created_at,
  };
  return JSON.stringify(sent);
}

/** Its reference is not read back, and its event does not say the order's status. */
function paymentIn({ old_payment_status: before, new_payment_status: after }: PaymentChange): Change {
  const valueOf = (status?: PaymentStatus): ChangedStatus => (status ? { payment_status: status } : {});
  return { changed: ['payment_status'], old: valueOf(before), new: valueOf(after) };
}

function changeIn(eventType: CallbackEventType, metadata: Change): Change {
  const { old_status, new_status, changed, old, new: now } = metadata;
  switch (eventType) {
    case 'order_status_updated':
      return { old_status, new_status, changed, old, new: now };
    case 'order_updated':
      return { changed: REQUEST_ORDER_CHANGES.filter((name) => changed?.includes(name)) };
    default:
      return {};
  }
}

function callbackTypeOf({ event_type: given }: WebhookEvent): CallbackEventType {
  if (given === 'order_payment_updated') return 'order_status_updated';
  const type = CALLBACK_EVENT_TYPES.find((one) => one === given);
  if (type === undefined) throw new Error(`${given} is not an event of a callback`);
  return type;
}
