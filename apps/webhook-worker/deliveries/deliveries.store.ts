import { invalid } from '@offizin/contracts/calls/errors';
import {
  type CursorOnlyPagination,
  type CursorOnlyQuery,
  type OffsetPagination,
  rowsToSkip,
} from '@offizin/contracts/calls/paging';
import {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  type WebhookAttempt,
  type WebhookDeliveryListQuery,
} from '@offizin/contracts/webhooks/webhooks';
import { type Sql, statement } from '@offizin/pg/database';
import { type OuterJoined, rowOf, valueOf } from '@offizin/pg/queries';
import { isId } from '@offizin/pg/ids';
import {
  decodeCursor,
  encodeCursor,
  filteredName,
  nextCursor,
  rowsThatFit,
} from '@offizin/operations/cursor-pages';
import type { AttemptRow, DeliveryRow, EventRow, SubscriptionRow } from '../db/entities';

export type DeliveryRecord = Pick<
  DeliveryRow,
  | 'id'
  | 'subscription_id'
  | 'event_id'
  | 'event_type'
  | 'status'
  | 'attempt_count'
  | 'next_attempt_at'
  | 'last_attempt_at'
  | 'created_at'
>;

export const SHOWN = `d.id, d.subscription_id, d.event_id, d.event_type, d.status, d.attempt_count, d.next_attempt_at,
  d.last_attempt_at, d.created_at`;
const listedSql = (status: StatusFilter): string =>
  `FROM webhooks.deliveries d
   WHERE d.org_id = $orgId AND d.subscription_id = $subscriptionId AND ${statusIs(status)}
     AND ($eventType::text IS NULL OR d.event_type = $eventType)`;
interface Listed {
  orgId: string;
  subscriptionId: string;
  eventType: string | null;
}

const countSql = statementsByStatus((status) =>
  statement<{ total: number }, Listed>(
    `deliveries_count_${status}`,
    `SELECT count(*)::int AS total ${listedSql(status)}`,
  ),
);

const listSql = statementsByStatus((status) =>
  statement<DeliveryRecord, Listed & { limit: number; skip: number; endEventId: string | null }>(
    `deliveries_list_${status}`,
    // Event ids rise with time, so the unique index gives the order. One extra row shows whether a next page exists.
    `SELECT ${SHOWN} ${listedSql(status)} AND d.event_id < ${idOrLast('$endEventId')}
     ORDER BY d.event_id DESC LIMIT $limit + 1 OFFSET $skip`,
  ),
);

/** Newest events first. The cursor is the event id of the last delivery. Throws `Refused` for an invalid cursor. */
export async function listDeliveries(
  sql: Sql,
  orgId: string,
  subscriptionId: string,
  query: WebhookDeliveryListQuery,
): Promise<{ deliveries: DeliveryRecord[]; pagination: OffsetPagination }> {
  const { status = 'any', event_type: eventType = null, limit, offset = 0 } = query;
  const list = filteredName('deliveries', { ...query, subscriptionId });
  const endEventId = eventBefore(list, query);
  const listed = { orgId, subscriptionId, eventType };
  const [count] = await sql.rows(countSql[status], listed);
  const skip = rowsToSkip(offset);
  const rows = await sql.rows(listSql[status], { ...listed, limit, skip, endEventId });
  const deliveries = rows.slice(0, limit);
  const last = rows.length > limit ? deliveries.at(-1) : undefined;
  const next_cursor = last ? encodeCursor(list, last.event_id) : null;
  return { deliveries, pagination: { limit, offset, total: count?.total ?? 0, next_cursor } };
}

function eventBefore(list: string, { cursor, offset }: WebhookDeliveryListQuery): string | null {
  if (cursor === undefined) return null;
  if (offset !== undefined)
    throw invalid([{ field: 'offset', message: 'must not be given together with cursor' }]);
  return decodeCursor(list, cursor, isId);
}

const stateSql = statement<Pick<SubscriptionRow, 'is_active'>, [string, string]>(
  'deliveries_subscription_state',
  `SELECT is_active FROM webhooks.subscriptions
   WHERE org_id = $1 AND id = $2 AND integration_id IS NULL AND deleted_at IS NULL`,
);

export async function subscriptionState(
  sql: Sql,
  orgId: string,
  subscriptionId: string,
): Promise<'active' | 'inactive' | 'unknown'> {
  const [row] = await sql.rows(stateSql, orgId, subscriptionId);
  if (!row) return 'unknown';
  return row.is_active ? 'active' : 'inactive';
}

export const findDelivery = rowOf<
  DeliveryRecord & OuterJoined<Pick<EventRow, 'body'>>,
  [orgId: string, id: string]
>(
  'deliveries_find',
  `SELECT ${SHOWN}, e.body FROM webhooks.deliveries d
   JOIN webhooks.subscriptions s ON s.id = d.subscription_id AND s.integration_id IS NULL
   LEFT JOIN webhooks.events e ON e.id = d.event_id
   WHERE d.org_id = $1 AND d.id = $2`,
);

const attemptsSql = statement<Omit<AttemptRow, 'delivery_id'>, [string, number, number]>(
  'deliveries_attempts',
  `SELECT number, started_at, duration_ms, status_code, failure, answer
   FROM webhooks.attempts WHERE delivery_id = $1 AND number > $2 ORDER BY number LIMIT $3`,
);

