import * as api from '@offizin/contracts/orders/orders';
import { statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { handlersIn } from '@offizin/testkit/handlers-in';
import { reportDaily, reportReview } from '@offizin/contracts/reports/console-reports';
import { OrderCoreFixture } from '../spec/spec-fixture';
import { foldDailySums, foldSums, lockSums } from './daily-sums.store';
import {
  addDocument,
  COUNTED_BY_SCAN,
  type CountedStats,
  foldRowCounts,
  insertDocumented,
  insertIngested,
} from '../spec/reports-fixture';
import { readServiceFees, readStats, ServiceFee } from './reports.store';
import { coreSpec } from '../spec/core-spec';
import { asCounted, countRequests } from '../spec/request-reports-fixture';
import { readDaily, readReview } from './request-reports.store';
import { ReportsHandlers } from './reports.handlers';

const NO_FEE = new ServiceFee({ serviceFeeBaseEur: '0', serviceFeePerOrderEur: '0', serviceFeePerCent: '0' });

let core: OrderCoreFixture;
const test = coreSpec((made) => (core = made), {
  further: (database) => handlersIn(new ReportsHandlers(database, NO_FEE)),
});

const YEAR = { from: '2025-10-01', to: '2026-09-30' };

async function change(text: string): Promise<void> {
  await test.database.dataSource.query(text, [core.orgId]);
}

describe('sums of orders by day', () => {
  /** The clocks change on 29 March. */
  const PERIODS = [
    YEAR,
    { from: '2026-03-28', to: '2026-03-28' },
    { from: '2026-03-29', to: '2026-03-29' },
    { from: '2026-03-29', to: '2026-03-31' },
    { from: '2026-03-01', to: '2026-03-29' },
    { from: '2026-01-15', to: '2026-06-30' },
  ];

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
          return core.upsert(external_id, { items, ...customer });
        case 1:
          return core.patch(orderId, {
            status: api.ORDER_STATUSES[n % 8],
            payment_status: n % 4 ? 'refunded' : 'paid',
            force: true,
          });
        case 2:
          return core.update(orderId, { items, ...customer });
        case 3:
          // They share a batch; the shop in the middle is unknown.
          return Promise.all([
            core.upsert(`right-${n}`, { customer_email: 'k1@example.test', total_amount: 3 }),
            core.upsert(`wrong-${n}`, { shop_id: newId() }),
            core.upsert(`right-${n % 30}`, { customer_name: 'Kunde 1' }),
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
      await foldRowCounts(test.database, 3);
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
});

describe('reports of requests', () => {
  /** The clocks change on 26 October and on 29 March. */
  const PERIODS = [
    YEAR,
    { from: '2025-10-26', to: '2025-10-26' },
    { from: '2026-03-28', to: '2026-03-29' },
    { from: '2026-03-29', to: '2026-03-29' },
    { from: '2026-03-30', to: '2026-06-30' },
  ];

  /** Requests around both changes of the clock, in every status. Only the reason of a rejected one counts. */
  const insertRequests = statement<never, [string, string, string, number]>(
    'spec_report_requests',
    `INSERT INTO core.order_requests (id, org_id, shop_id, source, total_amount, payload_ciphertext, payload_digest, status,
     reason, created_at)
   SELECT gen_random_uuid(), $1, CASE WHEN n % 3 = 0 THEN $2::uuid ELSE $3::uuid END, 'spec', 0, '', '', r.status,
     CASE WHEN r.status IN ('rejected', 'expired') THEN (ARRAY['other', 'out_of_stock', 'price_mismatch'])[1 + n % 4 % 3] END, r.at
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
          sums?.orders.total,
          sums?.orders.revenue.toFixed(2),
        ]);
      }
  }

  async function fold(limit = 10_000): Promise<void> {
    while ((await foldRowCounts(test.database, limit)) > 0);
    while ((await foldDailySums(test.database, limit)) > 0);
  }

  it('equal a count of the rows after each change of plain SQL, open, half folded and folded', async () => {
    await fill();
    await fill(await OrderCoreFixture.make(test.database), 50);
    await expectExact();
    await foldRowCounts(test.database, 7);
    await foldDailySums(test.database, 40);
    await expectExact();
    const changes = [
      `UPDATE core.order_requests SET status = 'rejected', reason = 'other'
     WHERE org_id = $1 AND status = 'pending'`,
      `UPDATE core.order_requests SET status = 'pending', reason = NULL
     WHERE org_id = $1 AND status = 'rejected' AND reason = 'price_mismatch'`,
      `UPDATE core.order_requests SET created_at = created_at - interval '1 hour' WHERE org_id = $1 AND status <> 'expired'`,
      `UPDATE core.order_requests SET status = 'cancelled' WHERE org_id = $1 AND status = 'rejected' AND reason = 'out_of_stock'`,
      `UPDATE core.order_requests SET reason = 'price_mismatch' WHERE org_id = $1 AND reason = 'other'`,
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

  it('answer every day of the period, and nothing of another organization', async () => {
    await fill(await OrderCoreFixture.make(test.database));
    const query = 'from=2026-03-28&to=2026-03-30';
    const daily = await core.call(reportDaily, { query, caller: core.staff() });
    const none = { requests: 0, approved: 0, rejected: 0, orders: 0, revenue: 0, cancelled: 0 };
    const days = ['2026-03-28', '2026-03-29', '2026-03-30'];
    expect(daily.body.data).toEqual(days.map((day) => ({ day, ...none })));
    const { body } = await core.call(reportReview, { query, caller: core.staff() });
    expect(body.data).toEqual({ reasons: [] });
    const refused = await core.call(reportReview, {
      query: 'from=2026-03-30&to=2026-03-28',
      caller: core.staff(),
    });
    expect(refused.status).toBe(400);
    const other = await OrderCoreFixture.make(test.database);
    const foreign = await core.call(reportDaily, { query: `shop_id=${other.shopId}`, caller: core.staff() });
    expect(foreign.status).toBe(404);
  });
});
