import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counters of prescriptions, second step: the rows that exist, as for the sums of orders (0003-daily-sums.ts). Deltas since
 * 0005 may be folded already. So no fold may run, and what is counted is replaced.
 */
const FILL = [
  `SELECT pg_advisory_xact_lock(hashtext('core.row_counts'))`,
  `WITH folded AS (DELETE FROM core.row_counts WHERE counted = 'prescriptions'),
     contained AS (DELETE FROM core.row_count_deltas WHERE counted = 'prescriptions'),
     rows AS (
       SELECT org_id, shop_id, 'ingested' AS status, created_at FROM core.prescriptions
       UNION ALL
       SELECT org_id, shop_id, 'order_request', created_at FROM core.order_requests r
       WHERE document_erased OR EXISTS (SELECT FROM core.documents d WHERE d.order_request_id = r.id)
     )
   INSERT INTO core.row_count_deltas (counted, org_id, shop_id, status, day, amount)
   SELECT 'prescriptions', org_id, shop_id, status, (created_at AT TIME ZONE 'Europe/Berlin')::date, count(*)
   FROM rows GROUP BY 2, 3, 4, 5`,
];

export class CountPrescriptions0006 implements MigrationInterface {
  readonly name = '0006';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of FILL) await runner.query(sql);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('0006 cannot be undone: restore a backup instead.'));
  }
}
