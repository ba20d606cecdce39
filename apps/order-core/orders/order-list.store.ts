import type { OrderHistoryEntry, OrderListQuery } from '@offizin/contracts/orders';
import { type Sql, statement } from '@offizin/pg/database';

/** A page with its exact total, made as JSON by PostgreSQL in one statement. */
const list = statement<{ page: string }, [string, string | null, string | null, number, number]>(
  'order_list',
  `WITH matching AS NOT MATERIALIZED (
     SELECT o.* FROM core.orders o
     WHERE o.org_id = $1 AND ($2::text IS NULL OR o.status = $2) AND ($3::uuid IS NULL OR o.shop_id = $3)
   ), page AS (
     SELECT o.* FROM matching o ORDER BY o.created_at DESC, o.id DESC LIMIT $4 OFFSET $5
   )
   SELECT json_build_object(
     'data', coalesce((SELECT json_agg(json_build_object(
        'id', o.id, 'external_id', o.external_id, 'status', o.status, 'shop_id', o.shop_id,
        'customer_name', o.customer_name, 'total_amount', o.total_amount::float8,
        'payment_status', o.payment_status, 'created_at', core.iso(o.created_at),
        'updated_at', core.iso(o.updated_at)) ORDER BY o.created_at DESC, o.id DESC) FROM page o), '[]'::json),
     'pagination', json_build_object('limit', $4::int, 'offset', $5::int, 'total', (SELECT count(*) FROM matching))
   )::text AS page`,
);

/** Resolves with the JSON text of an OrderListReply. */
export async function listOrders(sql: Sql, orgId: string, query: OrderListQuery): Promise<string> {
  const rows = await sql.rows(
    list,
    orgId,
    query.status ?? null,
    query.shop_id ?? null,
    query.limit,
    query.offset,
  );
  return rows[0]?.page ?? '';
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
