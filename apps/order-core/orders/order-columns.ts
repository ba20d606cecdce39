import type { OrderPatch } from './order-fields';

/** The SQL text by which a patch (JSON `p.patch`) becomes the columns of an order (`o`). */

/** Columns that a caller may set, with the type that their JSON text is read as. One list for insert and update. */
const PATCH_COLUMNS: Record<keyof OrderPatch, string> = {
  order_number: 'text',
  order_datetime: 'timestamptz',
  customer_name: 'text',
  customer_email: 'text',
  address_street: 'text',
  address_city: 'text',
  address_postal_code: 'text',
  address_phone: 'text',
  total_amount: 'numeric(12,2)',
  total_is_given: 'boolean',
  payment_status: 'text',
  payment_reference: 'text',
  shipping_option: 'text',
  shipped: 'boolean',
  picked_up: 'boolean',
  cash_on_pickup: 'boolean',
  items: 'jsonb',
  stock_claim_id: 'uuid',
};
export const COLUMNS = Object.keys(PATCH_COLUMNS);

/** The value of a column in the patch (JSON) named by `source`. */
function fromPatch(source: string, column: string, type: string): string {
  return type === 'jsonb' ? `${source} -> '${column}'` : `(${source} ->> '${column}')::${type}`;
}

/**
 * What null in a patch means where the column takes none: the default of a new order. The sum has to fit an amount:
 * numeric(10,2) ends where MAX_MONEY does.
 */
function clearedValue(column: string, cashOnPickup: string, items: string): string | null {
  if (column === 'total_is_given') return 'false';
  if (column === 'payment_status')
    return `CASE WHEN ${cashOnPickup} THEN 'cash_on_pickup' ELSE 'pending' END`;
  if (column !== 'total_amount') return null;
  return `(SELECT coalesce(sum((item ->> 'quantity')::numeric * round((item ->> 'price')::numeric, 2)), 0)::numeric(10,2)
           FROM jsonb_array_elements(${items}) item)`;
}

/** A computed total never replaces a given one, unless the caller took that back (null). */
const TOTAL_STAYS = `(o.total_is_given AND p.patch @> '{"total_is_given": false}')`;

/** The new value of each column: from the patch where it names it, else as it is. */
export const UPDATED = Object.entries(PATCH_COLUMNS).map(([column, type]) => {
  const named = `p.patch ? '${column}'`;
  const guard = column.startsWith('total_') ? `${named} AND NOT ${TOTAL_STAYS}` : named;
  const cleared = clearedValue(
    column,
    `coalesce((p.patch ->> 'cash_on_pickup')::boolean, o.cash_on_pickup)`,
    `coalesce(p.patch -> 'items', o.items)`,
  );
  const given = fromPatch('p.patch', column, type);
  const value = cleared === null ? given : `coalesce(${given}, ${cleared})`;
  return { column, value: `CASE WHEN ${guard} THEN ${value} ELSE o.${column} END` };
});

/** The value of each column of a new order. */
export const INSERTED = Object.entries(PATCH_COLUMNS).map(([column, type]) => {
  const given = fromPatch('p.complete', column, type);
  const cleared = clearedValue(column, `(p.complete ->> 'cash_on_pickup')::boolean`, `p.complete -> 'items'`);
  return cleared === null ? given : `coalesce(${given}, ${cleared})`;
});

/**
 * The lines of an order that claims stock, or of an organization whose stock follows its orders, change with a claim
 * only (stocked-orders.ts): without one the statement writes nothing.
 */
const LACKS_CLAIM = `p.patch ? 'items' AND NOT p.patch ? 'stock_claim_id'`;
export const CLAIMS_STOCK = `NOT (${LACKS_CLAIM} AND (
  SELECT g.stock_follows_orders FROM core.organizations g WHERE g.id = p.org_id) IS TRUE)`;

/** True when the patch changes anything; an update that changes nothing writes no history and no event. */
export const changes = (
  member: string,
): string => `EXISTS (SELECT FROM given p WHERE ${member} AND NOT (o.stock_claim_id IS NOT NULL AND ${LACKS_CLAIM}) AND (${COLUMNS.map((column) => `o.${column}`).join(', ')})
  IS DISTINCT FROM (${UPDATED.map(({ value }) => value).join(', ')}))`;

const PAYMENT_COLUMNS = ['payment_status', 'payment_reference'];
const paid = UPDATED.filter(({ column }) => PAYMENT_COLUMNS.includes(column));
const unpaid = UPDATED.filter(({ column }) => !PAYMENT_COLUMNS.includes(column));

/** What an update told of the payment when it changed nothing else; written with the row, where old and new meet. */
export const PAYMENT_CHANGE = `CASE WHEN (${unpaid.map(({ column }) => `o.${column}`).join(', ')})
    IS NOT DISTINCT FROM (${unpaid.map(({ value }) => value).join(', ')}) THEN
  jsonb_build_object('old_payment_status', o.payment_status, 'changed', array_remove(ARRAY[${paid
    .map(({ column, value }) => `CASE WHEN o.${column} IS DISTINCT FROM ${value} THEN '${column}' END`)
    .join(', ')}], NULL)) END`;
