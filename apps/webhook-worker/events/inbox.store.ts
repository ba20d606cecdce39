import type { OutboxEvent } from '@offizin/contracts/webhooks/events';
import { type Sql, statement } from '@offizin/pg/database';
import { valueOf } from '@offizin/pg/queries';
import { EVENT_RETENTION_DAYS } from '@offizin/contracts/webhooks/webhooks';
import type { DeliveryRow, EventRow } from '../db/entities';

export interface InboxEvent {
  /** Its body contains no newline. */
  event: Omit<OutboxEvent, 'topic'>;
  /** From the body. */
  createdAt: string;
  /** Whose callback is notified of it: the integration in the envelope, the shop in the body. */
  callback: { integrationId: string; shopId: string } | null;
}

const receiveSql = statement<
  Pick<DeliveryRow, 'subscription_id'>,
  {
    ids: string[];
    orgIds: string[];
    types: string[];
    aggregateIds: string[];
    sequences: number[];
    bodies: string;
    times: string[];
    traceparents: (string | null)[];
    concernedIds: string[];
    integrationIds: string[];
    shopIds: string[];
  }
>(
  'inbox_receive',
  // turn: a mutex across replicas, until the end of the statement. `position` then rises in the order of commits, so a
  //   reader of the feed never skips an event that commits late.
  // $bodies: joined by newlines. In an array the client would escape every quote and PostgreSQL unescape it.
  // s: two index probes per event, so that it does not matter how many callbacks there are; their number has no limit.
  // OFFSET 0: forces the probes. With statistics of a nearly empty table, the planner would compare each
  //   event with every subscription of the installation.
  `WITH turn AS MATERIALIZED (
     SELECT pg_advisory_xact_lock(hashtextextended('webhooks.events', 0))
   ), arrived AS (
     INSERT INTO webhooks.events (id, org_id, event_type, aggregate_id, sequence, body, created_at, traceparent)
     SELECT event.id, event.org_id, event.event_type, event.aggregate_id, event.sequence, event.body,
       event.created_at, event.traceparent
     FROM turn CROSS JOIN unnest($ids::uuid[], $orgIds::uuid[], $types::text[], $aggregateIds::text[],
       $sequences::int[], string_to_array($bodies::text, E'\\n'), $times::timestamptz[], $traceparents::text[]) WITH ORDINALITY
       AS event (id, org_id, event_type, aggregate_id, sequence, body, created_at, traceparent, place)
     ORDER BY event.place
     ON CONFLICT (id) DO NOTHING
     RETURNING id, org_id, event_type, aggregate_id, sequence, traceparent
   ), made AS (
     INSERT INTO webhooks.deliveries
       (id, subscription_id, event_id, org_id, event_type, aggregate_id, queue, sequence, traceparent)
     SELECT webhooks.uuid_v7(), s.id, arrived.id, arrived.org_id, arrived.event_type, arrived.aggregate_id,
       webhooks.queue_of(s.id, arrived.aggregate_id), arrived.sequence, arrived.traceparent
     FROM arrived CROSS JOIN LATERAL (
       SELECT id, event_types FROM webhooks.subscriptions
       WHERE org_id = arrived.org_id AND integration_id IS NULL AND is_active AND deleted_at IS NULL
       UNION ALL
       SELECT callback.id, callback.event_types
       FROM unnest($concernedIds::uuid[], $integrationIds::uuid[], $shopIds::uuid[]) AS concerned (id, integration_id, shop_id)
         JOIN webhooks.subscriptions callback
           ON callback.integration_id = concerned.integration_id AND callback.shop_id = concerned.shop_id
       WHERE concerned.id = arrived.id AND callback.org_id = arrived.org_id
         AND callback.is_active AND callback.deleted_at IS NULL
       OFFSET 0) s
     WHERE CASE WHEN arrived.event_type = 'webhook_test' THEN s.id::text = arrived.aggregate_id
       ELSE s.event_types IS NULL OR arrived.event_type = ANY (s.event_types) END
     ON CONFLICT (subscription_id, event_id) DO NOTHING
     RETURNING subscription_id
   )
   SELECT DISTINCT subscription_id FROM made`,
);

