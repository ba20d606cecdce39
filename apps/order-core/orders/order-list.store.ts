import type { OrderHistoryEntry, OrderListQuery } from '@offizin/contracts/orders';
import { type Sql, statement } from '@offizin/pg/database';
import { folded, given, listPage, prefixPattern } from '@offizin/pg/list-page';

const SUMMARY = `json_build_object('id', o.id, 'external_id', o.external_id, 'status', o.status, 'shop_id', o.shop_id,
  'customer_name', o.customer_name, 'total_amount', o.total_amount::float8, 'payment_status', o.payment_status,
  'created_at', core.iso(o.created_at), 'updated_at', core.iso(o.updated_at))`;

const SEARCHED = ['customer_name', 'customer_email', 'order_number', 'external_id'];
const SEARCH = SEARCHED.map((column) => `${folded(`o.${column}`)} LIKE ${folded('$')}`).join(' OR ');

/** Resolves with the JSON text of an OrderListResponse. */
export async function listOrders(sql: Sql, orgId: string, query: OrderListQuery): Promise<string> {
  const { limit, offset, cursor, sort } = query;
  return listPage(sql, {
    name: 'order_list',
    from: 'core.orders o',
    row: SUMMARY,
    filters: given([
      { key: 'org', sql: 'o.org_id = $::uuid', value: orgId },
      { key: 'status', sql: 'o.status = $', value: query.status },
      { key: 'shop', sql: 'o.shop_id = $::uuid', value: query.shop_id },
      { key: 'payment', sql: 'o.payment_status = $', value: query.payment_status },
      { key: 'external', sql: 'o.external_id = $', value: query.external_id },
      { key: 'from', sql: 'o.created_at >= $::timestamptz', value: query.created_from },
      { key: 'to', sql: 'o.created_at < $::timestamptz', value: query.created_to },
      { key: 'since', sql: 'o.updated_at >= $::timestamptz', value: query.updated_since },
      { key: 'q', sql: `(${SEARCH})`, value: query.q === undefined ? undefined : prefixPattern(query.q) },
    ]),
    sort: { column: `o.${sort.replace('-', '')}`, descending: sort.startsWith('-') },
    id: 'o.id',
    ...{ limit, offset, cursor },
  });
}

interface HistoryRow {
  sequence: number;
  at: Date;
  actor: string;
  action: string;
  fields: Record<string, unknown>;
}

const history = statement<HistoryRow, [string]>(
  'order_history',
  `SELECT sequence, at, actor, action, fields FROM core.order_history WHERE order_id = $1 ORDER BY sequence LIMIT 1000`,
);

/**
 * The history, oldest first. Each stored entry holds the fields as they were after the change; what they were before
 * is folded out of the entries before it.
 */
export async function orderHistory(sql: Sql, orderId: string): Promise<OrderHistoryEntry[]> {
  const rows = await sql.rows(history, orderId);
  const present: Record<string, unknown> = {};
  return rows.map(({ sequence, at, actor, action, fields }) => {
    const changes = Object.entries(fields)
      .filter(([field, value]) => field !== 'total_is_given' && textOf(value) !== textOf(present[field]))
      .map(([field, value]) => ({ field, old: textOf(present[field]), new: textOf(value) }));
    Object.assign(present, fields);
    return { sequence, at: at.toISOString(), actor, action, changes };
  });
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
