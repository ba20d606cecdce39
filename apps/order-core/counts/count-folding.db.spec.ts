import { statement } from '@offizin/pg/database';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { eventually } from '@offizin/testkit/eventually';
import { orderCoreSchema } from '../db/schema';
import { OrderCoreFixture } from '../spec-fixture';
import { countFolding } from './count-folding';

let test: TestDatabase;

beforeAll(async () => {
  test = await testDatabase(orderCoreSchema);
});
afterAll(() => test.close());

/** One order per day, each with its own delta. */
const insertDays = statement<never, [string, string, number]>(
  'spec_folded_days',
  `INSERT INTO core.orders (id, org_id, shop_id, external_id, total_amount, total_is_given, payment_status, status, items,
     created_at)
   SELECT gen_random_uuid(), $1, $2, 'day-' || n, 1, false, 'paid', 'pending', '[]',
     timestamptz '2020-01-01T00:00:00Z' + n * interval '1 day'
   FROM generate_series(1, $3::int) n`,
);
const deltas = statement<{ open: number; cleared: number }, []>(
  'spec_deltas',
  `SELECT (SELECT count(*)::int FROM core.row_count_deltas) AS open,
     (SELECT vacuum_count::int FROM pg_stat_user_tables WHERE relid = 'core.row_count_deltas'::regclass) AS cleared`,
);

it('vacuums folded deltas, so that lists do not scan them', async () => {
  const core = await OrderCoreFixture.make(test.database);
  const folding = countFolding(test.database);
  await test.database.rows(insertDays, core.orgId, core.shopId, 1_000);
  folding.start();
  try {
    await eventually('the folded deltas are cleared away', async () => {
      const [found] = await test.database.rows(deltas);
      return found?.open === 0 && found.cleared > 0;
    });
  } finally {
    await folding.stop();
  }
});
