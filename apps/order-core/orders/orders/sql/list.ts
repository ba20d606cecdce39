import { type OrderListQuery, UNPAID_DUE_DAYS } from '@offizin/contracts/orders/orders';
import { given, type ListFilter } from '@offizin/pg/list-page';
import { foundSql, wordsQuery } from '@offizin/pg/search-words';

/**
 * Rows and filters of the list; libs/pg/list-page.ts adds paging, counts.store.ts totals. Each combination of filters
 * is a separate statement; rendered/list-*.sql show each form of the page.
 */

export const ORDERS = 'core.orders o';

/** A search reads at most so many orders whose words are not written yet; an import may leave more for some seconds. */
const MAX_DUE = 5_000;
/** `$1` is the organization. */
const dueOrders = (query: string): string =>
  ` UNION ALL SELECT due.id FROM (SELECT id FROM core.order_words WHERE org_id = $1::uuid AND words IS NULL
      ORDER BY id DESC LIMIT ${MAX_DUE}) due,
     LATERAL (SELECT FROM core.orders d WHERE d.id = due.id AND core.words_of_order(d) @@ ${query} OFFSET 0) found`;

/** By orders_unpaid; `$` is UNPAID_DUE_DAYS. */
export const UNPAID_DUE = 'o.unpaid_since <= now() - make_interval(days => $)';

/** As testRowsFor chooses (callers/test-rows.ts). */
export interface TestRows {
  test?: false | undefined;
}

/** The filters that the caller gave. */
export function filtersOf(orgId: string, query: Partial<OrderListQuery> & TestRows): ListFilter[] {
  const { q } = query;
  return given([
    { key: 'org', sql: 'o.org_id = $::uuid', value: orgId },
    { key: 'status', sql: 'o.status = $', value: query.status },
    { key: 'shop', sql: 'o.shop_id = $::uuid', value: query.shop_id },
    { key: 'test', sql: 'o.is_test = $::boolean', value: query.test },
    { key: 'payment', sql: 'o.payment_status = $', value: query.payment_status },
    { key: 'unpaid', sql: UNPAID_DUE, value: query.unpaid && UNPAID_DUE_DAYS },
    // By orders_shop_external, of each shop.
    {
      key: 'external',
      sql: 'o.external_id = $ AND EXISTS (SELECT FROM core.shops s WHERE s.id = o.shop_id AND s.org_id = o.org_id)',
      value: query.external_id,
    },
    // By order_lots_lot. An array, so that the planner reads these orders whatever it thinks of their number.
    {
      key: 'lot',
      sql: 'o.id = ANY (ARRAY(SELECT l.order_id FROM core.order_lots l WHERE l.org_id = $1::uuid AND l.lot = $))',
      value: query.lot,
    },
    { key: 'from', sql: 'o.created_at >= $::timestamptz', value: query.created_from },
    { key: 'to', sql: 'o.created_at < $::timestamptz', value: query.created_to },
    { key: 'since', sql: 'o.updated_at >= $::timestamptz', value: query.updated_since },
    {
      key: 'q',
      sql: foundSql('o', 'core.order_words', '$', dueOrders),
      value: q && wordsQuery({ orgId, q }),
    },
  ]);
}
