import type { OrderListQuery } from '@offizin/contracts/orders';
import type { Sql } from '@offizin/pg/database';
import {
  decimalJson,
  jsonText,
  nullableStringJson,
  stringJson,
  timeJson,
  wordJson,
} from '@offizin/pg/json-text';
import {
  type Bind,
  folded,
  given,
  type ListFilter,
  listPageJson,
  prefixPattern,
} from '@offizin/pg/list-page';
import { type CountRange, countRange } from './order-count-range';
import { type CountedOrders, countSql, startDaySql, totalSql } from './order-counts.store';

/**
 * An order's item of the list. PostgreSQL keeps the same text in the row (db/0001-orders.ts): making it
 * anew takes longer than finding the page. What else is to be shown needs a column of its own, kept the same way.
 */
export const SUMMARY_JSON = jsonText([
  ['id', wordJson('o.id')],
  ['external_id', stringJson('o.external_id')],
  ['status', wordJson('o.status')],
  ['shop_id', wordJson('o.shop_id')],
  ['customer_name', nullableStringJson('o.customer_name')],
  ['total_amount', decimalJson('o.total_amount')],
  ['payment_status', wordJson('o.payment_status')],
  ['created_at', timeJson('o.created_at')],
  ['updated_at', timeJson('o.updated_at')],
]);

const SEARCHED = ['customer_name', 'customer_email', 'order_number', 'external_id'];
const SEARCH = `(${SEARCHED.map((column) => `${folded(`o.${column}`)} LIKE ${folded('$::text')}`).join(' OR ')})`;

/**
 * A page further behind than this begins at the day where the counters say that it begins; nearer ones cost less by
 * walking (an index entry takes 0.1 µs, adding up a year of days 200 µs).
 */
const WALKED_AT_MOST = 2_000;

/** The filters that the counters know, too. */
const COUNTED_KEYS = new Set(['org', 'status', 'shop', 'from', 'to']);

/** OrderListResponse as JSON text, and its total. Pages that are found by one index cost about the same, and share. */
export async function listOrdersJson(
  { alone, shared }: { alone: Sql; shared: Sql },
  orgId: string,
  query: OrderListQuery,
): Promise<{ json: string; total: number }> {
  const { limit, offset = 0, cursor, sort } = query;
  const filters = filtersOf(orgId, query);
  const isCounted = filters.every(({ key }) => COUNTED_KEYS.has(key));
  const range = isCounted ? countRange(query.created_from, query.created_to) : null;
  const counted = range && { orgId, shopId: query.shop_id, status: query.status, days: range.days };
  const descending = sort.startsWith('-');
  const isWholeDays = range !== null && range.before === null && range.behind === null;
  const column = sort.endsWith('created_at') ? 'created_at' : 'updated_at';
  const isFar = offset > WALKED_AT_MOST && isWholeDays && column === 'created_at';
  const isOneIndex = column === 'created_at' ? isCounted : filters.length === 1;
  return listPageJson(isOneIndex && offset === 0 ? shared : alone, {
    name: 'order_list',
    from: 'core.orders o',
    // Orders that were last written before there were summaries have none.
    json: `coalesce(o.summary, ${SUMMARY_JSON})`,
    filters,
    sort: { column, descending },
    isOneIndex,
    isCollected: query.q !== undefined,
    ...{ limit, offset: query.offset, cursor },
    ...(counted && { total: (bind: Bind) => totalOf(counted, range, bind) }),
    ...(counted &&
      isFar && {
        startDay: (bind: Bind, skipped: string) =>
          startDaySql(counted, { offset: skipped, descending }, bind),
      }),
  });
}

function filtersOf(orgId: string, query: OrderListQuery): ListFilter[] {
  return given([
    { key: 'org', sql: 'o.org_id = $::uuid', value: orgId },
    { key: 'status', sql: 'o.status = $', value: query.status },
    { key: 'shop', sql: 'o.shop_id = $::uuid', value: query.shop_id },
    { key: 'payment', sql: 'o.payment_status = $', value: query.payment_status },
    // The folded text is what the index holds.
    {
      key: 'external',
      sql: `o.external_id = $ AND ${folded('o.external_id')} = ${folded('$')}`,
      value: query.external_id,
    },
    { key: 'from', sql: 'o.created_at >= $::timestamptz', value: query.created_from },
    { key: 'to', sql: 'o.created_at < $::timestamptz', value: query.created_to },
    { key: 'since', sql: 'o.updated_at >= $::timestamptz', value: query.updated_since },
    { key: 'q', sql: SEARCH, value: query.q === undefined ? undefined : prefixPattern(query.q) },
  ]);
}

/** Whole days by their counters, the rest of the first and of the last day by counting. */
function totalOf(orders: CountedOrders, { before, behind }: CountRange, bind: Bind): string {
  const pieces = [before, behind].filter((piece) => piece !== null);
  return [totalSql(orders, bind), ...pieces.map((piece) => countSql(orders, piece, bind))].join(' + ');
}
