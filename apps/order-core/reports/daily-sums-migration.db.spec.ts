import * as api from '@offizin/contracts/orders';
import { Database, statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { migrate } from '@offizin/pg/migrate';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { eventually } from '@offizin/testkit/eventually';
import { Schema0001 } from '../db/0001-schema';
import { DailySumDeltas0002 } from '../db/0002-daily-sum-deltas';
import { DailySums0003 } from '../db/0003-daily-sums';
import { PrescriptionCounters0005 } from '../db/0005-prescription-counters';
import { RequestOutcomes0012 } from '../db/0012-request-outcomes';
import { OrderMetadata0017 } from '../db/0017-order-metadata';
import { RequestMetadata0018 } from '../db/0018-request-metadata';
import { RequestIntegrations0019 } from '../db/0019-request-integrations';
import { FirstKeys0020 } from '../db/0020-first-keys';
import { OutboxIntegrations0021 } from '../db/0021-outbox-integrations';
import { orderCoreSchema } from '../db/schema';
import { OrderCoreFixture } from '../spec-fixture';
import { foldCounts } from '../counts/counts.store';
import { foldDailySums } from './daily-sums.store';
import {
  addDocument,
  COUNTED_BY_SCAN,
  type CountedStats,
  insertDocumented,
  insertIngested,
} from './reports-fixture';
import { readStats } from './reports.store';
import { asCounted, countRequests } from './request-reports-fixture';
import { readDaily, readReview } from './request-reports.store';

const WRITERS = 6;
/** The migrations without which the present code cannot write. */
const WRITABLE = [
  Schema0001,
  OrderMetadata0017,
  RequestMetadata0018,
  RequestIntegrations0019,
  FirstKeys0020,
  OutboxIntegrations0021,
];

let test: TestDatabase;
let core: OrderCoreFixture;

beforeAll(async () => {
  test = await testDatabase({ ...orderCoreSchema, migrations: WRITABLE });
  core = await OrderCoreFixture.make(test.database);
});
afterAll(() => test.close());

const fill = statement<never, [string, string, string[]]>(
  'spec_filled_orders',
  `INSERT INTO core.orders (id, org_id, shop_id, external_id, customer_name, total_amount, total_is_given, payment_status,
     status, items)
   SELECT id, $1, $2, 'old-' || n, 'Kunde ' || n % 500, 1, true, 'paid', 'pending', '[]'
   FROM unnest($3::uuid[]) WITH ORDINALITY AS ids (id, n)`,
);

/** Changes old orders and adds new ones until `isOver`. */
async function writeUntil(isOver: () => boolean, writer: number): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    const body = { shop_id: core.shopId, external_id: `old-${1 + ((n * WRITERS + writer) % 300)}` };
    const name = { customer_name: `Kunde ${n % 7}`, total_amount: n % 9 };
    const orderId = (await upsert({ ...body, ...name })).id;
    const status = api.ORDER_STATUSES[n % api.ORDER_STATUSES.length];
    const patched = await core.call(api.patchOrderStatus, {
      params: { orderId },
      body: { status, force: true },
    });
    expect(patched.status).toBe(200);
    await upsert({ ...body, external_id: `new-${writer}-${n}`, ...name });
    await handIn(n);
  }
}

async function upsert(body: Record<string, unknown>): Promise<{ id: string }> {
  const answer = await core.call(api.upsertOrder, { body });
  expect([200, 201]).toContain(answer.status);
  return answer.body;
}

/** A prescription, and a request with none, one or two documents. */
async function handIn(n: number): Promise<void> {
  const { orgId, shopId } = core;
  const [id, now] = [newId(), new Date().toISOString()];
  await test.database.rows(insertIngested, orgId, shopId, now);
  await test.database.rows(insertDocumented, orgId, shopId, id, now, n % 3 > 0);
  if (n % 3 === 2) await test.database.rows(addDocument, orgId, id);
  if (n % 4 > 0) await test.database.rows(decide, id, n % 4 > 1 ? 'approved' : 'rejected', n % 600);
}

const decide = statement<never, [string, string, number]>(
  'spec_decide_request',
  `UPDATE core.order_requests SET status = $2, reason = CASE WHEN $2 = 'rejected' THEN 'other' END,
     updated_at = created_at + make_interval(secs => $3) WHERE id = $1`,
);

/** As the process of a new version does it. */
async function migrateBeside(migrations: typeof orderCoreSchema.migrations): Promise<void> {
  const options = { ...orderCoreSchema, migrations, databaseUrl: test.url };
  const own = await Database.connect({ ...options, poolSize: 2, applicationName: 'spec' });
  try {
    await migrate(own.dataSource, test.url);
  } finally {
    await own.close();
  }
}

/** A process that is killed while the sums are made: its connection rolls back. */
async function startAndLose(): Promise<void> {
  const runner = test.database.dataSource.createQueryRunner();
  await runner.startTransaction();
  await new DailySums0003().up(runner);
  await runner.rollbackTransaction();
  await runner.release();
}

const today = new Date().toISOString().slice(0, 10);
const period = { from: `${Number(today.slice(0, 4)) - 1}-12-31`, to: `${today.slice(0, 4)}-12-31` };

async function expectExactSums(): Promise<void> {
  const all = { orgId: core.orgId, period, shopId: null };
  const stats = await readStats(test.database, all);
  const days = await readDaily(test.database, all);
  expect(asCounted(days, await readReview(test.database, all))).toEqual(
    await countRequests(test.database, all),
  );
  const scope = [core.orgId, period.from, period.to, null];
  const [counted]: CountedStats[] = await test.database.dataSource.query(COUNTED_BY_SCAN, scope);
  expect(stats.customers).toEqual(counted?.customers);
  expect(stats.prescriptions).toEqual(counted?.prescriptions);
  const { by_status: byStatus, ...figures } = stats.orders;
  expect(counted?.orders).toMatchObject(figures);
  expect(byStatus).toHaveLength(counted?.orders.by_status.length ?? NaN);
}

it('sums the orders of a filled database exactly while writes go on, also after an attempt that was lost', async () => {
  const ids = Array.from({ length: 4_000 }, () => newId());
  await test.database.rows(fill, core.orgId, core.shopId, ids);
  for (let n = 0; n < 30; n++) await handIn(n);
  let over = false;
  let written = 0;
  const isOver = (): boolean => ++written > 0 && over;
  const writing = Promise.all(Array.from({ length: WRITERS }, (_, n) => writeUntil(isOver, n)));
  const someMore = async (): Promise<void> => {
    const before = written;
    await eventually('the writers go on', () => written > before + 2 * WRITERS);
  };
  await someMore();
  await migrateBeside([...WRITABLE, DailySumDeltas0002]);
  await migrateBeside([...WRITABLE, DailySumDeltas0002, PrescriptionCounters0005, RequestOutcomes0012]);
  await someMore();
  await foldCounts(test.database, 10);
  await startAndLose();
  await someMore();
  await migrateBeside(orderCoreSchema.migrations);
  for (let n = 0; n < 3; n++) {
    await someMore();
    await foldDailySums(test.database, 1_000);
    await foldCounts(test.database, 100);
  }
  over = true;
  await writing;
  await expectExactSums();
  while ((await foldDailySums(test.database, 1_000)) > 0);
  while ((await foldCounts(test.database, 1_000)) > 0);
  await expectExactSums();
}, 60_000);
