import type { OrderListQuery } from '@offizin/contracts/orders/orders';
import { folded, given, type ListFilter, prefixPattern } from '@offizin/pg/list-page';

/**
 * Rows and filters of the list; libs/pg/list-page.ts adds paging, counts.store.ts totals. Each combination of filters is a
 * separate statement; rendered/list-*.sql show each form of the page.
 */

export const ORDERS = 'core.orders o';

const SEARCHED = ['customer_name', 'customer_email', 'order_number', 'external_id'];
const SEARCH = `(${SEARCHED.map((column) => `${folded(`o.${column}`)} LIKE ${folded('$::text')}`).join(' OR ')})`;

/** As testRowsFor says (callers/test-rows.ts). */
export interface TestRows {
  test?: false | undefined;
}

/** The filters that the caller gave. */
export function filtersOf(orgId: string, query: Partial<OrderListQuery> & TestRows): ListFilter[] {
  return given([
    { key: 'org', sql: 'o.org_id = $::uuid', value: orgId },
    { key: 'status', sql: 'o.status = $', value: query.status },
    { key: 'shop', sql: 'o.shop_id = $::uuid', value: query.shop_id },
    { key: 'test', sql: 'o.is_test = $::boolean', value: query.test },
    { key: 'payment', sql: 'o.payment_status = $', value: query.payment_status },
    // The index holds the folded text.
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
