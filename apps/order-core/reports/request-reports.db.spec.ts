import { reportDaily, reportReview } from '@offizin/contracts/console-reports';
import { statement } from '@offizin/pg/database';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { foldCounts } from '../counts/counts.store';
import { orderCoreSchema } from '../db/schema';
import { OrderCoreFixture } from '../spec-fixture';
import { foldDailySums } from './daily-sums.store';
import { COUNTED_BY_SCAN, type CountedStats } from './reports-fixture';
import { asCounted, countRequests } from './request-reports-fixture';
import { readDaily, readReview } from './request-reports.store';
import { ReportsHandlers } from './reports.handlers';
import { ServiceFee } from './service-fee';

const YEAR = { from: '2025-10-01', to: '2026-09-30' };
/** The clocks change on 26 October and on 29 March. */
const PERIODS = [
  YEAR,
  { from: '2025-10-26', to: '2025-10-26' },
  { from: '2026-03-28', to: '2026-03-29' },
  { from: '2026-03-29', to: '2026-03-29' },
  { from: '2026-03-30', to: '2026-06-30' },
];

let test: TestDatabase;
let core: OrderCoreFixture;

beforeAll(async () => {
  test = await testDatabase(orderCoreSchema);
});
beforeEach(async () => {
  core = await makeFixture();
});
afterAll(() => test.close());

function makeFixture(): Promise<OrderCoreFixture> {
  const fee = new ServiceFee({ serviceFeeBaseEur: '0', serviceFeePerOrderEur: '0', serviceFeePerCent: '0' });
  const reports = new ReportsHandlers(test.database, fee);
  return OrderCoreFixture.make(test.database, [
    [reportDaily, (call) => reports.daily(call)],
    [reportReview, (call) => reports.review(call)],
  ]);
}

/** Requests around both changes of the clock, in every status, decided within seconds to days. */
const insertRequests = statement<never, [string, string, string, number]>(
  'spec_report_requests',
  `INSERT INTO core.order_requests (id, org_id, shop_id, source, total_amount, payload_ciphertext, payload_digest, status,
     reason, created_at, updated_at)
   SELECT gen_random_uuid(), $1, CASE WHEN n % 3 = 0 THEN $2::uuid ELSE $3::uuid END, 'spec', 0, '', '', r.status,
     CASE WHEN r.status = 'rejected' THEN (ARRAY['other', 'out_of_stock', 'price_mismatch'])[1 + n % 4 % 3] END, r.at,
     r.at + (n * 7919 % 4001) * interval '37 seconds'
   FROM generate_series(1, $4::int) n, LATERAL (SELECT
     (ARRAY['approved', 'rejected', 'pending', 'approved', 'needs_clarification', 'expired', 'rejected'])[1 + n % 7] AS status,
     CASE WHEN n % 2 = 0 THEN timestamptz '2026-03-29T00:30:00Z' ELSE timestamptz '2025-10-26T00:30:00Z' END
       + (n * 104729 % 60 - 30) * interval '47 minutes' AS at) r`,
);
const insertOrders = statement<never, [string, string]>(
  'spec_report_orders',
  `INSERT INTO core.orders (id, org_id, shop_id, external_id, total_amount, total_is_given, payment_status, status, items,
     created_at)
   SELECT gen_random_uuid(), $1, $2, n, n / 10.0, true, 'paid', CASE WHEN n % 4 = 0 THEN 'cancelled' ELSE 'shipped' END, '[]',
     timestamptz '2026-03-28T22:30:00Z' + n * interval '20 minutes' FROM generate_series(1, 90) n`,
);

async function fill(fixture = core, requests = 600): Promise<void> {
  const { orgId, shopId, otherShopId } = fixture;
  await test.database.rows(insertRequests, orgId, shopId, otherShopId, requests);
  await test.database.rows(insertOrders, orgId, shopId);
}

async function change(text: string): Promise<void> {
  await test.database.dataSource.query(text, [core.orgId]);
}

