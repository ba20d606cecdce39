import { MAX_FOUND_EACH } from '@offizin/contracts/requests/review-products';
import type { FoundOrder, FoundRequest } from '@offizin/contracts/console/search';
import { type Sql, statement } from '@offizin/pg/database';
import { isoOf, utcText } from '@offizin/pg/list-page';
import { wordsQuery } from '@offizin/pg/search-words';
import { requestQuery } from '../review/review-list.store';

/** Rows that the lists find for the same words, without test shops. A bounded number of them is read, however many match. */

const MATCHES = 200;
const NEWEST = 400;

/**
 * `found` holds rows with the whole words, the newest matches, and only where those are too few, any by the index. Ids rise
 * with time. The planner plans a materialized part for all of its rows, and so by the index; LIMIT then stops its reads.
 */
function foundIn(table: string, words: string, wordsOfNewest = 'w.words'): string {
  return `WITH recent AS MATERIALIZED (SELECT newest.id FROM (SELECT id, created_at, t AS stored FROM ${table} t
         WHERE org_id = $1::uuid AND NOT is_test ORDER BY created_at DESC, id DESC LIMIT ${NEWEST}) newest,
         LATERAL (SELECT ${wordsOfNewest} AS words FROM ${words} w WHERE w.id = newest.id OFFSET 0) w
       WHERE w.words @@ $2::tsquery
       ORDER BY w.words @@ $3::tsquery DESC, created_at DESC, newest.id DESC LIMIT ${MAX_FOUND_EACH}),
     whole AS MATERIALIZED (SELECT id FROM ${words} WHERE words @@ $3::tsquery),
     part AS MATERIALIZED (SELECT id FROM ${words}
       WHERE words @@ $2::tsquery AND (SELECT count(*) FROM recent) < ${MAX_FOUND_EACH}),
     found AS ((SELECT id FROM whole LIMIT ${MATCHES}) UNION SELECT id FROM recent
       UNION (SELECT id FROM part ORDER BY id DESC LIMIT ${MATCHES}))`;
}

const foundOrders = statement<FoundOrder, [string, string, string]>(
  'search_orders',
  `${foundIn('core.orders', 'core.order_words', 'coalesce(w.words, core.words_of_order(newest.stored))')}
   SELECT o.id, o.status, o.shop_id, o.customer_name, o.order_number, o.external_id,
     ${utcText('o.created_at')} AS created_at
   FROM found JOIN core.orders o ON o.id = found.id AND o.org_id = $1::uuid AND NOT o.is_test
     JOIN core.order_words w ON w.id = o.id
   ORDER BY (w.words @@ $3::tsquery) IS TRUE DESC, o.created_at DESC, o.id DESC LIMIT ${MAX_FOUND_EACH}`,
);

/** Those with the whole words come first: the number that a person has typed is among them. */
export async function searchOrders(sql: Sql, orgId: string, q: string): Promise<FoundOrder[]> {
  const [parts, wholes] = [false, true].map((isWhole) => wordsQuery({ orgId, q, isWhole }));
  const rows = await sql.rows(foundOrders, orgId, parts ?? '', wholes ?? '');
  return rows.map((row) => ({ ...row, created_at: isoOf(row.created_at) }));
}

const foundRequests = statement<FoundRequest, [string, string, string]>(
  'search_requests',
  `${foundIn('core.order_requests', 'core.order_request_words')}
   SELECT r.id, r.status, r.shop_id, r.customer_name, r.external_reference,
     ${utcText('r.created_at')} AS created_at
   FROM found JOIN core.order_requests r ON r.id = found.id AND r.org_id = $1::uuid AND NOT r.is_test
     JOIN core.order_request_words w ON w.id = r.id
   ORDER BY w.words @@ $3::tsquery DESC, r.created_at DESC, r.id DESC LIMIT ${MAX_FOUND_EACH}`,
);

export async function searchRequests(
  sql: Sql,
  { orgId, key }: { orgId: string; key: Buffer },
  q: string,
): Promise<FoundRequest[]> {
  const [parts, wholes] = [false, true].map((isWhole) => requestQuery({ orgId, key }, q, isWhole));
  const rows = await sql.rows(foundRequests, orgId, parts ?? '', wholes ?? '');
  return rows.map((row) => ({ ...row, created_at: isoOf(row.created_at) }));
}
