import type { Sql } from '@offizin/pg/database';
import { sampleGauges } from '@offizin/runtime/sampled-gauges';
import { deliveryQueue, MAX_COUNTED } from './queue.store';

/** What waits to be delivered, among the metrics; the same figures in every replica. */
export function observeQueue(sql: Sql): void {
  sampleGauges('deliveries', () => deliveryQueue(sql), [
    {
      name: 'offizin_webhook_pending_deliveries',
      help: `Deliveries that have not come to their end, counted up to ${MAX_COUNTED}`,
      value: ({ pending }) => pending,
    },
    {
      name: 'offizin_webhook_due_deliveries',
      help: 'Of them, those whose time for an attempt has come',
      value: ({ due }) => due,
    },
    {
      name: 'offizin_webhook_oldest_due_age_seconds',
      help: 'How long the oldest of those that are due has waited since; 0 where there is none',
      value: ({ oldest_due_age_seconds: age }) => age ?? 0,
    },
  ]);
}
