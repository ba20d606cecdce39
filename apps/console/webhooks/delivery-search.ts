import type { EventType } from '@offizin/contracts/webhooks/events';
import type { DeliveryStatus } from '@offizin/contracts/webhooks/webhooks';
import { readAddress, withoutUndefined } from '../lists/address';

/** What the address of one endpoint holds: the filters of its deliveries. */
export interface DeliverySearch {
  status?: DeliveryStatus;
  kind?: EventType;
  /** Id of an order, or of another object. */
  order?: string;
  period?: Period;
}

/** Records, so that the compiler misses none. */
const EACH_STATUS: Readonly<Record<DeliveryStatus, true>> = {
  pending: true,
  succeeded: true,
  failed: true,
  cancelled: true,
};
const EACH_KIND: Readonly<Record<EventType, true>> = {
  order_created: true,
  order_updated: true,
  order_status_updated: true,
  order_payment_updated: true,
  order_request_submitted: true,
  order_request_approved: true,
  order_request_rejected: true,
  order_request_clarification: true,
  order_request_expired: true,
  order_request_cancelled: true,
  prescription_received: true,
  customer_erased: true,
  lot_held: true,
  product_attached: true,
  product_detached: true,
  product_updated: true,
  inventory_adjusted: true,
  inventory_low: true,
  webhook_subscription_disabled: true,
  webhook_test: true,
};
export const STATUSES = namesOf(EACH_STATUS);
export const KINDS = namesOf(EACH_KIND);
export const PERIODS = ['hour', 'day', 'week'] as const;
export type Period = (typeof PERIODS)[number];

const HOURS: Readonly<Record<Period, number>> = { hour: 1, day: 24, week: 168 };
const HOUR_MS = 3_600_000;
/** The begin of a period moves in steps, so that the list is not another one with each look. */
const STEP_MS = 300_000;

/** What the address of the deliveries of every endpoint holds. */
export interface AnyDeliverySearch extends DeliverySearch {
  /** Id of the endpoint. */
  endpoint?: string;
  id?: string;
  /** Id of a saved view. */
  view?: string;
}

export function readAnyDeliverySearch(search: Readonly<Record<string, unknown>>): AnyDeliverySearch {
  return { ...readDeliverySearch(search), ...readAddress(search, { endpoint: null, id: null, view: null }) };
}

export function readDeliverySearch(search: Readonly<Record<string, unknown>>): DeliverySearch {
  return readAddress(search, { status: STATUSES, kind: KINDS, order: null, period: PERIODS });
}

/** In the contract's names. Without an endpoint: of every one. */
export function filtersOf(
  webhookId: string | undefined,
  { status, kind, order, period }: DeliverySearch,
  nowMs: number,
) {
  return withoutUndefined({
    webhook_id: webhookId,
    status,
    event_type: kind,
    order_id: order,
    from: period && beginOf(period, nowMs),
  });
}

export const NO_FILTER = { status: undefined, kind: undefined, order: undefined, period: undefined };

function beginOf(period: Period, nowMs: number): string {
  const beginMs = nowMs - HOURS[period] * HOUR_MS;
  return new Date(Math.floor(beginMs / STEP_MS) * STEP_MS).toISOString();
}

function namesOf<Name extends string>(record: Readonly<Record<Name, true>>): readonly Name[] {
  return Object.keys(record) as Name[];
}
