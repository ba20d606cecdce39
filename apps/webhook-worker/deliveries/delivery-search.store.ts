import type { CursorOnlyPagination } from '@offizin/contracts/calls/paging';
import type { DeliverySearchQuery } from '@offizin/contracts/webhooks/webhook-health';
import { decodeCursor, filteredName, nextCursor } from '@offizin/operations/cursor-pages';
import { type Sql, statement } from '@offizin/pg/database';
import { isId } from '@offizin/pg/ids';
import {
  type DeliveryRecord,
  idOrFirst,
  idOrLast,
  SHOWN,
  statementsByStatus,
  type StatusFilter,
  statusIs,
} from './deliveries.store';

export interface FoundDelivery extends DeliveryRecord {
  aggregate_id: string;
}

type Filters = [
  orgId: string,
  subscriptionId: string | null,
  eventType: string | null,
  firstEventId: string | null,
  endEventId: string | null,
  afterEventId: string | null,
  afterSubscriptionId: string | null,
  rows: number,
];

const FOUND = `${SHOWN}, d.aggregate_id`;
const ORDER = 'ORDER BY d.event_id DESC, d.subscription_id DESC';

function filtersFor(status: StatusFilter): string {
  return `${statusIs(status)} AND ($3::text IS NULL OR d.event_type = $3)
     AND d.event_id >= ${idOrFirst('$4')} AND d.event_id < ${idOrLast('$5')} AND d.event_id <= ${idOrLast('$6')}
     AND ($6::uuid IS NULL OR (d.event_id, d.subscription_id) < ($6, $7::uuid))`;
}

/** An organization has few subscriptions: the newest rows of each, read from its unique index, are merged. */
const ofAll = statementsByStatus((status) =>
  statement<FoundDelivery, Filters>(
    `delivery_search_${status}`,
    `SELECT d.* FROM webhooks.subscriptions s CROSS JOIN LATERAL (
       SELECT ${FOUND} FROM webhooks.deliveries d
       WHERE d.subscription_id = s.id AND ${filtersFor(status)}
       ORDER BY d.event_id DESC LIMIT $8
     ) d
     WHERE s.org_id = $1 AND s.integration_id IS NULL AND s.deleted_at IS NULL AND ($2::uuid IS NULL OR s.id = $2)
     ${ORDER} LIMIT $8`,
  ),
);

/** An order has few events, which are found by their index. */
const ofObject = statementsByStatus((status) =>
  statement<FoundDelivery, [...Filters, string]>(
    `delivery_search_object_${status}`,
    `SELECT ${FOUND} FROM webhooks.events e
     JOIN webhooks.subscriptions s ON s.org_id = e.org_id AND s.integration_id IS NULL AND s.deleted_at IS NULL
       AND ($2::uuid IS NULL OR s.id = $2)
     JOIN webhooks.deliveries d ON d.subscription_id = s.id AND d.event_id = e.id
     WHERE e.org_id = $1 AND e.aggregate_id = $9 AND ${filtersFor(status)}
     ${ORDER} LIMIT $8`,
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
  const { limit, status = 'any', event_type: eventType = null, webhook_id: webhookId = null } = query;
  const { order_id: objectId, from, to } = query;
  if (webhookId !== null && !isId(webhookId))
    return { deliveries: [], pagination: { limit, next_cursor: null } };
  const list = searchList(query);
  const [afterEvent = null, afterSubscription = null] = cursorOf(list.name, query.cursor);
  const filters: Filters = [
    ...([orgId, webhookId, eventType, smallestIdAt(from), smallestIdAt(to)] as const),
    ...([afterEvent, afterSubscription, limit + 1] as const),
  ];
  const rows =
    objectId === undefined
      ? await sql.rows(ofAll[status], ...filters)
      : await sql.rows(ofObject[status], ...filters, objectId);
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