/**
 * Inserts the new events of a batch, and one delivery per matching subscription, in one statement. A test event goes to
 * its own subscription only; a callback gets the events of its integration and shop. Returns the subscriptions with new
 * deliveries.
 */
export async function receiveEvents(sql: Sql, events: readonly InboxEvent[]): Promise<string[]> {
  const concerned = events.flatMap(({ event, callback }) =>
    callback ? [{ id: event.id, ...callback }] : [],
  );
  const rows = await sql.rows(receiveSql, {
    ids: events.map(({ event }) => event.id),
    orgIds: events.map(({ event }) => event.orgId),
    types: events.map(({ event }) => event.eventType),
    aggregateIds: events.map(({ event }) => event.aggregateId),
    sequences: events.map(({ event }) => event.sequence),
    bodies: events.map(({ event }) => event.body).join('\n'),
    times: events.map(({ createdAt }) => createdAt),
    traceparents: events.map(({ event }) => event.traceparent ?? null),
    concernedIds: concerned.map(({ id }) => id),
    integrationIds: concerned.map(({ integrationId }) => integrationId),
    shopIds: concerned.map(({ shopId }) => shopId),
  });
  return rows.map((row) => row.subscription_id);
}

const unknownSql = statement<{ id: string }, [string[]]>(
  'inbox_unknown',
  `SELECT asked.id FROM unnest($1::uuid[]) AS asked (id)
   WHERE NOT EXISTS (SELECT FROM webhooks.events e WHERE e.id = asked.id)
     AND NOT EXISTS (SELECT FROM webhooks.set_aside aside WHERE aside.event_id = asked.id)`,
);

/** Filters the event ids (UUIDs) to those that never arrived; an event that was set aside has arrived. */
export async function unknownEventIds(sql: Sql, ids: readonly string[]): Promise<string[]> {
  return (await sql.rows(unknownSql, [...ids])).map((row) => row.id);
}

/** A page ends early so that it fits into a bus message. */
const MAX_PAGE_BYTES = 900_000;

/** Position of an event in the feed; null if the organization has no such event within the retention time. */
export const feedPosition = valueOf<EventRow['position'] | null, [orgId: string, eventId: string]>(
  'feed_position',
  `SELECT position FROM webhooks.events
   WHERE org_id = $1 AND id = $2 AND created_at > now() - make_interval(days => ${EVENT_RETENTION_DAYS})`,
  null,
);

type FeedEvent = Pick<EventRow, 'id' | 'body'>;

interface FeedPage {
  orgId: string;
  /** A position. */
  after: string;
  eventType: string | null;
  limit: number;
}

const pageSql = statement<FeedEvent & { found: number }, FeedPage>(
  'feed_page',
  `SELECT id, body, found FROM (
     SELECT id, body, position, sum(octet_length(body)) OVER (ORDER BY position) AS bytes,
       row_number() OVER (ORDER BY position) AS place, count(*) OVER ()::int AS found
     FROM (
       SELECT id, body, position FROM webhooks.events
       WHERE org_id = $orgId AND position > $after AND ($eventType::text IS NULL OR event_type = $eventType)
         AND (event_type <> 'webhook_test' OR body::jsonb ->> 'event_type' = 'webhook_test')
         AND created_at > now() - make_interval(days => ${EVENT_RETENTION_DAYS})
       ORDER BY position LIMIT $limit) following
   ) page
   WHERE (bytes <= ${MAX_PAGE_BYTES} OR place = 1) AND place < $limit
   ORDER BY position`,
);

/** At most `limit` events after a position, in order of arrival; `more`: further events follow. */
export async function feedPage(sql: Sql, page: FeedPage): Promise<{ events: FeedEvent[]; more: boolean }> {
  // One extra row shows whether more events follow.
  const events = await sql.rows(pageSql, { ...page, limit: page.limit + 1 });
  return { events, more: (events[0]?.found ?? 0) > events.length };
}
