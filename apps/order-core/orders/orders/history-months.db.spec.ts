import { orderHistory } from '@offizin/contracts/orders/order-history';
import { statement } from '@offizin/pg/database';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from '../../db/schema';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { makeHistoryMonths, makeMissingMonths } from './history-months.store';
import { missingMonths } from './history-months';

/** Far beyond the first partition. */
const NOW = new Date('2031-05-15T00:00:00Z');
const NAMES = ['2031_05', '2031_06', '2031_07', '2031_08'].map((month) => `order_history_${month}`);

let test: TestDatabase;
let own: OrderCoreFixture;
let other: OrderCoreFixture;

beforeEach(async () => {
  test = await testDatabase(orderCoreSchema);
  own = await OrderCoreFixture.make(test.database);
  other = await OrderCoreFixture.make(test.database);
});
afterEach(() => test.close());

const partitions = statement<{ name: string }, []>(
  'spec_partitions',
  `SELECT relid::regclass::text AS name FROM pg_partition_tree('core.order_history') WHERE isleaf ORDER BY 1`,
);
const placeOf = statement<{ name: string; sequence: number }, [string]>(
  'spec_place',
  `SELECT tableoid::regclass::text AS name, sequence FROM core.order_history WHERE order_id = $1 ORDER BY sequence`,
);
/** An order whose id is of another time. */
const reborn = statement<never, [string, string]>(
  'spec_reborn',
  `WITH moved AS (UPDATE core.order_history SET order_id = $2 WHERE order_id = $1)
   UPDATE core.orders SET id = $2 WHERE id = $1`,
);

async function made(): Promise<string[]> {
  return (await test.database.rows(partitions))
    .map(({ name }) => name)
    .filter((name) => NAMES.includes(name));
}

/** The first id of the month that a service could make. */
function firstIdOf(name: string): string {
  const month = missingMonths(['order_history_default'], NOW).find((each) => each.name === name);
  if (!month) throw new Error(`no month ${name}`);
  return month.from.replace('-0000-0000-', '-7000-8000-');
}

/** An order of that month: its first entry is written with today's id, the second as a service would write it. */
async function orderOf(core: OrderCoreFixture, id: string): Promise<void> {
  const order = await core.upsert(id, { total_amount: 1 });
  await test.database.rows(reborn, order.body.id, id);
  await move(core, id, 'awaiting_packing');
}

async function move(core: OrderCoreFixture, orderId: string, status: string): Promise<void> {
  expect((await core.patch(orderId, { status })).status).toBe(200);
}

it('an entry of a month without a partition is stored, and moves when the month is made', async () => {
  const [from, later] = [firstIdOf('order_history_2031_06'), firstIdOf('order_history_2031_07')];
  await orderOf(own, from);
  await orderOf(other, later);
  expect(await test.database.rows(placeOf, from)).toEqual([
    { name: 'order_history_default', sequence: 1 },
    { name: 'order_history_default', sequence: 2 },
  ]);
  expect(await makeHistoryMonths(test.database, NOW)).toEqual(NAMES);

  await move(own, from, 'shipped');
  await move(other, later, 'shipped');
  const places = async (id: string) => (await test.database.rows(placeOf, id)).map(({ name }) => name);
  expect(await places(from)).toEqual(Array(3).fill('order_history_2031_06'));
  expect(await places(later)).toEqual(Array(3).fill('order_history_2031_07'));
  const ofOther = await other.call(orderHistory, { params: { orderId: from } });
  expect(ofOther.status).toBe(404);
});

it('concurrent replicas make each month once', async () => {
  const answers = await Promise.all([1, 2, 3].map(() => makeHistoryMonths(test.database, NOW)));
  expect(answers.flat().sort()).toEqual(NAMES);
  expect(await made()).toEqual(NAMES);
  expect(await makeHistoryMonths(test.database, NOW)).toEqual([]);
});

it('a replica that is killed leaves no part of it, and the next one makes all', async () => {
  const from = firstIdOf('order_history_2031_06');
  await orderOf(own, from);
  const die = statement<never, []>('spec_die', 'SELECT pg_terminate_backend(pg_backend_pid())');
  const killed = test.database.transaction(async (tx) => {
    expect(await makeMissingMonths(tx, NOW)).toEqual(NAMES);
    await tx.rows(die);
  });
  await expect(killed).rejects.toThrow();
  expect(await made()).toEqual([]);
  expect(await test.database.rows(placeOf, from)).toHaveLength(2);
  expect(await makeHistoryMonths(test.database, NOW)).toEqual(NAMES);
  expect(await test.database.rows(placeOf, from)).toHaveLength(2);
});

it('gives up after a second when a long transaction has the default partition, and writers go on', async () => {
  const from = firstIdOf('order_history_2031_06');
  await orderOf(own, from);
  const reader = test.database.dataSource.createQueryRunner();
  await reader.startTransaction();
  await reader.query('SELECT count(*) FROM core.order_history');
  await expect(makeHistoryMonths(test.database, NOW)).rejects.toThrow();
  await move(own, from, 'shipped');
  await reader.commitTransaction();
  await reader.release();
  expect(await makeHistoryMonths(test.database, NOW)).toEqual(NAMES);
});
