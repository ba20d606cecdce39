import { type Sql, statement } from '@offizin/pg/database';

/** Limit of the scan: with a larger backlog the age matters more than the count. */
export const MAX_COUNTED = 100_000;

export interface DeliveryQueue {
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
