import { ORDER_STATUSES } from '@offizin/contracts/orders';
import type { OrderCounts, PipelineQuery, PipelineResponse, PipelineRow } from '@offizin/contracts/pipeline';
import { type Sql, statement } from '@offizin/pg/database';
import { type Bind, isoOf, listPage, utcText } from '@offizin/pg/list-page';
import { totalSql } from '../counts/counts';
import { filtersOf, ORDERS } from '../orders/sql/list';
import { statusSince } from './status-since';

/** One statement per page: rows, their lines as text and the exact total. Indexes: db/0001-schema.sql. */

/** Lines in the text of a row; `line_count` says how many there are. */
const SHOWN_LINES = 5;
const MAX_TEXT = 500;

const LINES_TEXT = `left((SELECT string_agg((line ->> 'quantity') || ' × ' || coalesce(line ->> 'name', line ->> 'p1_id', '?'), ', ' ORDER BY place)
    FROM (SELECT line, place FROM jsonb_array_elements(o.items) WITH ORDINALITY AS l (line, place) LIMIT ${SHOWN_LINES}) shown
  ), ${MAX_TEXT})`;

const COLUMNS = `o.id, o.external_id, o.order_number, o.status, o.shop_id, o.customer_name,
  o.total_amount::float8 AS total_amount, o.payment_status, o.shipping_option,
  jsonb_array_length(o.items) AS line_count, coalesce(${LINES_TEXT}, '') AS lines_text,
  ${utcText(statusSince('o'))} AS status_since,
  ${utcText('o.created_at')} AS created_at, ${utcText('o.updated_at')} AS updated_at`;

/** Filters that the counters also have. */
const COUNTED_KEYS = new Set(['org', 'status', 'shop']);

export async function listPipelineRows(
  sql: Sql,
  orgId: string,
  query: PipelineQuery,
): Promise<PipelineResponse> {
  const { status, shop_id: shopId, payment_status, q, sort, limit, cursor } = query;
  const filters = filtersOf(orgId, { status, shop_id: shopId, payment_status, q });
  const isCounted = filters.every(({ key }) => COUNTED_KEYS.has(key));
  const counted = { table: 'orders' as const, orgId, shopId, statuses: status && [status] };
  const { data, pagination } = await listPage(sql, {
    name: 'pipeline_list',
    from: ORDERS,
    columns: COLUMNS,
    show: shown,
    filters,
    sort: { column: 'created_at', descending: sort === 'newest' },
    isOneIndex: isCounted,
    isCollected: q !== undefined,
    limit,
    cursor,
    ...(isCounted && { total: (bind: Bind) => totalSql(counted, bind) }),
  });
  return { data, total: pagination.total, next_cursor: pagination.next_cursor };
}

function shown(row: PipelineRow): PipelineRow {
  const { id, external_id, order_number, status, shop_id, customer_name, total_amount } = row;
  const { payment_status, shipping_option, line_count, lines_text } = row;
  return {
    id,
    external_id,
    order_number,
    status,
    shop_id,
    customer_name,
    total_amount,
    payment_status,
    shipping_option,
    line_count,
    lines_text,
    status_since: isoOf(row.status_since),
    created_at: isoOf(row.created_at),
    updated_at: isoOf(row.updated_at),
  };
}

export async function countByStatus(
  sql: Sql,
  orgId: string,
  shopId: string | undefined,
): Promise<OrderCounts> {
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const columns = ORDER_STATUSES.map((status) => {
    const total = totalSql({ table: 'orders', orgId, shopId, statuses: [status] }, bind);
    return `${total}::int AS ${status}`;
  });
  const name = shopId === undefined ? 'pipeline_counts' : 'pipeline_counts_of_shop';
  const counts = statement<OrderCounts, unknown[]>(name, `SELECT ${columns.join(', ')}`);
  const [row] = await sql.rows(counts, ...values);
  if (!row) throw new Error('the counters gave no row');
  return row;
}
