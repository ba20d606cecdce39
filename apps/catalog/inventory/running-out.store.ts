import { MAX_RUNNING_OUT, type RunningOutResponse, SALES_DAYS } from '@offizin/contracts/stock';
import { type Sql, statement } from '@offizin/pg/database';
import { effective } from '../db/effective-product';
import { SCHEMA } from '../db/schema';

/** Products whose stock runs out soon, if as much is sold as of late. */

const found = statement<RunningOutResponse, [orgId: string, days: number, rows: number]>(
  'stock_running_out',
  // Per product, the log is read from its newest entry back to the first one that is too old.
  `WITH selling AS (
     SELECT i.p1_id, i.stock_quantity - i.reserved_quantity AS available_quantity, log.sold,
            least($2, ceil(extract(epoch FROM now() - i.created_at) / 86400)) AS days
     FROM ${SCHEMA}.inventory i, LATERAL (
       SELECT -sum(l.delta) AS sold FROM ${SCHEMA}.stock_log l
       WHERE l.org_id = i.org_id AND l.p1_id = i.p1_id AND l.reason = 'sold'
         AND l.created_at >= now() - make_interval(days => $2)
         AND l.entry_number > coalesce((
           SELECT b.entry_number FROM ${SCHEMA}.stock_log b
           WHERE b.org_id = i.org_id AND b.p1_id = i.p1_id AND b.created_at < now() - make_interval(days => $2)
           ORDER BY b.entry_number DESC LIMIT 1), 0)) log
     WHERE i.org_id = $1 AND log.sold > 0
   ), lasting AS (
     SELECT p1_id, available_quantity, sold, floor(available_quantity * days / sold) AS days_left
     FROM selling WHERE available_quantity * days <= $2 * sold
   ), page AS (
     SELECT l.p1_id, ${effective('name', 'organization')} AS name, l.available_quantity, l.sold, l.days_left
     FROM lasting l JOIN ${SCHEMA}.inventory i ON i.org_id = $1 AND i.p1_id = l.p1_id
       JOIN ${SCHEMA}.products p ON p.p1_id = l.p1_id
     ORDER BY days_left, l.sold DESC, l.p1_id LIMIT $3
   )
   SELECT (SELECT count(*) FROM lasting)::int AS total, coalesce(json_agg(page), '[]') AS data FROM page`,
);

export async function runningOut(sql: Sql, orgId: string): Promise<RunningOutResponse> {
  const [row] = await sql.rows(found, orgId, SALES_DAYS, MAX_RUNNING_OUT);
  return row ?? { data: [], total: 0 };
}
