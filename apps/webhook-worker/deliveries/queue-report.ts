import type { Sql } from '@offizin/pg/database';
import { sampleGauges } from '@offizin/runtime/sampled-gauges';
import { deliveryQueue, MAX_COUNTED } from './queue.store';

/** Metrics of the delivery backlog; every replica reports the same figures. */
export function observeQueue(sql: Sql): void {
  sampleGauges('deliveries', () => deliveryQueue(sql), [
    {
      name: 'offizin_webhook_pending_deliveries',
      help: `Pending deliveries, counted up to ${MAX_COUNTED}`,
      value: ({ pending }) => pending,
    },
    {
      name: 'offizin_webhook_due_deliveries',
      help: 'Pending deliveries that are due for an attempt',
      value: ({ due }) => due,
    },
    {
      name: 'offizin_webhook_oldest_due_age_seconds',
      help: 'Time since the oldest due delivery became due; 0 if none is due',
      value: ({ oldest_due_age_seconds: age }) => age ?? 0,
    },
  ]);
}
