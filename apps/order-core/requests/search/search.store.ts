import { MAX_FOUND_EACH } from '@offizin/contracts/requests/review-products';
import type { FoundOrder, FoundRequest } from '@offizin/contracts/console/search';
import { type Sql, statement } from '@offizin/pg/database';
import { folded, isoOf, prefixPattern, utcText } from '@offizin/pg/list-page';
import { searchFolded } from '../intake/list-columns';

/** Every part of a search reads a bounded number of rows, however many match. Test shops are left out. */

/** Of each searched column, those next in its index: an exact one is always among them. */
const READ_PER_COLUMN = 200;
const NEWEST_ORDERS = 5_000;
const NEWEST_REQUESTS = 10_000;

/**
 * A range, not LIKE: the index then serves a plan for any text, and no character is a wildcard. No text in UTF-8 sorts
 * behind the last code point.
 */
const beginning = (column: string): string => {
  const [searched, words] = [folded(`o.${column}`), folded('$2::text')];
  return `(SELECT o.id, o.created_at, ${searched} = ${words} AS is_exact FROM core.orders o
    WHERE o.org_id = $1::uuid AND NOT o.is_test AND ${searched} ~>=~ ${words} AND ${searched} ~<~ (${words} || chr(1114111))
    ORDER BY ${searched} USING ~<~ LIMIT ${READ_PER_COLUMN})`;
};

/** People search by the family name, which mostly comes last; no index finds it. */
const LATER_WORD = `(SELECT o.id, o.created_at, false FROM (
    SELECT id, created_at, customer_name FROM core.orders WHERE org_id = $1::uuid AND NOT is_test
    ORDER BY created_at DESC, id DESC LIMIT ${NEWEST_ORDERS}
  ) o WHERE ${folded('o.customer_name')} LIKE ${folded('$3::text')} LIMIT ${MAX_FOUND_EACH})`;

const SEARCHED = ['order_number', 'external_id', 'customer_email', 'customer_name'];

const foundOrders = statement<FoundOrder, [string, string, string]>(
  'search_orders',
  `WITH found AS (${[...SEARCHED.map(beginning), LATER_WORD].join(' UNION ALL ')}),
     best AS (SELECT id, bool_or(is_exact) AS is_exact, created_at FROM found GROUP BY id, created_at
       ORDER BY 2 DESC, created_at DESC, id DESC LIMIT ${MAX_FOUND_EACH})
   SELECT o.id, o.status, o.shop_id, o.customer_name, o.order_number, o.external_id,
     ${utcText('o.created_at')} AS created_at
   FROM best JOIN core.orders o ON o.id = best.id ORDER BY best.is_exact DESC, o.created_at DESC, o.id DESC`,
);

export async function searchOrders(sql: Sql, orgId: string, q: string): Promise<FoundOrder[]> {
  const rows = await sql.rows(foundOrders, orgId, q, `% ${prefixPattern(q)}`);
  return rows.map((row) => ({ ...row, created_at: isoOf(row.created_at) }));
}

const foundRequests = statement<FoundRequest, [string, string]>(
  'search_requests',
  `SELECT r.id, r.status, r.shop_id, r.customer_name, r.external_reference,
     ${utcText('r.created_at')} AS created_at
   FROM (SELECT * FROM core.order_requests WHERE org_id = $1::uuid AND NOT is_test
     ORDER BY created_at DESC, id DESC LIMIT ${NEWEST_REQUESTS}) r
   WHERE r.search_text LIKE $2 ORDER BY r.created_at DESC, r.id DESC LIMIT ${MAX_FOUND_EACH}`,
);

export async function searchRequests(sql: Sql, orgId: string, q: string): Promise<FoundRequest[]> {
  const words = searchFolded(q);
  if (words === '') return [];
  const rows = await sql.rows(foundRequests, orgId, `%${prefixPattern(words)}`);
  return rows.map((row) => ({ ...row, created_at: isoOf(row.created_at) }));
}
