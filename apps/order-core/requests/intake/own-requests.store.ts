import { type ExternalOrdersQuery, MAX_EXTERNAL_ORDERS } from '@offizin/contracts/requests/external-orders';
import { ORDER_REQUEST_STATUSES, type OrderRequestStatus } from '@offizin/contracts/requests/order-requests';
import { digestOfFilters } from '@offizin/contracts/calls/paging';
import { type Sql, statement } from '@offizin/pg/database';
import { type Cursor, decodeCursor, encodeCursor, utcText } from '@offizin/pg/list-page';
import { PROGRESS_COLUMNS, type ProgressRow } from './progress.store';

/** The requests of one integration at a shop, as its sender reads them back, oldest change first. */

/** Lines, offers and answers of one page; a first row may be longer. */
const MAX_PAGE_BYTES = 1024 * 1024;

/** Before every row. */
const BEGINNING: Cursor = { time: '-infinity', id: '00000000-0000-0000-0000-000000000000' };

/**
 * From its approval on, a request changes with its order alone; the state of a document does not count. So each request is
 * in one of two indexes: by its change, or by that of its order. The constant limits change no result; with a parameter
 * alone the planner considers the generic plan too expensive and re-plans every call.
 */
const page = statement<
  ProgressRow & { changed_at: string; found: number; place: string; bytes: string },
  {
    orgId: string;
    shopId: string;
    integrationId: string;
    statuses: readonly OrderRequestStatus[];
    withOrders: boolean;
    time: string;
    id: string;
    limit: number;
    bytes: number;
  }
>(
  'own_requests_page',
  `WITH changed AS MATERIALIZED (
     SELECT * FROM (
       SELECT own.id, own.changed_at
       FROM unnest($statuses::text[]) AS s(status), LATERAL (
         SELECT r.id, r.updated_at AS changed_at FROM core.order_requests r
         WHERE r.shop_id = $shopId::uuid AND r.integration_id = $integrationId::uuid AND r.status = s.status
           AND r.order_id IS NULL AND (r.updated_at, r.id) > ($time::timestamptz, $id::uuid)
         ORDER BY r.updated_at, r.id LIMIT ${MAX_EXTERNAL_ORDERS + 1}) own
       UNION ALL
       (SELECT o.order_request_id, o.updated_at FROM core.orders o
        WHERE $withOrders::boolean AND o.shop_id = $shopId::uuid AND o.integration_id = $integrationId::uuid
          AND (o.updated_at, o.order_request_id) > ($time::timestamptz, $id::uuid)
        ORDER BY o.updated_at, o.order_request_id LIMIT ${MAX_EXTERNAL_ORDERS + 1})) each_one
     ORDER BY changed_at, id LIMIT $limit::int + 1
   )
   SELECT * FROM (
     SELECT ${PROGRESS_COLUMNS}, ${utcText('c.changed_at')} AS changed_at, (count(*) OVER ())::int AS found,
            row_number() OVER by_change AS place,
            sum(octet_length(coalesce(o.items::text, '')) + coalesce(octet_length(r.answer_ciphertext), 0)
              + coalesce(octet_length(r.offer_ciphertext), 0)) OVER by_change AS bytes
     FROM changed c JOIN core.order_requests r ON r.org_id = $orgId::uuid AND r.id = c.id
       LEFT JOIN core.orders o ON o.id = r.order_id
     WINDOW by_change AS (ORDER BY c.changed_at, c.id)) shown
   WHERE place <= $limit::int AND (bytes <= $bytes::int OR place = 1)
   ORDER BY place`,
);

export interface OwnRequests {
  rows: ProgressRow[];
  nextCursor: string | null;
}

/** Throws `Refused` for a cursor of another list, filter or integration. */
export async function ownRequests(
  sql: Sql,
  owner: { orgId: string; shopId: string; integrationId: string },
  { updated_since: since, status, limit, cursor }: ExternalOrdersQuery,
): Promise<OwnRequests> {
  const { shopId, integrationId } = owner;
  const filters = Object.entries({ shopId, integrationId, since, status });
  const sortKey = `external-orders.${digestOfFilters(filters)}`;
  const begin = since === undefined ? BEGINNING : { ...BEGINNING, time: since };
  const { time, id } = cursor === undefined ? begin : decodeCursor(cursor, sortKey);
  const rows = await sql.rows(page, {
    ...owner,
    statuses: status ? [status] : ORDER_REQUEST_STATUSES,
    withOrders: status === undefined || status === 'approved',
    time,
    id,
    limit,
    bytes: MAX_PAGE_BYTES,
  });
  const last = rows.at(-1);
  const isEnd = !last || last.found === rows.length;
  return { rows, nextCursor: isEnd ? null : encodeCursor(sortKey, `${last.changed_at}+00`, last.id) };
}
