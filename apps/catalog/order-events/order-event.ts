import { validate as isUuid } from 'uuid';
import type { OutboxEvent } from '@offizin/contracts/events';
import type { Move } from '../reservations/reservation-moves';

/** What an event of an order means for the stock reserved for it. */
export interface OrderMove {
  move: Move;
  orderId: string;
  /** What holds the stock: the order's claim where it has one, else the request that it came from. */
  orderRequestId: string | null;
}

/** Statuses that end a reservation: the goods left, or nobody will fetch them. */
const MOVE_OF_STATUS: Readonly<Partial<Record<string, Move>>> = {
  cancelled: 'release',
  shipped: 'sell',
  picked_up: 'sell',
  completed: 'sell',
};

const FOLLOWED: ReadonlySet<string> = new Set(['order_created', 'order_updated', 'order_status_updated']);

/** Null for an event that does not concern reserved stock; most do not. */
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
  const status = metadata['new_status'];
  const move = typeof status === 'string' && Object.hasOwn(MOVE_OF_STATUS, status) && MOVE_OF_STATUS[status];
  return move ? { move, orderId, orderRequestId } : null;
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
