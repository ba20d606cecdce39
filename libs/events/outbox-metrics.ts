import { sampleGauges } from '@offizin/runtime/sampled-gauges';
import { type Sql, statement } from '@offizin/pg/database';

/** Above it the age is the meaningful metric. */
const MAX_COUNTED = 100_000;

export interface OutboxBacklog {
  unpublished: number;
  /** null when the outbox has no unpublished row. */
  oldest_age_seconds: number | null;
}

export async function outboxBacklog(sql: Sql, schema: string): Promise<OutboxBacklog> {
  const backlog = statement<OutboxBacklog, []>(
    'outbox_backlog',
    // Both use the partial index outbox_unpublished; positions follow the time of insertion closely.
    `SELECT
       (SELECT count(*)::int FROM (
          SELECT FROM ${schema}.outbox WHERE published_at IS NULL LIMIT ${MAX_COUNTED}) waiting) AS unpublished,
       (SELECT extract(epoch FROM now() - created_at)::float8 FROM ${schema}.outbox
        WHERE published_at IS NULL ORDER BY position LIMIT 1) AS oldest_age_seconds`,
  );
  return (await sql.rows(backlog))[0] ?? { unpublished: 0, oldest_age_seconds: null };
}

/** Every replica reports the same values. */
export function observeOutbox(sql: Sql, schema: string): void {
  sampleGauges('outbox', () => outboxBacklog(sql, schema), [
    {
      name: 'offizin_outbox_unpublished_events',
      help: `Events not confirmed by all consumers, those of the last two seconds included; counted up to ${MAX_COUNTED}`,
      value: ({ unpublished }) => unpublished,
    },
    {
      name: 'offizin_outbox_oldest_unpublished_age_seconds',
      help: 'Time since the oldest unconfirmed event was written; 0 without one',
      value: ({ oldest_age_seconds: age }) => age ?? 0,
    },
  ]);
}

/** Far above the relay's poll interval. */
const SLOW_HEAD_SECONDS = 30;

export async function outboxNotice(sql: Sql, schema: string): Promise<string | null> {
  const head = statement<{ age_seconds: number }, []>(
    'outbox_head_age',
    `SELECT extract(epoch FROM now() - created_at)::float8 AS age_seconds FROM ${schema}.outbox
     WHERE published_at IS NULL ORDER BY position LIMIT 1`,
  );
  const age = (await sql.rows(head))[0]?.age_seconds ?? 0;
  return age < SLOW_HEAD_SECONDS ? null : `the oldest event has not been published for ${Math.round(age)} s`;
}
