import type { MigrationInterface, QueryRunner } from 'typeorm';
import { DECISION, decisionOf } from './0012-request-outcomes';

/**
 * Outcomes of order requests, second step: the requests that exist, as for prescriptions (0006). An erasure has
 * overwritten when a request was decided, so the time of a decision before it is unknown.
 */
const FILL = [
  `SELECT pg_advisory_xact_lock(hashtext('core.row_counts'))`,
  `WITH folded AS (DELETE FROM core.row_counts WHERE counted = 'request_days'),
     contained AS (DELETE FROM core.row_count_deltas WHERE counted = 'request_days')
   INSERT INTO core.row_count_deltas (counted, org_id, shop_id, status, day, amount)
   SELECT 'request_days', org_id, shop_id, status, (created_at AT TIME ZONE 'Europe/Berlin')::date, count(*)
   FROM core.order_requests GROUP BY 2, 3, 4, 5`,
  // A request that is decided meanwhile has its row from the trigger.
  `INSERT INTO core.request_decisions (${DECISION})
   SELECT ${decisionOf('r')} FROM core.order_requests r
   WHERE status IN ('approved', 'rejected') AND erased_at IS NULL
   ON CONFLICT DO NOTHING`,
];

export class FillRequestOutcomes0013 implements MigrationInterface {
  readonly name = '0013';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of FILL) await runner.query(sql);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0013 cannot be undone: restore a backup instead.'));
  }
}
