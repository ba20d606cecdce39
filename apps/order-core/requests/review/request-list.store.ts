import type { OrderRequestListQuery } from '@offizin/contracts/requests/order-request-review';
import type { Sql } from '@offizin/pg/database';
import { type Bind, given, listPageJson, sortOf } from '@offizin/pg/list-page';
import { integrationName } from '../intake/integrations.store';
import { type CountedRows, startDaySql, totalSql, WALKED_AT_MOST } from '../../orders/counts/counts.store';

/** SQL: the summary that a trigger writes (db/0001-schema.sql), with the integration, whose name may change. */
const SUMMARY = `left(r.summary, -1) || CASE WHEN r.integration_id IS NULL
  THEN ',"integration_id":null,"integration":null}'
  ELSE ',"integration_id":"' || r.integration_id || '","integration":'
    || coalesce(to_json(${integrationName('r')})::text, 'null') || '}' END`;

/** Filters that the counters also have. */
const COUNTED_KEYS = new Set(['org', 'status', 'shop']);

/**
 * OrderRequestListResponse as JSON text. First pages that one index finds are coalesced (`shared`).
 * Indexes: db/0001-schema.sql.
 */
export async function listRequestsJson(
  { alone, shared }: { alone: Sql; shared: Sql },
  orgId: string,
  query: OrderRequestListQuery,
): Promise<string> {
  const { limit, offset = 0, cursor, status, shop_id: shopId } = query;
  const filters = given([
    { key: 'org', sql: 'r.org_id = $::uuid', value: orgId },
    { key: 'status', sql: 'r.status = $', value: status },
    { key: 'shop', sql: 'r.shop_id = $::uuid', value: shopId },
    { key: 'source', sql: 'r.source = $', value: query.source },
    { key: 'reference', sql: 'r.external_reference = $', value: query.external_reference },
    { key: 'from', sql: 'r.created_at >= $::timestamptz', value: query.created_from },
    { key: 'to', sql: 'r.created_at < $::timestamptz', value: query.created_to },
    { key: 'since', sql: 'r.updated_at >= $::timestamptz', value: query.updated_since },
  ]);
  const sort = sortOf(query.sort);
  const isByCreation = sort.column === 'created_at';
  const isCounted = filters.every(({ key }) => COUNTED_KEYS.has(key));
  const counted: CountedRows = { table: 'order_requests', orgId, shopId, statuses: status && [status] };
  const isOneIndex = isByCreation ? isCounted && filters.length <= 2 : filters.length === 1;
  const { json } = await listPageJson(isOneIndex && offset === 0 ? shared : alone, {
    name: 'order_request_list',
    from: 'core.order_requests r',
    json: SUMMARY,
    filters,
    sort,
    isOneIndex,
    limit,
    offset: query.offset,
    cursor,
    ...(isCounted && { total: (bind: Bind) => totalSql(counted, bind) }),
    ...(isCounted &&
      isByCreation &&
      offset > WALKED_AT_MOST && {
        startDay: (bind: Bind, skipped: string) =>
          startDaySql(counted, { offset: skipped, descending: sort.descending }, bind),
      }),
  });
  return json;
}
