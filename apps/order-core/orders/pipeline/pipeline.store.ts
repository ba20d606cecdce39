import { testMark } from '@offizin/contracts/calls/test-mark';
import { ORDER_STATUSES, UNPAID_DUE_DAYS } from '@offizin/contracts/orders/orders';
import type {
  OrderCounts,
  OrderCountsQuery,
  PipelineHistoryEntry,
  PipelineQuery,
  PipelineResponse,
  PipelineRow,
} from '@offizin/contracts/orders/pipeline';
import { type Sql, statement } from '@offizin/pg/database';
import { valueOf } from '@offizin/pg/queries';
import { type Bind, isoOf, type ListFilter, listPage, PLACE, utcText } from '@offizin/pg/list-page';
import { testRowsFor } from '../../callers/test-rows';
import type { OrderEntity } from '../../db/entities';
import { totalSql } from '../counts/counts.store';
import { filtersOf, ORDERS, UNPAID_DUE } from '../orders/sql/list';

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
  ${utcText('o.created_at')} AS created_at, ${utcText('o.updated_at')} AS updated_at, ${utcText('o.erased_at')} AS erased_at, o.is_test`;

/** Only people read it. */
const testRows = (shopId: string | undefined) => testRowsFor({ kind: 'staff' }, shopId);

/** Filters that the counters also have. */
const COUNTED_KEYS = new Set(['org', 'status', 'shop', 'test']);

export async function listPipelineRows(
  sql: Sql,
  orgId: string,
  query: PipelineQuery,
): Promise<PipelineResponse> {
  const { status, shop_id: shopId, payment_status, unpaid, q, sort, limit, cursor } = query;
  const test = testRows(shopId);
  const filters = filtersOf(orgId, { status, shop_id: shopId, payment_status, unpaid, q, test });
  const isCounted = filters.every(({ key }) => COUNTED_KEYS.has(key));
  const counted = { table: 'orders' as const, orgId, shopId, statuses: status && [status], isTest: test };
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

function shown(row: PipelineRow & Pick<OrderEntity, 'is_test'>): PipelineRow {
  const { id, external_id, order_number, status, shop_id, customer_name, total_amount } = row;
  const { payment_status, shipping_option, line_count, lines_text, erased_at } = row;
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
    erased_at: erased_at && isoOf(erased_at),
    status_since: isoOf(row.status_since),
    created_at: isoOf(row.created_at),
    updated_at: isoOf(row.updated_at),
    ...testMark(row.is_test),
  };
}

export async function countByStatus(
  sql: Sql,
  orgId: string,
  { shop_id: shopId, payment_status, q }: OrderCountsQuery,
): Promise<OrderCounts> {
  const test = testRows(shopId);
  if (q !== undefined) return countFound(sql, filtersOf(orgId, { shop_id: shopId, payment_status, q, test }));
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const columns = ORDER_STATUSES.map((status) => {
    const rows = { orgId, shopId, statuses: [status], isTest: test };
    const total = totalSql({ table: 'orders', ...rows }, bind);
    return `${total}::int AS ${status}`;
  });
  const due = filtersOf(orgId, { shop_id: shopId, unpaid: 'due', test })
    .map(({ sql: condition, value }) => condition.replaceAll(PLACE, bind(value)))
    .join(' AND ');
  columns.push(`(SELECT count(*) FROM ${ORDERS} WHERE ${due})::int AS unpaid_due`);
  const counts = statement<OrderCounts, unknown[]>(
    `pipeline_counts${shopId === undefined ? '' : '_of_shop'}`,
    `SELECT ${columns.join(', ')}`,
  );
  const [row] = await sql.rows(counts, ...values);
  if (!row) throw new Error('the counters gave no row');
  return row;
}

async function countFound(sql: Sql, filters: readonly ListFilter[]): Promise<OrderCounts> {
  const where = filters.map((filter, index) => filter.sql.replaceAll(PLACE, `$${index + 1}`)).join(' AND ');
  const columns = ORDER_STATUSES.map(
    (status) => `count(*) FILTER (WHERE o.status = '${status}')::int AS ${status}`,
  );
  columns.push(
    `count(*) FILTER (WHERE ${UNPAID_DUE.replaceAll(PLACE, String(UNPAID_DUE_DAYS))})::int AS unpaid_due`,
  );
  const question = statement<OrderCounts, unknown[]>(
    `pipeline_counts_${filters.map(({ key }) => key).join('_')}`,
    `SELECT ${columns.join(', ')} FROM ${ORDERS} WHERE ${where}`,
  );
  const [row] = await sql.rows(question, ...filters.map(({ value }) => value));
  if (!row) throw new Error('the count gave no row');
  return row;
}

/** What happened to one order, for people: with names, and without the lines, which may be long. */

const MAX_ENTRIES = 100;
const MAX_VALUE = 200;

/** Text of a jsonb value; null for lines and for what is too long to show. */
const textOf = (value: string): string =>
  `CASE WHEN jsonb_typeof(${value}) IN ('array', 'object') OR length(${value} #>> '{}') > ${MAX_VALUE} THEN NULL
        ELSE ${value} #>> '{}' END`;

/**
 * A stored entry holds the new values. The old value of a field is the one that an earlier entry set; before the oldest
 * entry that is read, it counts as empty.
 */
const history = statement<PipelineHistoryEntry, [string, string, number]>(
  'pipeline_history',
  `WITH entries AS MATERIALIZED (
     SELECT h.sequence, h.at, h.actor, h.action, h.fields FROM core.order_history h
     WHERE h.order_id = $2::uuid ORDER BY h.sequence DESC LIMIT $3
   ), fields AS (
     SELECT e.sequence, f.field, f.value, lag(f.value) OVER (PARTITION BY f.field ORDER BY e.sequence) AS old
     FROM entries e, LATERAL jsonb_each(e.fields) AS f (field, value) WHERE f.field <> 'total_is_given'
   ), changes AS (
     SELECT sequence, jsonb_agg(jsonb_build_object('field', field, 'old', ${textOf('old')}, 'new', ${textOf('value')})
              ORDER BY field) AS changes
     FROM fields WHERE value IS DISTINCT FROM coalesce(old, 'null') GROUP BY sequence
   )
   SELECT e.sequence, core.iso(e.at) AS at, e.action, coalesce(person.name, key.name, e.actor) AS who,
          coalesce(c.changes, '[]') AS changes
   FROM entries e LEFT JOIN changes c USING (sequence)
     LEFT JOIN core.staff person ON person.org_id = $1::uuid AND person.id::text = e.actor
     LEFT JOIN core.api_keys key ON key.org_id = $1::uuid AND key.id::text = e.actor
   ORDER BY e.sequence DESC`,
);
export const orderStatusSince = valueOf<string | null, [orgId: string, orderId: string]>(
  'pipeline_status_since',
  `SELECT core.iso(${statusSince('o')}) AS at FROM core.orders o WHERE o.org_id = $1 AND o.id = $2`,
  null,
);

/** The newest entries, newest first. */
export async function pipelineHistory(
  sql: Sql,
  orgId: string,
  orderId: string,
): Promise<PipelineHistoryEntry[]> {
  return sql.rows(history, orgId, orderId, MAX_ENTRIES);
}

/**
 * SQL: since when an order has its status. An entry of the history may repeat the status that the order already has, so it
 * is the first entry with it after the last entry with another one.
 */
function statusSince(order: string): string {
  const entries = `core.order_history h WHERE h.order_id = ${order}.id AND h.fields ? 'status'`;
  return `coalesce((SELECT min(h.at) FROM ${entries} AND h.sequence > coalesce(
      (SELECT max(h.sequence) FROM ${entries} AND h.fields ->> 'status' <> ${order}.status), 0)), ${order}.created_at)`;
}
