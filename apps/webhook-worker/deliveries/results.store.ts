import type { FailureKind } from '@offizin/egress/failure';
import { type Sql, statement } from '@offizin/pg/database';
import type { DeliveryRow } from '../db/entities';

/** Why there was no answer. `event_gone`: the event is missing, so nothing was sent. */
export type AttemptFailure = FailureKind | 'event_gone';

export interface AttemptResult {
  deliveryId: string;
  subscriptionId: string;
  leaseToken: string;
  status: 'succeeded' | 'failed' | 'pending';
  /** Wait before the next attempt; 0 unless `pending`. */
  waitMs: number;
  startedAt: Date;
  durationMs: number;
  statusCode: number | null;
  failure: AttemptFailure | null;
  answer: string | null;
}

export interface WrittenDelivery extends Pick<DeliveryRow, 'id' | 'subscription_id'> {
  /** A later delivery of the same queue waits. */
  has_successor: boolean;
}

const writeSql = statement<
  WrittenDelivery,
  {
    ids: string[];
    leaseTokens: string[];
    statuses: string[];
    waitsMs: number[];
    startedAt: string[];
    durationsMs: number[];
    statusCodes: (number | null)[];
    failures: (string | null)[];
    answers: (string | null)[];
  }
>(
  'deliveries_write',
  // Only pending deliveries have a token. A test of the status would make the planner read all pending rows.
  `WITH result AS (
     SELECT * FROM unnest($ids::uuid[], $leaseTokens::uuid[], $statuses::text[], $waitsMs::float8[],
       $startedAt::timestamptz[], $durationsMs::int[], $statusCodes::int[], $failures::text[], $answers::text[])
       AS result (id, lease_token, status, wait_ms, started_at, duration_ms, status_code, failure, answer)
   ), written AS (
     UPDATE webhooks.deliveries d
     SET status = result.status, queue = CASE WHEN result.status = 'pending' THEN d.queue END,
         attempt_count = d.attempt_count + 1, last_attempt_at = now(),
         next_attempt_at = now() + make_interval(secs => result.wait_ms / 1000),
         lease_token = NULL, lease_until = NULL
     FROM result
     WHERE d.id = result.id AND d.lease_token = result.lease_token
     RETURNING d.id, d.subscription_id, d.aggregate_id, d.sequence, d.attempt_count, result.started_at,
       result.duration_ms, result.status_code, result.failure, result.answer
   ), recorded AS (
     INSERT INTO webhooks.attempts
       (delivery_id, number, started_at, duration_ms, status_code, failure, answer)
     SELECT id, attempt_count, started_at, duration_ms, status_code, failure, answer FROM written
   )
   SELECT written.id, written.subscription_id, coalesce((
     SELECT true FROM webhooks.deliveries later
     WHERE later.queue = webhooks.queue_of(written.subscription_id, written.aggregate_id)
       AND later.sequence > written.sequence
     LIMIT 1), false) AS has_successor
   FROM written`,
);

/**
 * Writes results and their attempts in one statement; idempotent. Returns the written ones: a result whose lease was
 * lost is discarded, because the new holder of the lease decides.
 */
export async function writeResults(sql: Sql, results: readonly AttemptResult[]): Promise<WrittenDelivery[]> {
  return sql.rows(writeSql, {
    ids: results.map((result) => result.deliveryId),
    leaseTokens: results.map((result) => result.leaseToken),
    statuses: results.map((result) => result.status),
    waitsMs: results.map((result) => result.waitMs),
    startedAt: results.map((result) => result.startedAt.toISOString()),
    durationsMs: results.map((result) => result.durationMs),
    statusCodes: results.map((result) => result.statusCode),
    failures: results.map((result) => result.failure),
    answers: results.map((result) => result.answer),
  });
}

const giveUpSql = statement<Pick<DeliveryRow, 'id'>, [string, string]>(
  'deliveries_give_up',
  // Computes nothing from the row: one of its values may be the refused one.
  `UPDATE webhooks.deliveries SET status = 'failed', queue = NULL, lease_token = NULL, lease_until = NULL
   WHERE id = $1 AND lease_token = $2 RETURNING id`,
);

/** Fails a delivery whose result the database refuses; false if its lease was lost. */
export async function giveUpDelivery(
  sql: Sql,
  { deliveryId, leaseToken }: Pick<AttemptResult, 'deliveryId' | 'leaseToken'>,
): Promise<boolean> {
  return (await sql.rows(giveUpSql, deliveryId, leaseToken)).length === 1;
}

const releaseSql = statement<never, [string[], string[]]>(
  'deliveries_release',
  `UPDATE webhooks.deliveries d SET lease_token = NULL, lease_until = NULL
   FROM unnest($1::uuid[], $2::uuid[]) AS given (id, lease_token)
   WHERE d.id = given.id AND d.lease_token = given.lease_token`,
);

/** Releases the leases of unsent deliveries. */
export async function releaseDeliveries(
  sql: Sql,
  given: readonly { id: string; leaseToken: string }[],
): Promise<void> {
  await sql.rows(
    releaseSql,
    given.map(({ id }) => id),
    given.map(({ leaseToken }) => leaseToken),
  );
}

const postponeSql = statement<never, [string, string, number]>(
  'delivery_postpone',
  `UPDATE webhooks.deliveries
   SET lease_token = NULL, lease_until = NULL, next_attempt_at = now() + make_interval(secs => $3 / 1000.0)
   WHERE id = $1 AND lease_token = $2`,
);

/** Releases the lease of a delivery that was not sent, so that it is leased again later. This is not an attempt. */
export async function postponeDelivery(
  sql: Sql,
  { deliveryId, leaseToken, waitMs }: Pick<AttemptResult, 'deliveryId' | 'leaseToken' | 'waitMs'>,
): Promise<void> {
  await sql.rows(postponeSql, deliveryId, leaseToken, waitMs);
}

const healthSql = statement<never, [string[], boolean]>(
  'subscriptions_health',
  // Locks in one order, to avoid a deadlock between processes.
  `UPDATE webhooks.subscriptions SET failing_since = CASE WHEN $2 THEN now() END
   WHERE id IN (
     SELECT id FROM webhooks.subscriptions
     WHERE id = ANY ($1::uuid[]) AND (failing_since IS NULL) = $2
     ORDER BY id FOR UPDATE)`,
);

/** Records the first failure after successes, or the first success after failures. */
export async function noteHealth(
  sql: Sql,
  subscriptionIds: readonly string[],
  failing: boolean,
): Promise<void> {
  await sql.rows(healthSql, [...subscriptionIds], failing);
}
