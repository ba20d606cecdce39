import { sampleGauges } from '@offizin/runtime/sampled-gauges';
import { type Sql, statement } from '@offizin/pg/database';

/** Rows counted at most: beyond it the age says what matters. */
const MAX_COUNTED = 100_000;

export interface OutboxBacklog {
  unpublished: number;
  /** null where nothing waits. */
  oldest_age_seconds: number | null;
}

export async function outboxBacklog(sql: Sql, schema: string): Promise<OutboxBacklog> {
  const backlog = statement<OutboxBacklog, []>(
    'outbox_backlog',
    // Both over the index of what is not published; positions are given in the order of time, nearly.
    `SELECT
       (SELECT count(*)::int FROM (
          SELECT FROM ${schema}.outbox WHERE published_at IS NULL LIMIT ${MAX_COUNTED}) waiting) AS unpublished,
       (SELECT extract(epoch FROM now() - created_at)::float8 FROM ${schema}.outbox
        WHERE published_at IS NULL ORDER BY position LIMIT 1) AS oldest_age_seconds`,
  );
  return (await sql.rows(backlog))[0] ?? { unpublished: 0, oldest_age_seconds: null };
}

/** What of a service's outbox is not known to have arrived; the same figures in every replica. */
export function observeOutbox(sql: Sql, schema: string): void {
  sampleGauges('outbox', () => outboxBacklog(sql, schema), [
    {
      name: 'offizin_outbox_unpublished_events',
      help: `Events not known to have arrived, up to two seconds of published ones among them, counted up to ${MAX_COUNTED}`,
      value: ({ unpublished }) => unpublished,
    },
    {
      name: 'offizin_outbox_oldest_unpublished_age_seconds',
      help: 'Time since the oldest of them was written; 0 where there is none',
      value: ({ oldest_age_seconds: age }) => age ?? 0,
    },
  ]);
}

/** The relay publishes within a second, and tries again after a second. */
const SLOW_HEAD_SECONDS = 30;

/** For readiness: why the oldest event does not move, or null. */
export async function outboxNotice(sql: Sql, schema: string): Promise<string | null> {
  const head = statement<{ age_seconds: number }, []>(
    'outbox_head_age',
    `SELECT extract(epoch FROM now() - created_at)::float8 AS age_seconds FROM ${schema}.outbox
     WHERE published_at IS NULL ORDER BY position LIMIT 1`,
  );
  const age = (await sql.rows(head))[0]?.age_seconds ?? 0;
  return age < SLOW_HEAD_SECONDS ? null : `the oldest event has not been published for ${Math.round(age)} s`;
}
