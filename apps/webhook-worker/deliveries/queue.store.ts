import { type Sql, statement } from '@offizin/pg/database';
import { sampleGauges } from '@offizin/runtime/sampled-gauges';

/** Limit of the scan: with a larger backlog the age matters more than the count. */
const MAX_COUNTED = 100_000;

interface DeliveryQueue {
  pending: number;
  due: number;
  oldest_due_age_seconds: number | null;
}

const queueSql = statement<DeliveryQueue, []>(
  'deliveries_queue',
  `SELECT count(*)::int AS pending, count(*) FILTER (WHERE next_attempt_at <= now())::int AS due,
     extract(epoch FROM now() - min(next_attempt_at) FILTER (WHERE next_attempt_at <= now()))::float8
       AS oldest_due_age_seconds
   FROM (SELECT next_attempt_at FROM webhooks.deliveries WHERE status = 'pending' LIMIT ${MAX_COUNTED}) waiting`,
);

export async function deliveryQueue(sql: Sql): Promise<DeliveryQueue> {
  return (await sql.rows(queueSql))[0] ?? { pending: 0, due: 0, oldest_due_age_seconds: null };
}

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
