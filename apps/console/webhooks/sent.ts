import type { DeliveryDetail } from './webhooks.calls';

/** As it is sent: the receiver signs exactly these bytes. */
export function bodyText(event: NonNullable<DeliveryDetail['event']>): string {
  return JSON.stringify(event);
}

/** The headers that are no signature. */
export function sentHeaders({ id, event_type: kind }: DeliveryDetail): Record<string, string> {
  return {
    'content-type': 'application/json',
    'X-Service-Event': kind,
    'X-Service-Delivery-Id': id,
    'webhook-id': id,
  };
}
