import { eventually } from '@offizin/testkit/eventually';
import type { TestOrganization } from '@offizin/testkit/organization';
import type { Trial } from '../trial';

/** Creates data that makes the operations of a greedy organization expensive. */
export async function seedNeighbour(
  trial: Trial,
  { orgId, shops }: TestOrganization,
  orders: number,
): Promise<void> {
  await trial.sql(
    `INSERT INTO core.orders (id, org_id, shop_id, external_id, order_number, customer_name, customer_email,
       total_amount, total_is_given, payment_status, status, items, created_at, updated_at)
     SELECT gen_random_uuid(), $1::uuid, $2::uuid, 'seed-' || n, 'A-' || n, 'Kundin ' || n, 'kundin-' || n || '@example.org',
       n % 20000 / 100.0, false, CASE WHEN n % 9 = 0 THEN 'pending' ELSE 'paid' END,
       CASE WHEN n % 4 = 0 THEN 'pending' ELSE 'completed' END,
       '[{"p1_id":"P1-1","name":"Ibuprofen 400 mg","quantity":1,"price":4.95}]'::jsonb, at, at
     FROM (SELECT n, now() - make_interval(secs => 700 * 86400.0 * n / $3::int) AS at
           FROM generate_series(1, $3::int) n) numbered`,
    orgId,
    shops[0].shopId,
    orders,
  );
  await trial.sql(
    `INSERT INTO core.audit_log (org_id, actor, action, object, request_id)
     SELECT $1::uuid, 'key:seed', 'order.update', 'order:' || n, 'seed' FROM generate_series(1, $2::int) n`,
    orgId,
    orders / 2,
  );
  await trial.sql('VACUUM (ANALYZE) core.orders');
  await eventually(
    'the counters to be folded and the audit log to be sealed',
    async () => {
      const [left] = await trial.sql<{ left: number }>(
        `SELECT (SELECT count(*) FROM core.row_count_deltas)::int + (SELECT count(*) FROM core.daily_sum_deltas)::int
           + (SELECT count(*) FROM core.audit_log WHERE position > (SELECT max(position) FROM core.audit_seals))::int AS left`,
      );
      return left?.left === 0;
    },
    90_000,
  );
}
