import type { OrderExportQuery } from '@offizin/contracts/exports';
import type { OrderListQuery } from '@offizin/contracts/orders/orders';
import type { Sql } from '@offizin/pg/database';
import { type Bind, type ListFilter, type ListOptions, listPageJson, sortOf } from '@offizin/pg/list-page';
import {
  type CountedRows,
  countSql,
  startDaySql,
  totalSql,
  WALKED_AT_MOST,
  type WholeDays,
} from '../counts/counts.store';
import { filtersOf, ORDERS, type TestRows } from './sql/list';

const DAY_MS = 86_400_000;

/** Filters that the counters also have. */
const COUNTED_KEYS = new Set(['org', 'status', 'shop', 'test', 'from', 'to']);

/** Rows, order and total of a list, for each form of it. */
export function orderListOf(
  orgId: string,
  query: (OrderExportQuery | OrderListQuery) & TestRows,
): Omit<ListOptions, 'name' | 'limit'> {
  const sort = sortOf(query.sort);
  const filters = filtersOf(orgId, query);
  const { counted, range } = countedOf(orgId, query, filters);
  return {
    from: ORDERS,
    filters,
    sort,
    isOneIndex: sort.column === 'created_at' ? filters.every(isCounted) : filters.length === 1,
    isCollected: query.q !== undefined || query.lot !== undefined,
    ...(counted && { total: (bind: Bind) => totalOf(counted, range, bind) }),
  };
}

/** OrderListResponse as JSON text, and its total. First pages that one index finds are coalesced (`shared`). */
export async function listOrdersJson(
  { alone, shared }: { alone: Sql; shared: Sql },
  orgId: string,
  query: OrderListQuery & TestRows,
): Promise<{ json: string; total: number }> {
  const { limit, offset = 0, cursor } = query;
  const list = orderListOf(orgId, query);
  const { counted, range } = countedOf(orgId, query, list.filters);
  const { column, descending } = list.sort;
  const isWholeDays = counted !== null && range.before === null && range.behind === null;
  const isFar = offset > WALKED_AT_MOST && isWholeDays && column === 'created_at';
  return listPageJson(list.isOneIndex && offset === 0 ? shared : alone, {
    ...list,
    name: 'order_list',
    // A trigger writes it (db/0001-schema.sql).
    json: 'o.summary',
    limit,
    offset: query.offset,
    cursor,
    ...(counted &&
      isFar && {
        startDay: (bind: Bind, skipped: string) =>
          startDaySql(counted, { offset: skipped, descending }, bind),
      }),
  });
}

function isCounted({ key }: ListFilter): boolean {
  return COUNTED_KEYS.has(key);
}

/** The counters that know the total; null where the filters are not theirs. */
function countedOf(
  orgId: string,
  query: (OrderExportQuery | OrderListQuery) & TestRows,
  filters: readonly ListFilter[],
): { counted: CountedRows; range: CountRange } | { counted: null; range: null } {
  const range = filters.every(isCounted) ? countRange(query.created_from, query.created_to) : null;
  if (!range) return { counted: null, range: null };
  const statuses = query.status && [query.status];
  return {
    counted: {
      table: 'orders',
      orgId,
      shopId: query.shop_id,
      statuses,
      isTest: query.test,
      days: range.days,
    },
    range,
  };
}

/** Counters for whole days, plus a count of the partial days at both ends. */
function totalOf(rows: CountedRows, { before, behind }: CountRange, bind: Bind): string {
  const pieces = [before, behind].filter((piece) => piece !== null);
  return [totalSql(rows, bind), ...pieces.map((piece) => countSql(rows, piece, bind))].join(' + ');
}

/** A time range as whole days, which counters know, and the partial days before and behind, which are counted. */
interface CountRange {
  days: WholeDays;
  before: { from: string; to: string } | null;
  behind: { from: string; to: string } | null;
}

/** Null when the range holds no whole day: then all of it is counted. Times are ISO 8601 as sent. */
function countRange(from: string | undefined, to: string | undefined): CountRange | null {
  const first = from === undefined ? undefined : isMidnight(from) ? dayOf(from) : dayOf(from, 1);
  const end = to === undefined ? undefined : dayOf(to);
  if (first !== undefined && end !== undefined && first >= end) return null;
  return {
    days: { from: first, to: end },
    before:
      from === undefined || first === undefined || isMidnight(from) ? null : { from, to: midnight(first) },
    behind: to === undefined || end === undefined || isMidnight(to) ? null : { from: midnight(end), to },
  };
}

/** Also checks digits below the millisecond, which Date drops. */
function isMidnight(time: string): boolean {
  return Date.parse(time) % DAY_MS === 0 && !/\.\d*[1-9]/.test(time);
}

function dayOf(time: string, daysLater = 0): string {
  const day = Math.floor(Date.parse(time) / DAY_MS) + daysLater;
  const [date = ''] = new Date(day * DAY_MS).toISOString().split('T');
  // Beyond the year 9999 ISO 8601 needs a sign and six digits; PostgreSQL takes five.
  return date.replace(/^\+0/, '');
}

function midnight(day: string): string {
  return `${day}T00:00:00Z`;
}
