import { type Database, type Sql, statement } from '@offizin/pg/database';
import { countOf } from '@offizin/pg/queries';
import { PeriodicWork } from '@offizin/runtime/periodic-work';
import { newRequestId } from '@offizin/runtime/request-id';
import type { ErasureEntity } from '../db/request-entities';

const KEPT_DAYS = 90;
const PAUSE_MS = 3_600_000;
const BATCH_JOBS = 500;
const BATCH_ROWS = 500;

/** A job has the id of its object, so an object has one, however many replicas look. */
const oldOf = (table: string, kind: string): string => `
  SELECT o.id, o.org_id, '${kind}' AS kind FROM core.${table} o
  WHERE o.is_test AND o.created_at < now() - make_interval(days => ${KEPT_DAYS})
    AND NOT EXISTS (SELECT FROM core.erasures e WHERE e.id = o.id)`;
const insertOld = statement<Pick<ErasureEntity, 'id'>, [string, number]>(
  'erasure_of_test_shops',
  `INSERT INTO core.erasures (id, org_id, object_kind, object_id, actor_kind, actor_id, request_id)
   SELECT id, org_id, kind, id, 'service', 'test', $1 FROM (
     ${oldOf('orders', 'order')} UNION ALL ${oldOf('order_requests', 'order-request')}
     UNION ALL ${oldOf('prescriptions', 'prescription')}
   ) old LIMIT $2 ON CONFLICT (id) DO NOTHING RETURNING id`,
);

/** What test shops refused on purpose, as long as they keep a request. */
const forgetTrials = countOf<[limit: number]>(
  'refused_trials_forget',
  `DELETE FROM core.refused_trials WHERE (shop_id, sender_id, reference_digest) IN (
     SELECT shop_id, sender_id, reference_digest FROM core.refused_trials
     WHERE refused_at < now() - make_interval(days => ${KEPT_DAYS}) LIMIT $1)
   RETURNING true`,
);

/** The eraser takes the jobs (eraser.ts). */
export function testShopErasure(database: Database): PeriodicWork {
  return new PeriodicWork('erase test shops', PAUSE_MS, () => eraseOldTests(database));
}

export async function eraseOldTests(sql: Sql): Promise<void> {
  while ((await sql.rows(insertOld, newRequestId(), BATCH_JOBS)).length === BATCH_JOBS);
  while ((await forgetTrials(sql, BATCH_ROWS)) === BATCH_ROWS);
}
