import { type Sql, statement } from '@offizin/pg/database';
import { valuesOf } from '@offizin/pg/queries';
import type { DeliveryRow, EventRow, SubscriptionRow } from '../db/entities';

/** `attempt_count` counts the attempts before this one. */
type DeliveryColumns = Pick<
  DeliveryRow,
  'id' | 'subscription_id' | 'event_id' | 'org_id' | 'event_type' | 'attempt_count' | 'traceparent'
>;
/** For `revision` see targets, for the ids of a callback see callback-bodies. */
type SubscriptionColumns = Pick<
  SubscriptionRow,
  'revision' | 'rate_per_second' | 'integration_id' | 'shop_id'
>;

/** A delivery leased to this process, with the settings of its subscription at that time. */
export interface LeasedDelivery extends DeliveryColumns, SubscriptionColumns {
  /** null if the event is missing; the delivery cannot be sent then. */
  body: EventRow['body'] | null;
  /** The previous secret also signs. */
  previous_secret_signs: boolean;
  /** No attempt has succeeded since at least one failed. */
  failing: boolean;
  /** Failing for so long that another failure switches the subscription off. */
  failing_too_long: boolean;
  /** By the clock of the database, in ms since 1970. */
  leased_at_ms: number;
}

/** How long a head that waits for its retry blocks its queue. See docs/contract.md#events-and-webhooks */
const QUEUE_BLOCK_SECONDS = 60;

/**
 * How long a delivery waits for a missing earlier event of its aggregate. Replicas take batches in any order, and the
 * outbox republishes lost events only when it next reconciles (later while this service has a backlog).
 */
const GAP_WAIT_SECONDS = 45;

/** A rate-limited endpoint gets at most this share of its rate in one burst. */
const PACE_BURST_SECONDS = 0.1;

/** Without a valid lease. */
const FREE = '(d.lease_until IS NULL OR d.lease_until <= now())';

const leaseSql = statement<
  LeasedDelivery,
  { ids: string[]; counts: number[]; scanRows: number; leaseToken: string; leaseMs: number }
>(
  'deliveries_lease',
  // endpoint: how many deliveries each subscription may get now. Subscriptions with a rate are locked, because all
  //   replicas share the rate; one that another replica has locked is skipped.
  // head: the oldest due deliveries that are not blocked, selected without a lock. The inner LIMIT bounds the scan.
  //   A head is the oldest of its queue, so the scan reaches heads first.
  // Written for index probes only (see QUEUE_PLANS): scalar subqueries, = ANY (ARRAY (…)), and, where rows are found by
  //   id, a status test that no partial index covers.
  // locked: heads that are still free; the conditions are checked again on the locked row.
  `WITH asked AS (
     SELECT * FROM unnest($ids::uuid[], $counts::int[]) AS asked (id, wanted)
   ), limited AS MATERIALIZED (
     SELECT s.id, least(asked.wanted, CASE
         WHEN s.paced_until <= now() THEN greatest(1, floor(${PACE_BURST_SECONDS} * s.rate_per_second))
         ELSE greatest(0, floor(s.rate_per_second
           * extract(epoch FROM now() - s.paced_until + make_interval(secs => ${PACE_BURST_SECONDS}))))
       END)::int AS wanted
     FROM asked JOIN webhooks.subscriptions s ON s.id = asked.id
     WHERE s.is_active AND s.rate_per_second IS NOT NULL
     FOR UPDATE OF s SKIP LOCKED
   ), endpoint AS MATERIALIZED (
     SELECT s.id, asked.wanted FROM asked JOIN webhooks.subscriptions s ON s.id = asked.id
     WHERE s.is_active AND s.rate_per_second IS NULL
     UNION ALL
     SELECT id, wanted FROM limited
   ), head AS MATERIALIZED (
     SELECT candidate.id
     FROM endpoint CROSS JOIN LATERAL (
       SELECT due.id
       FROM (
         SELECT d.id, d.queue, d.org_id, d.aggregate_id, d.sequence, d.created_at, d.next_attempt_at
         FROM webhooks.deliveries d
         WHERE d.subscription_id = endpoint.id AND d.status = 'pending' AND d.next_attempt_at <= now() AND ${FREE}
         ORDER BY d.next_attempt_at, d.id
         LIMIT $scanRows
       ) due
       WHERE (
           SELECT true FROM webhooks.deliveries earlier
           WHERE earlier.queue = due.queue AND earlier.sequence < due.sequence
             AND NOT (
               (earlier.lease_until IS NULL OR earlier.lease_until <= now())
               AND earlier.last_attempt_at IS NOT NULL
               AND earlier.last_attempt_at <= now() - make_interval(secs => ${QUEUE_BLOCK_SECONDS}))
           LIMIT 1) IS NULL
         AND (due.sequence <= 1
           OR due.created_at <= now() - make_interval(secs => ${GAP_WAIT_SECONDS})
           OR (
             SELECT true FROM webhooks.events before
             WHERE before.org_id = due.org_id AND before.aggregate_id = due.aggregate_id
               AND before.sequence = due.sequence - 1
             LIMIT 1))
       ORDER BY due.next_attempt_at, due.id
       LIMIT endpoint.wanted
     ) candidate
   ), locked AS MATERIALIZED (
     SELECT d.id FROM webhooks.deliveries d
     WHERE d.id = ANY (ARRAY (SELECT id FROM head))
       AND d.status NOT IN ('succeeded', 'failed', 'cancelled') AND ${FREE}
     FOR UPDATE SKIP LOCKED
   ), leased AS (
     UPDATE webhooks.deliveries d
     SET lease_token = $leaseToken, lease_until = now() + make_interval(secs => $leaseMs / 1000.0)
     WHERE d.id = ANY (ARRAY (SELECT id FROM locked))
     RETURNING d.*
   ), paced AS (
     UPDATE webhooks.subscriptions s
     SET paced_until = greatest(s.paced_until, now())
       + make_interval(secs => taken.count::float8 / s.rate_per_second)
     FROM (SELECT subscription_id, count(*) FROM leased GROUP BY subscription_id) taken, limited
     WHERE s.id = taken.subscription_id AND limited.id = s.id
   )
   SELECT l.id, l.subscription_id, l.event_id, l.org_id, l.event_type, l.attempt_count, l.traceparent, s.revision,
     (SELECT e.body FROM webhooks.events e WHERE e.id = l.event_id) AS body,
     coalesce(s.previous_secret_until > now(), false) AS previous_secret_signs, s.rate_per_second,
     s.failing_since IS NOT NULL AS failing,
     coalesce(s.failing_since < now() - interval '5 days', false) AS failing_too_long,
     s.integration_id, s.shop_id,
     extract(epoch FROM now())::float8 * 1000 AS leased_at_ms
   FROM leased l
   JOIN webhooks.subscriptions s ON s.id = l.subscription_id
   ORDER BY l.next_attempt_at, l.sequence`,
);

