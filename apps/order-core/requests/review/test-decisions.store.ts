import { type Sql, statement } from '@offizin/pg/database';
import type { OrderRequestEntity } from '../../db/request-entities';

export interface DueRequest extends Pick<OrderRequestEntity, 'id' | 'org_id' | 'version'> {
  decision: 'approve' | 'correct' | 'reject' | 'ask';
}

/**
 * A request that was asked about once is approved with its answer; an erased one takes no question. Each organization has
 * its turn: what cannot be decided stays the oldest.
 */
const due = statement<DueRequest, [number, number]>(
  'order_request_test_due',
  `SELECT r.id, r.org_id, r.version,
          CASE WHEN r.external_reference LIKE 'reject-%' THEN 'reject'
               WHEN r.external_reference LIKE 'correct-%' THEN 'correct'
               WHEN r.external_reference LIKE 'ask-%' AND r.erased_at IS NOT NULL THEN 'reject'
               WHEN r.external_reference LIKE 'ask-%' AND NOT EXISTS (SELECT FROM core.order_request_versions v
                 WHERE v.order_request_id = r.id AND v.question IS NOT NULL) THEN 'ask'
               ELSE 'approve' END AS decision
   FROM core.order_requests r
   WHERE r.is_test AND r.status = 'pending' AND r.external_reference ~ '^(approve|correct|reject|ask)-'
     AND r.updated_at <= now() - make_interval(secs => $1)
   ORDER BY row_number() OVER (PARTITION BY r.org_id ORDER BY r.updated_at), r.updated_at LIMIT $2`,
);

/** Pending requests of test shops that have waited this long, oldest first. */
export function dueRequests(sql: Sql, waitSeconds: number, limit: number): Promise<DueRequest[]> {
  return sql.rows(due, waitSeconds, limit);
}