const attemptList = (deliveryId: string) => ({
  name: filteredName('attempts', { deliveryId }),
  keyOf: ({ number }: WebhookAttempt) => String(number),
});

/** A page of a delivery's attempts, oldest first. Throws `Refused` for a cursor of another list. */
export async function attemptsOf(
  sql: Sql,
  deliveryId: string,
  { limit, cursor }: CursorOnlyQuery,
): Promise<{ attempts: WebhookAttempt[]; pagination: CursorOnlyPagination }> {
  const list = attemptList(deliveryId);
  const after =
    cursor === undefined ? 0 : Number(decodeCursor(list.name, cursor, (key) => /^\d{1,9}$/.test(key)));
  const rows = await sql.rows(attemptsSql, deliveryId, after, limit + 1);
  const found = rows.map((row) => ({ ...row, started_at: row.started_at.toISOString() }));
  const attempts = rowsThatFit(found, limit);
  const next_cursor = nextCursor(list, attempts, attempts.length < found.length);
  return { attempts, pagination: { limit, next_cursor } };
}

/** null if the delivery is unknown or its subscription inactive. */
export const redeliver = rowOf<DeliveryRecord, [orgId: string, id: string]>(
  'deliveries_redeliver',
  // A delivery in flight keeps its lease; its result decides.
  `UPDATE webhooks.deliveries d SET status = 'pending', next_attempt_at = now(),
     queue = webhooks.queue_of(d.subscription_id, d.aggregate_id)
   FROM webhooks.subscriptions s
   WHERE d.org_id = $1 AND d.id = $2 AND s.id = d.subscription_id AND s.is_active AND s.integration_id IS NULL
   RETURNING ${SHOWN}`,
);

/** Events since $3 that subscription $2 of organization $1 did not get, oldest first, at most $4. */
const MISSED = `SELECT e.id, e.org_id, e.event_type, e.aggregate_id, e.sequence, s.id AS subscription_id,
       d.id AS delivery_id
     FROM webhooks.subscriptions s
     JOIN webhooks.events e ON e.org_id = s.org_id AND e.event_type <> 'webhook_test'
       AND (s.event_types IS NULL OR e.event_type = ANY (s.event_types))
     LEFT JOIN webhooks.deliveries d ON d.subscription_id = s.id AND d.event_id = e.id
     WHERE s.org_id = $orgId AND s.id = $subscriptionId AND s.is_active AND e.created_at >= $since
       AND (d.id IS NULL OR d.status IN ('failed', 'cancelled'))
     ORDER BY e.created_at, e.position
     LIMIT $limit`;
interface Missed {
  orgId: string;
  subscriptionId: string;
  since: string;
  limit: number;
}

/** How many events recoverMissed would schedule, counted up to `limit`. */
export const countMissed = valueOf<number, Missed>(
  'deliveries_missed',
  `SELECT count(*)::int AS missed FROM (${MISSED}) m`,
  0,
);
/** Schedules events since `since` that were not delivered to the subscription, oldest first, at most `limit`. */
export const recoverMissed = valueOf<number, Missed>(
  'deliveries_recover',
  `WITH missed AS MATERIALIZED (
     ${MISSED}
   ), made AS (
     INSERT INTO webhooks.deliveries
       (id, subscription_id, event_id, org_id, event_type, aggregate_id, queue, sequence)
     SELECT webhooks.uuid_v7(), subscription_id, id, org_id, event_type, aggregate_id,
       webhooks.queue_of(subscription_id, aggregate_id), sequence
     FROM missed WHERE delivery_id IS NULL
     ON CONFLICT (subscription_id, event_id) DO NOTHING
     RETURNING id
   ), again AS (
     UPDATE webhooks.deliveries d SET status = 'pending', next_attempt_at = now(),
     queue = webhooks.queue_of(d.subscription_id, d.aggregate_id)
     FROM missed WHERE d.id = missed.delivery_id AND d.status IN ('failed', 'cancelled')
     RETURNING d.id
   )
   SELECT ((SELECT count(*) FROM made) + (SELECT count(*) FROM again))::int AS scheduled`,
  0,
);

/**
 * How the lists of deliveries filter. A generic plan (QUEUE_PLANS) takes `$1 IS NULL OR …` for a filter and walks all
 * the rows. So a status is part of the text, and ids are bounded even if the caller gave no bound.
 */
export type StatusFilter = DeliveryStatus | 'any';

/** One statement, and so one plan, per status. */
export function statementsByStatus<Made>(make: (status: StatusFilter) => Made): Record<StatusFilter, Made> {
  const entries = ([...DELIVERY_STATUSES, 'any'] as const).map((status) => [status, make(status)] as const);
  return Object.fromEntries(entries) as Record<StatusFilter, Made>;
}

export function statusIs(status: StatusFilter): string {
  return status === 'any' ? 'true' : `d.status = '${status}'`;
}

/** As SQL: the parameter, or the smallest id where it is null. */
export function idOrFirst(parameter: string): string {
  return `coalesce(${parameter}::uuid, '00000000-0000-0000-0000-000000000000')`;
}

/** As SQL: the parameter, or an id above all where it is null. */
export function idOrLast(parameter: string): string {
  return `coalesce(${parameter}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')`;
}
