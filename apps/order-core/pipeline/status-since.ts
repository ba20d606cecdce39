/**
 * SQL: since when an order has its status. An entry of the history may repeat the status that the order already has, so it
 * is the first entry with it after the last entry with another one.
 */
export function statusSince(order: string): string {
  const entries = `core.order_history h WHERE h.order_id = ${order}.id AND h.fields ? 'status'`;
  return `coalesce((SELECT min(h.at) FROM ${entries} AND h.sequence > coalesce(
      (SELECT max(h.sequence) FROM ${entries} AND h.fields ->> 'status' <> ${order}.status), 0)), ${order}.created_at)`;
}
