import * as api from '@offizin/contracts/orders';
import type { QueryRunner } from 'typeorm';
import { Database, statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { migrate } from '@offizin/pg/migrate';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { eventually } from '@offizin/testkit/eventually';
import { orderHistory } from './order-history.store';
import { OrderCoreFixture } from '../spec-fixture';
import { OrderHistoryMonths0022 } from '../db/0022-order-history-months';
import { orderCoreSchema } from '../db/schema';

/** The history of orders becomes partitioned beside the services of the previous version, whose statements are the same. */
const PREVIOUS = orderCoreSchema.migrations.slice(
  0,
  orderCoreSchema.migrations.indexOf(OrderHistoryMonths0022),
);
const WRITERS = 6;
const OLD_ROWS = 5_000;

let test: TestDatabase;
let own: OrderCoreFixture;
let other: OrderCoreFixture;

beforeEach(async () => {
  test = await testDatabase({ ...orderCoreSchema, migrations: PREVIOUS });
  own = await OrderCoreFixture.make(test.database);
  other = await OrderCoreFixture.make(test.database);
});
afterEach(() => test.close());

const fill = statement<never, [string, number]>(
  'spec_fill_history',
  `INSERT INTO core.order_history (order_id, sequence, actor, action, fields)
   SELECT $1, n, 'spec', 'update', jsonb_build_object('customer_email', 'a' || n || '@example.org')
   FROM generate_series(1, $2::int) n`,
);
const parts = statement<{ name: string; file: string }, []>(
  'spec_history_parts',
  `SELECT oid::regclass::text AS name, pg_relation_filenode(oid)::text AS file FROM pg_class
   WHERE relnamespace = 'core'::regnamespace AND relkind = 'r' AND starts_with(relname, 'order_history') ORDER BY 1`,
);
const gaps = statement<{ orders: number; gaps: number }, []>(
  'spec_history_gaps',
  `SELECT count(*)::int AS orders, count(*) FILTER (WHERE o.sequence <> h.entries)::int AS gaps
   FROM core.orders o, LATERAL (SELECT count(*) AS entries FROM core.order_history h WHERE h.order_id = o.id) h`,
);

/** As a process of the new version does it. */
async function migrateBeside(): Promise<void> {
  const options = { ...orderCoreSchema, databaseUrl: test.url, poolSize: 2, applicationName: 'spec' };
  const next = await Database.connect(options);
  try {
    await migrate(next.dataSource, test.url);
  } finally {
    await next.close();
  }
}

/** New orders and changes of their status; the statuses of the answers. */
async function writeUntil(isOver: () => boolean, writer: number): Promise<number[]> {
  const core = writer % 2 === 0 ? own : other;
  const answers: number[] = [];
  for (let n = 0; !isOver(); n++) {
    const body = { shop_id: core.shopId, external_id: `${writer}-${n}`, items: [] };
    const order = await core.call(api.upsertOrder, { body: { ...body, total_amount: 1 } });
    const params = { orderId: order.body.id };
    const moved = await core.call(api.patchOrderStatus, { params, body: { status: 'shipped', force: true } });
    answers.push(order.status, moved.status);
  }
  return answers;
}

/** Runs `work` while the writers go on, and expects that no answer is a failure. */
async function besideWriters(work: () => Promise<void>): Promise<void> {
  let over = false;
  let asked = 0;
  const writing = Promise.all(
    Array.from({ length: WRITERS }, (_, n) => writeUntil(() => ++asked > 0 && over, n)),
  );
  const someMore = async (): Promise<void> => {
    const before = asked;
    await eventually('the writers go on', () => asked > before + 3 * WRITERS);
  };
  try {
    await someMore();
    await work();
    await someMore();
  } finally {
    over = true;
  }
  expect((await writing).flat().filter((status) => status >= 400)).toEqual([]);
}

async function entriesOf(core: OrderCoreFixture, orderId: string): Promise<number> {
  const answer = await orderHistory(core.database, orderId, { limit: 200 });
  return answer.data.length;
}

it('keeps the rows where they are, fails no write of the previous version, and loses no entry', async () => {
  const old = newId();
  await test.database.rows(fill, old, OLD_ROWS);
  const [before] = await test.database.rows(parts);
  await besideWriters(migrateBeside);

  const after = await test.database.rows(parts);
  expect(after.map(({ name }) => name)).toEqual([
    expect.stringMatching(/^order_history_before_\d{4}_\d{2}$/),
    'order_history_default',
  ]);
  expect(after[0]?.file).toBe(before?.file);
  const [counted] = await test.database.rows(gaps);
  expect(counted?.orders).toBeGreaterThan(WRITERS);
  expect(counted?.gaps).toBe(0);
  expect(await entriesOf(own, old)).toBe(200);
});

it('reads no row and locks no other table while it changes the names', async () => {
  await test.database.rows(fill, newId(), OLD_ROWS);
  const runner: QueryRunner = test.database.dataSource.createQueryRunner();
  const [begin, commit] = [runner.startTransaction.bind(runner), runner.commitTransaction.bind(runner)];
  let seen: unknown;
  // Else the reads of the check before it would count.
  runner.startTransaction = async () => {
    await runner.query('SELECT pg_stat_force_next_flush()');
    await begin();
  };
  runner.commitTransaction = async () => {
    seen = await runner.query(
      `SELECT (SELECT sum(seq_tup_read)::int FROM pg_stat_xact_user_tables WHERE relname ~ '^order_history') AS read,
         (SELECT count(*)::int FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
          WHERE l.pid = pg_backend_pid() AND l.mode = 'AccessExclusiveLock' AND c.relkind IN ('r', 'p')
            AND c.relnamespace = 'core'::regnamespace AND c.relname !~ '^order_history') AS others`,
    );
    await commit();
  };
  await new OrderHistoryMonths0022().up(runner);
  await runner.release();
  expect(seen).toEqual([{ read: 0, others: 0 }]);
});

it('waits for a long read without blocking the writers for longer than a statement may take', async () => {
  await test.database.rows(fill, newId(), OLD_ROWS);
  const reader = test.database.dataSource.createQueryRunner();
  await reader.startTransaction();
  await reader.query('SELECT count(*) FROM core.order_history');
  await besideWriters(async () => {
    const migrated = migrateBeside();
    await eventually('the migration waits for the reader', async () => {
      const waiting = (await reader.query('SELECT FROM pg_locks WHERE NOT granted')) as unknown[];
      return waiting.length > 0;
    });
    await reader.commitTransaction();
    await migrated;
  });
  await reader.release();
  expect(await test.database.rows(parts)).toHaveLength(2);
});

it('goes on where an attempt was killed: after the check, and before the migration was noted', async () => {
  await test.database.rows(fill, newId(), 10);
  const runner = test.database.dataSource.createQueryRunner();
  runner.startTransaction = () => Promise.reject(new Error('killed'));
  await expect(new OrderHistoryMonths0022().up(runner)).rejects.toThrow('killed');
  await runner.release();
  const again = test.database.dataSource.createQueryRunner();
  await new OrderHistoryMonths0022().up(again);
  const made = await test.database.rows(parts);
  await new OrderHistoryMonths0022().up(again);
  await again.release();
  await migrateBeside();
  expect(await test.database.rows(parts)).toEqual(made);
  const left: unknown = await test.database.dataSource.query(
    `SELECT conname FROM pg_constraint WHERE conname ~ '^order_history_before' AND contype = 'c'`,
  );
  expect(left).toEqual([]);
});

it('leaves a table in one piece that has ids which no service makes', async () => {
  await test.database.rows(fill, 'ffffffff-0000-4000-8000-000000000000', 1);
  await migrateBeside();
  expect(await test.database.rows(parts)).toEqual([expect.objectContaining({ name: 'order_history' })]);
});
