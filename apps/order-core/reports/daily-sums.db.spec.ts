import * as api from '@offizin/contracts/orders';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from '../db/schema';
import { OrderCoreFixture } from '../spec-fixture';
import { foldSums, lockSums } from './daily-sums';
import { foldDailySums } from './daily-sums.store';
import { foldCounts } from '../counts/counts.store';
import {
  addDocument,
  COUNTED_BY_SCAN,
  type CountedStats,
  insertDocumented,
  insertIngested,
} from './reports-fixture';
import { readServiceFees, readStats } from './reports.store';
import { ServiceFee } from './service-fee';

const YEAR = { from: '2025-10-01', to: '2026-09-30' };
/** The clocks change on 29 March. */
const PERIODS = [
  YEAR,
  { from: '2026-03-28', to: '2026-03-28' },
  { from: '2026-03-29', to: '2026-03-29' },
  { from: '2026-03-29', to: '2026-03-31' },
  { from: '2026-03-01', to: '2026-03-29' },
  { from: '2026-01-15', to: '2026-06-30' },
];
const NO_FEE = new ServiceFee({ serviceFeeBaseEur: '0', serviceFeePerOrderEur: '0', serviceFeePerCent: '0' });

let test: TestDatabase;
let core: OrderCoreFixture;

beforeAll(async () => {
  test = await testDatabase(orderCoreSchema);
});
beforeEach(async () => {
  core = await OrderCoreFixture.make(test.database);
});
afterAll(() => test.close());

/** Orders between February and May of some customers: one of each third shop, half an hour and so on apart. */
const insertOrders = statement<never, [string, string, string, string, number]>(
  'spec_summed_orders',
  `INSERT INTO core.orders (id, org_id, shop_id, external_id, customer_name, customer_email, total_amount, total_is_given,
     payment_status, status, items, created_at)
   SELECT gen_random_uuid(), $1, CASE WHEN n % 3 = 0 THEN $2::uuid ELSE $3::uuid END, $4 || n,
     CASE WHEN n % 5 = 0 THEN NULL ELSE 'Öl ' || n % 7 END, CASE WHEN n % 4 = 0 THEN ' K' || n % 9 || '@Example.test ' END,
     n % 50 / 10.0, true, CASE WHEN n % 6 = 0 THEN 'refunded' ELSE 'paid' END,
     CASE WHEN n % 8 = 0 THEN 'cancelled' WHEN n % 2 = 0 THEN 'shipped' ELSE 'pending' END, '[]',
     timestamptz '2026-03-29T00:30:00Z' + (n * 7919 % 60 - 30) * interval '31 hours'
   FROM generate_series(1, $5::int) n`,
);

async function fill(prefix: string, orders: number): Promise<void> {
  await test.database.rows(insertOrders, core.orgId, core.shopId, core.otherShopId, prefix, orders);
}

async function change(text: string): Promise<void> {
  await test.database.dataSource.query(text, [core.orgId]);
}

async function fold(limit = 10_000): Promise<void> {
  while ((await foldDailySums(test.database, limit)) > 0);
}

async function counted(period: typeof YEAR, shopId: string | null): Promise<CountedStats> {
  const scope = [core.orgId, period.from, period.to, shopId];
  const [row]: CountedStats[] = await test.database.dataSource.query(COUNTED_BY_SCAN, scope);
  if (!row) throw new Error('nothing was counted');
  return row;
}

/** The reports, in each period and shop, against a scan of the orders. */
async function expectExactSums(): Promise<void> {
  for (const period of PERIODS)
    for (const shopId of [null, core.shopId, core.otherShopId]) {
      const scope = { orgId: core.orgId, period, shopId };
      const { orders, ...rest } = await readStats(test.database, scope);
      const byStatus = orders.by_status.sort((a, b) => (a.status < b.status ? -1 : 1));
      const { months, ...stats } = await counted(period, shopId);
      expect({ scope, orders: { ...orders, by_status: byStatus }, ...rest }).toEqual({ scope, ...stats });
      if (period !== YEAR) continue;
      const fees = await readServiceFees(test.database, scope, NO_FEE);
      expect(fees.map(({ month, orders, revenue }) => ({ month, orders, revenue }))).toEqual(months);
    }
}

it('are exact after each change of plain SQL, open, half folded and folded', async () => {
  await change(`UPDATE core.organizations SET created_at = '2026-12-01' WHERE id = $1`);
  await fill('first-', 400);
  await expectExactSums();
  await foldDailySums(test.database, 150);
  await expectExactSums();
  await fold();
  await expectExactSums();
  const changes = [
    `UPDATE core.orders SET created_at = created_at - interval '20 days' WHERE org_id = $1 AND external_id LIKE '%3'`,
    `UPDATE core.orders SET status = CASE status WHEN 'cancelled' THEN 'pending' ELSE 'cancelled' END
     WHERE org_id = $1 AND external_id LIKE '%1_'`,
    `UPDATE core.orders SET customer_name = NULL, customer_email = NULL WHERE org_id = $1 AND external_id LIKE '%5'`,
    `UPDATE core.orders SET customer_email = 'K1@example.test', total_amount = 7 WHERE org_id = $1 AND external_id LIKE '%7_'`,
    `UPDATE core.orders SET payment_status = 'refunded', shop_id = shop_id WHERE org_id = $1 AND external_id LIKE '%2_'`,
    `DELETE FROM core.orders WHERE org_id = $1 AND external_id LIKE '%8'`,
    `DELETE FROM core.orders WHERE org_id = $1`,
  ];
  for (const text of changes) {
    await change(text);
    await expectExactSums();
    await foldDailySums(test.database, 40);
    await expectExactSums();
    await fold();
    await expectExactSums();
  }
});

