import { validate as isUuid } from 'uuid';
import type { OutboxEvent } from '@offizin/contracts/webhooks/events';
import type { Move } from '../reservations/hold-plan';

/** The effect of an order event on the stock reserved for the order. */
export interface OrderMove {
  move: Move;
  orderId: string;
  /** Id of the reservation: the order's claim if it has one, otherwise its order request. */
  orderRequestId: string | null;
}

/** Statuses that end a reservation: the goods were handed over, or will not be collected. */
const MOVE_OF_STATUS: Readonly<Partial<Record<string, Move>>> = {
  cancelled: 'release',
  shipped: 'sell',
  picked_up: 'sell',
  completed: 'sell',
};

const FOLLOWED: ReadonlySet<string> = new Set(['order_created', 'order_updated', 'order_status_updated']);

/** null for events that do not affect reserved stock. */
export function readOrderMove(event: Pick<OutboxEvent, 'eventType' | 'body'>): OrderMove | null {
  if (!FOLLOWED.has(event.eventType)) return null;
  const metadata = metadataOf(event.body);
  const orderId = uuidOrNull(metadata['order_id']);
  const claimId = uuidOrNull(metadata['stock_claim_id']);
  const orderRequestId = claimId ?? uuidOrNull(metadata['order_request_id']);
  if (orderId === null) return null;
  if (event.eventType !== 'order_status_updated') {
    const commits = claimId !== null || event.eventType === 'order_created';
    return commits && orderRequestId !== null ? { move: 'confirm', orderId, orderRequestId } : null;
  }
  const move = endOf(metadata['new_status']);
  if (move) return { move, orderId, orderRequestId };
  const isReopened = claimId !== null && endOf(metadata['old_status']) !== null;
  return isReopened ? { move: 'confirm', orderId, orderRequestId } : null;
}

function endOf(status: unknown): Move | null {
  return (
    (typeof status === 'string' && Object.hasOwn(MOVE_OF_STATUS, status) && MOVE_OF_STATUS[status]) || null
  );
}

function metadataOf(body: string): Record<string, unknown> {
  try {
    const { metadata } = JSON.parse(body) as { metadata?: unknown };
    return typeof metadata === 'object' && metadata !== null ? { ...metadata } : {};
  } catch {
    return {};
  }
}

function uuidOrNull(value: unknown): string | null {
  return isUuid(value) && typeof value === 'string' ? value.toLowerCase() : null;
}
