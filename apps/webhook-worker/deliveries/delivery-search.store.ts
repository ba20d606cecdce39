import type { CursorOnlyPagination } from '@offizin/contracts/calls/paging';
import type { DeliverySearchQuery } from '@offizin/contracts/webhooks/webhook-health';
import { decodeCursor, filteredName, nextCursor } from '@offizin/operations/cursor-pages';
import { type Sql, statement } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import type { DeliveryRow } from '../db/entities';
import {
  type DeliveryRecord,
  idOrFirst,
  idOrLast,
  SHOWN,
  statementsByStatus,
  type StatusFilter,
  statusIs,
} from './deliveries.store';

export type FoundDelivery = DeliveryRecord & Pick<DeliveryRow, 'aggregate_id'>;

interface Filters {
  orgId: string;
  subscriptionId: string | null;
  eventType: string | null;
  firstEventId: string | null;
  endEventId: string | null;
  afterEventId: string | null;
  afterSubscriptionId: string | null;
  rows: number;
}

const FOUND = `${SHOWN}, d.aggregate_id`;
const ORDER = 'ORDER BY d.event_id DESC, d.subscription_id DESC';

function filtersFor(status: StatusFilter): string {
  return `${statusIs(status)} AND ($eventType::text IS NULL OR d.event_type = $eventType)
     AND d.event_id >= ${idOrFirst('$firstEventId')} AND d.event_id < ${idOrLast('$endEventId')}
     AND d.event_id <= ${idOrLast('$afterEventId')}
     AND ($afterEventId::uuid IS NULL OR (d.event_id, d.subscription_id) < ($afterEventId, $afterSubscriptionId::uuid))`;
}

/** An organization has few subscriptions: the newest rows of each, read from its unique index, are merged. */
const ofAll = statementsByStatus((status) =>
  statement<FoundDelivery, Filters>(
    `delivery_search_${status}`,
    `SELECT d.* FROM webhooks.subscriptions s CROSS JOIN LATERAL (
       SELECT ${FOUND} FROM webhooks.deliveries d
       WHERE d.subscription_id = s.id AND ${filtersFor(status)}
       ORDER BY d.event_id DESC LIMIT $rows
     ) d
     WHERE s.org_id = $orgId AND s.integration_id IS NULL AND s.deleted_at IS NULL
       AND ($subscriptionId::uuid IS NULL OR s.id = $subscriptionId)
     ${ORDER} LIMIT $rows`,
  ),
);

/** An order has few events, which are found by their index. */
const ofObject = statementsByStatus((status) =>
  statement<FoundDelivery, Filters & { objectId: string }>(
    `delivery_search_object_${status}`,
    `SELECT ${FOUND} FROM webhooks.events e
     JOIN webhooks.subscriptions s ON s.org_id = e.org_id AND s.integration_id IS NULL AND s.deleted_at IS NULL
       AND ($subscriptionId::uuid IS NULL OR s.id = $subscriptionId)
     JOIN webhooks.deliveries d ON d.subscription_id = s.id AND d.event_id = e.id
     WHERE e.org_id = $orgId AND e.aggregate_id = $objectId AND ${filtersFor(status)}
     ${ORDER} LIMIT $rows`,
  ),
);

const searchList = (query: DeliverySearchQuery) => ({
  name: filteredName('webhook-deliveries', query),
  keyOf: ({ event_id, subscription_id }: FoundDelivery) => `${event_id}.${subscription_id}`,
});

/** Deliveries of every subscription, newest events first. Throws `Refused` for a cursor of another search. */
export async function findDeliveries(
  sql: Sql,
  orgId: string,
  query: DeliverySearchQuery,
): Promise<{ deliveries: FoundDelivery[]; pagination: CursorOnlyPagination }> {
  const { limit, status = 'any', event_type: eventType = null, webhook_id: subscriptionId = null } = query;
  const { order_id: objectId, from, to } = query;
  if (subscriptionId !== null && !isId(subscriptionId))
    return { deliveries: [], pagination: { limit, next_cursor: null } };
  const list = searchList(query);
  const [afterEventId = null, afterSubscriptionId = null] = cursorOf(list.name, query.cursor);
  const filters: Filters = {
    orgId,
    subscriptionId,
    eventType,
    firstEventId: smallestIdAt(from),
    endEventId: smallestIdAt(to),
    afterEventId,
    afterSubscriptionId,
    rows: limit + 1,
  };
  const rows =
    objectId === undefined
      ? await sql.rows(ofAll[status], filters)
      : await sql.rows(ofObject[status], { ...filters, objectId });
  const deliveries = rows.slice(0, limit);
  return {
    deliveries,
    pagination: { limit, next_cursor: nextCursor(list, deliveries, rows.length > limit) },
  };
}

function cursorOf(list: string, cursor: string | undefined): string[] {
  if (cursor === undefined) return [];
  const isKey = (key: string): boolean => {
    const parts = key.split('.');
    return parts.length === 2 && parts.every(isId);
  };
  return decodeCursor(list, cursor, isKey).split('.');
}

/** Ids of events begin with their milliseconds, so the unique index serves as the time index. */
function smallestIdAt(time: string | undefined): string | null {
  if (time === undefined) return null;
  const digits = Math.max(0, Date.parse(time)).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-0000-0000-000000000000`;
}