/** Of both reports, in each period and shop, against a count of the rows. */
async function expectExact(): Promise<void> {
  for (const period of PERIODS)
    for (const shopId of [null, core.shopId, core.otherShopId]) {
      const scope = { orgId: core.orgId, period, shopId };
      const days = await readDaily(test.database, scope);
      const counted = await countRequests(test.database, scope);
      expect({ scope, ...asCounted(days, await readReview(test.database, scope)) }).toEqual({
        scope,
        ...counted,
      });
      const params = [core.orgId, period.from, period.to, shopId];
      const [sums]: CountedStats[] = await test.database.dataSource.query(COUNTED_BY_SCAN, params);
      const total = (of: 'orders' | 'revenue') => days.reduce((sum, day) => sum + day[of], 0);
      expect([total('orders'), total('revenue').toFixed(2)]).toEqual([
        ...[sums?.orders.total, sums?.orders.revenue.toFixed(2)],
      ]);
    }
}

async function fold(limit = 10_000): Promise<void> {
  while ((await foldCounts(test.database, limit)) > 0);
  while ((await foldDailySums(test.database, limit)) > 0);
}

it('equal a count of the rows after each change of plain SQL, open, half folded and folded', async () => {
  await fill();
  await fill(await makeFixture(), 50);
  await expectExact();
  await foldCounts(test.database, 7);
  await foldDailySums(test.database, 40);
  await expectExact();
  const changes = [
    `UPDATE core.order_requests SET status = 'rejected', reason = 'other', updated_at = created_at + interval '1 day'
     WHERE org_id = $1 AND status = 'pending'`,
    `UPDATE core.order_requests SET status = 'pending', reason = NULL
     WHERE org_id = $1 AND status = 'rejected' AND reason = 'price_mismatch'`,
    `UPDATE core.order_requests SET created_at = created_at - interval '1 hour', updated_at = updated_at + interval '1 hour'
     WHERE org_id = $1 AND status <> 'expired'`,
    `DELETE FROM core.order_requests WHERE org_id = $1 AND extract(minute FROM created_at) > 30`,
  ];
  for (const text of changes) {
    await change(text);
    await expectExact();
    await fold();
    await expectExact();
  }
});

it('stay as they are when a decided request is erased', async () => {
  await fill();
  const scope = { orgId: core.orgId, period: YEAR, shopId: null };
  const before = [await readDaily(test.database, scope), await readReview(test.database, scope)];
  await change(`UPDATE core.order_requests SET customer_name = NULL, note = NULL, erased_at = now(), updated_at = now()
    WHERE org_id = $1`);
  expect([await readDaily(test.database, scope), await readReview(test.database, scope)]).toEqual(before);
});

it('answer every day of the period, every hour of the week, and nothing of another organization', async () => {
  await fill(await makeFixture());
  const query = 'from=2026-03-28&to=2026-03-30';
  const daily = await core.call(reportDaily, { query, caller: core.staff() });
  const none = { requests: 0, approved: 0, rejected: 0, orders: 0, revenue: 0 };
  const days = ['2026-03-28', '2026-03-29', '2026-03-30'];
  expect(daily.body.data).toEqual(days.map((day) => ({ day, ...none })));
  const { body } = await core.call(reportReview, { query, caller: core.staff() });
  expect(body.data).toMatchObject({ decided: 0, median_s: null, p95_s: null, reasons: [] });
  expect(body.data.by_hour.map(({ weekday, hours }) => [weekday, hours.length])).toEqual(
    [1, 2, 3, 4, 5, 6, 7].map((weekday) => [weekday, 24]),
  );
  const refused = await core.call(reportReview, {
    query: 'from=2026-03-30&to=2026-03-28',
    caller: core.staff(),
  });
  expect(refused.status).toBe(400);
  const other = await makeFixture();
  const foreign = await core.call(reportDaily, { query: `shop_id=${other.shopId}`, caller: core.staff() });
  expect(foreign.status).toBe(404);
});
