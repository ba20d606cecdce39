import type { OrderPatch } from './order-patch';
import { SMALL_ITEMS_BYTES, SMALL_ORDER_LINES } from './order-size';

/**
 * The SQL text by which a patch (JSON `p.patch`) becomes the columns of an order `o`. Short on purpose: for one order
 * PostgreSQL works longer on getting a statement ready than on running it, and what stands in it for each column costs
 * there each time. A comparison of the whole row in the place of one per column made a lone upsert an eighth cheaper.
 */

/** Columns that a caller may set, with the type that their JSON text is read as. */
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

/** Columns that take no null: a new order has a value of its own where the patch names none (`p.rest`). */
const DEFAULTED = new Set<string>([
  'total_amount',
  'total_is_given',
  'payment_status',
  'shipped',
  'picked_up',
  'cash_on_pickup',
  'items',
] satisfies (keyof OrderPatch)[]);

/** The value of each column of a new order. */
export const INSERTED = Object.entries(PATCH_COLUMNS).map(([column, type]) => {
  const arrow = type === 'jsonb' ? '->' : '->>';
  const given = `p.patch ${arrow} '${column}'`;
  const value = DEFAULTED.has(column) ? `coalesce(${given}, p.rest ${arrow} '${column}')` : `(${given})`;
  return type === 'jsonb' || type === 'text' ? value : `${value}::${type}`;
});

/** The sum has to fit an amount: numeric(10,2) ends where MAX_MONEY does. */
const SUM_OF_LINES = `(
  SELECT coalesce(sum((item ->> 'quantity')::numeric * round((item ->> 'price')::numeric, 2)), 0)::numeric(10,2)
  FROM jsonb_array_elements(coalesce(p.patch -> 'items', o.items)) item)`;

/**
 * What of the patch works on the order `o`: a computed total never replaces a given one, unless the caller took that back
 * (null).
 */
const PLAIN_PATCH = `CASE WHEN o.total_is_given AND p.patch @> '{"total_is_given": false}'
       THEN p.patch - '{total_amount,total_is_given}'::text[] ELSE p.patch END`;

/** The same where null stands for the default of a new order (`p.clears`): the total is then the sum of the lines. */
const CLEARING_PATCH = `CASE WHEN p.clears THEN ${PLAIN_PATCH}
     || CASE WHEN p.patch @> '{"total_is_given": null}' THEN jsonb_build_object('total_is_given', false, 'total_amount',
          coalesce((p.patch ->> 'total_amount')::float8, ${SUM_OF_LINES}::float8)) ELSE '{}' END
     || CASE WHEN p.patch @> '{"payment_status": null}' THEN jsonb_build_object('payment_status',
          CASE WHEN coalesce((p.patch ->> 'cash_on_pickup')::boolean, o.cash_on_pickup) THEN 'cash_on_pickup'
               ELSE 'pending' END) ELSE '{}' END
   ELSE ${PLAIN_PATCH} END`;

/**
 * The lines of an order that claims stock, or of an organization whose stock follows its orders, change with a claim
 * only (stock-claimed-orders.ts): without one the statement writes nothing.
 */
const LACKS_CLAIM = `p.patch ? 'items' AND NOT p.patch ? 'stock_claim_id'`;
export const CLAIMS_STOCK = `NOT (${LACKS_CLAIM} AND (
  SELECT g.stock_follows_orders FROM core.organizations g WHERE g.id = p.org_id) IS TRUE)`;

/** What an update told of the payment when it changed nothing else; written with the row, where old (`o`) and new (`n`) meet. */
const PAYMENT_CHANGE = `CASE WHEN p.patch ?| '{payment_status,payment_reference}'
       AND jsonb_populate_record(n, jsonb_build_object('payment_status', o.payment_status,
             'payment_reference', o.payment_reference)) IS NOT DISTINCT FROM o
     THEN jsonb_build_object('old_payment_status', o.payment_status, 'changed', array_remove(ARRAY[
            CASE WHEN o.payment_status IS DISTINCT FROM n.payment_status THEN 'payment_status' END,
            CASE WHEN o.payment_reference IS DISTINCT FROM n.payment_reference THEN 'payment_reference' END], NULL)) END`;

/**
 * A change of an order whose many lines stay as they are may exceed the size of an order. The upsert's statement, which is
 * its own transaction, leaves such orders alone; orders.handlers.ts changes and measures them in a transaction.
 */
const KEEPS_LARGE_ITEMS = `CASE WHEN p.patch ? 'items' OR jsonb_array_length(o.items) <= ${SMALL_ORDER_LINES} THEN false
       ELSE octet_length(o.items::text) > ${SMALL_ITEMS_BYTES} END`;

/**
 * How the patch `p` (a row of `given` that `isMine`) changes the order `o`; some patches `clears`, or none does. Without
 * `measures`, orders that have to be measured are left alone.
 */
export function changeOf(
  isMine: string,
  { clears, measures }: { clears: boolean; measures: boolean },
): { set: string; applies: string } {
  const changed = `jsonb_populate_record(o, ${clears ? CLEARING_PATCH : PLAIN_PATCH})`;
  return {
    set: `(${COLUMNS.join(', ')}, payment_change, sequence, updated_at) =
       (SELECT ${COLUMNS.map((column) => `n.${column}`).join(', ')}, ${PAYMENT_CHANGE}, o.sequence + 1, now()
        FROM given p, LATERAL ${changed} n WHERE ${isMine})`,
    /** An update that changes nothing writes no history and no event. */
    applies: `EXISTS (SELECT FROM given p WHERE ${isMine} AND NOT (o.stock_claim_id IS NOT NULL AND ${LACKS_CLAIM})
       AND ${changed} IS DISTINCT FROM o${measures ? '' : ` AND NOT ${KEEPS_LARGE_ITEMS}`})`,
  };
}