it('stay exact while 200 changes race with three processes that fold', async () => {
  await change(`UPDATE core.organizations SET created_at = '2026-12-01' WHERE id = $1`);
  await fill('filled-', 60);
  let racing = true;
  const folding = Array.from({ length: 3 }, async () => {
    while (racing) await foldDailySums(test.database, 7);
  });
  try {
    await raceChanges();
    await expectExactSums();
  } finally {
    racing = false;
    await Promise.all(folding);
  }
  await fold();
  await expectExactSums();
  const [left]: object[] = await test.database.dataSource.query(
    `SELECT count(*)::int AS open, (SELECT count(*)::int FROM core.customer_days WHERE orders <= 0) AS empty
     FROM core.daily_sum_deltas`,
  );
  expect(left).toEqual({ open: 0, empty: 0 });
});

function upsert(body: object): Promise<unknown> {
  return core.call(api.upsertOrder, { body: { shop_id: core.shopId, ...body } });
}

/** Upserts of new and old orders, patches, PUTs, batches with unknown shops, back-dated orders, an erasure. */
async function raceChanges(): Promise<void> {
  const rows: { id: string; external_id: string }[] = await test.database.dataSource.query(
    'SELECT id, external_id FROM core.orders WHERE org_id = $1 ORDER BY external_id',
    [core.orgId],
  );
  const changes = Array.from({ length: 200 }, async (_, n) => {
    const { id: orderId = '', external_id = '' } = rows[n % rows.length] ?? {};
    const items = [{ name: 'Salbe', qty: 1 + (n % 3), price: 1.5 }];
    const customer = {
      customer_name: `Kunde ${n % 3}`,
      customer_email: n % 2 ? `k${n % 5}@example.test` : null,
    };
    switch (n % 6) {
      case 0:
        return upsert({ external_id, items, ...customer });
      case 1:
        return core.call(api.patchOrderStatus, {
          params: { orderId },
          body: {
            status: api.ORDER_STATUSES[n % 8],
            payment_status: n % 4 ? 'refunded' : 'paid',
            force: true,
          },
        });
      case 2:
        return core.call(api.updateOrder, { params: { orderId }, body: { items, ...customer } });
      case 3:
        // They share a batch; the shop in the middle is unknown.
        return Promise.all([
          upsert({ external_id: `right-${n}`, customer_email: 'k1@example.test', total_amount: 3 }),
          upsert({ external_id: `wrong-${n}`, shop_id: newId() }),
          upsert({ external_id: `right-${n % 30}`, customer_name: 'Kunde 1' }),
        ]);
      case 4:
        return change(
          `UPDATE core.orders SET created_at = timestamptz '2026-03-28T22:30:00Z' + ${n % 4} * interval '1 hour'
           WHERE org_id = $1 AND id = '${orderId}'`,
        );
      default:
        return change(
          `UPDATE core.orders SET customer_name = NULL, customer_email = NULL WHERE org_id = $1 AND id = '${orderId}'`,
        );
    }
  });
  await Promise.all(changes);
}

it('count a prescription once, on the German day on which it came in, also after an erasure of its document', async () => {
  const { orgId, shopId, otherShopId } = core;
  const ids = [
    '2026-03-28T22:59:59Z',
    '2026-03-28T23:00:00Z',
    '2026-03-29T21:59:59Z',
    '2026-03-29T22:00:00Z',
  ].map((at) => ({ at, id: newId() }));
  for (const [n, { at, id }] of ids.entries()) {
    await test.database.rows(insertIngested, orgId, n % 2 ? shopId : otherShopId, at);
    await test.database.rows(insertDocumented, orgId, n % 2 ? otherShopId : shopId, id, at, n > 0);
    await expectExactSums();
    await test.database.rows(addDocument, orgId, id);
    await test.database.rows(addDocument, orgId, id);
    await foldCounts(test.database, 3);
    await expectExactSums();
  }
  const whole = { orgId, period: YEAR, shopId: null };
  const expected = { total: 8, order_requests: 4, ingested: 4 };
  expect((await readStats(test.database, whole)).prescriptions).toEqual(expected);
  await change(`WITH erased AS (DELETE FROM core.documents WHERE org_id = $1 AND order_request_id = '${ids[0]?.id}')
    UPDATE core.order_requests SET document_erased = true WHERE org_id = $1 AND id = '${ids[0]?.id}'`);
  await change(`DELETE FROM core.documents WHERE org_id = $1 AND order_request_id = '${ids[1]?.id}'`);
  await change(`DELETE FROM core.prescriptions WHERE org_id = $1 AND created_at < '2026-03-29'`);
  await expectExactSums();
  const left = { total: 5, order_requests: 3, ingested: 2 };
  expect((await readStats(test.database, whole)).prescriptions).toEqual(left);
});

it('stay exact when the connection that folds is lost in the middle', async () => {
  await change(`UPDATE core.organizations SET created_at = '2026-12-01' WHERE id = $1`);
  await fill('killed-', 200);
  const killed = test.database.transaction(async (tx) => {
    await tx.rows(lockSums);
    await tx.rows(foldSums, 120);
    await tx.rows(endSelf);
  });
  await expect(killed).rejects.toThrow();
  await expectExactSums();
  await fold();
  await expectExactSums();
});

const endSelf = statement<never, []>('spec_end_self', 'SELECT pg_terminate_backend(pg_backend_pid())');