export interface LeaseRequest {
  /** Deliveries to lease at most, by subscription. */
  wanted: ReadonlyMap<string, number>;
  /** Due deliveries scanned per subscription. */
  scanRows: number;
  leaseToken: string;
  leaseMs: number;
}

/** Leases due deliveries in one statement; no lock outlives it. By subscription, oldest first. */
export async function leaseDeliveries(
  sql: Sql,
  request: LeaseRequest,
): Promise<Map<string, LeasedDelivery[]>> {
  const { wanted, scanRows, leaseToken, leaseMs } = request;
  const [ids, counts] = [[...wanted.keys()], [...wanted.values()]];
  const leased = new Map<string, LeasedDelivery[]>();
  for (const delivery of await sql.rows(leaseSql, { ids, counts, scanRows, leaseToken, leaseMs })) {
    const group = leased.get(delivery.subscription_id);
    if (group) group.push(delivery);
    else leased.set(delivery.subscription_id, [delivery]);
  }
  return leased;
}

/** Subscriptions with a due delivery that is not leased. */
export const dueSubscriptions = valuesOf<string, []>(
  'deliveries_due_subscriptions',
  // Skip scan: one index probe per subscription with pending deliveries, instead of a read of every row.
  `WITH RECURSIVE pending AS (
     (SELECT subscription_id FROM webhooks.deliveries WHERE status = 'pending' ORDER BY subscription_id LIMIT 1)
     UNION ALL
     SELECT (
       SELECT d.subscription_id FROM webhooks.deliveries d
       WHERE d.status = 'pending' AND d.subscription_id > pending.subscription_id
       ORDER BY d.subscription_id LIMIT 1)
     FROM pending WHERE pending.subscription_id IS NOT NULL
   )
   SELECT subscription_id FROM pending
   WHERE subscription_id IS NOT NULL AND (
     SELECT true FROM webhooks.deliveries d
     WHERE d.subscription_id = pending.subscription_id AND d.status = 'pending' AND d.next_attempt_at <= now()
       AND ${FREE}
     LIMIT 1)`,
);

/** Filters the subscriptions to those with more than `rows` due deliveries that are not leased. */
export const crowdedSubscriptions = valuesOf<string, [ids: string[], rows: number]>(
  'deliveries_crowded_subscriptions',
  `SELECT asked.id FROM unnest($1::uuid[]) AS asked (id)
   WHERE (
     SELECT true FROM webhooks.deliveries d
     WHERE d.subscription_id = asked.id AND d.status = 'pending' AND d.next_attempt_at <= now() AND ${FREE}
     ORDER BY d.next_attempt_at, d.id
     OFFSET $2 LIMIT 1)`,
);
