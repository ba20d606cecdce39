import { gzipSync } from 'node:zlib';
import { PipelineQuery } from '@offizin/contracts/pipeline';
import { type Sql, statement } from '@offizin/pg/database';
import { newId } from '@offizin/pg/ids';
import { testDatabase, type TestDatabase } from '@offizin/testkit/database';
import { orderCoreSchema } from '../db/schema';
import { OrderCoreFixture } from '../spec-fixture';
import { listPipelineRows } from './pipeline-list.store';

const ORDERS = 10_000;

/** One every 10 minutes, most of them completed; each has had three statuses. */
const fill = statement<never, [string, string, number]>(
  'spec_fill_orders',
  `WITH filled AS (
     INSERT INTO core.orders (id, org_id, shop_id, external_id, order_number, customer_name, total_amount, total_is_given,
       payment_status, shipping_option, status, items, sequence, created_at)
     SELECT gen_random_uuid(), $1, $2, 'order-' || n, 'B-' || n,
       (ARRAY['Anna', 'Jörg', 'Zoë', 'Sören'])[1 + n % 4] || ' Müller' || n, n / 7.0, false,
       CASE WHEN n % 10 = 0 THEN 'pending' ELSE 'paid' END, 'Versand',
       CASE WHEN n % 20 = 0 THEN 'awaiting_packing' ELSE 'completed' END,
       jsonb_build_array(jsonb_build_object('p1_id', 'p-' || n % 50, 'name', 'Bedrocan 22/' || n % 50, 'quantity', n % 15 + 1,
         'price', 9.5), jsonb_build_object('p1_id', NULL, 'name', 'Vaporizer', 'quantity', 1, 'price', 89)),
       3, now() - make_interval(mins => 10 * n)
     FROM generate_series(1, $3::int) n
     RETURNING id, status, created_at
   )
   INSERT INTO core.order_history (order_id, sequence, at, actor, action, fields)
   SELECT id, place, created_at + make_interval(mins => place), 'spec', 'status_changed',
     jsonb_build_object('status', (ARRAY['pending', 'awaiting_payment', status])[place])
   FROM filled, generate_series(1, 3) place`,
);
const vacuum = statement<never, []>('spec_vacuum', 'VACUUM (ANALYZE) core.orders, core.order_history');

let test: TestDatabase;
let core: OrderCoreFixture;

beforeAll(async () => {
  test = await testDatabase(orderCoreSchema);
  core = await OrderCoreFixture.make(test.database);
  for (const { orgId, shopId } of [core, await OrderCoreFixture.make(test.database)])
    await test.database.rows(fill, orgId, shopId, ORDERS);
  await test.database.rows(vacuum);
});
afterAll(() => test.close());

function page(query: Partial<PipelineQuery>, sql: Sql = test.database) {
  return listPipelineRows(sql, core.orgId, Object.assign(new PipelineQuery(), { limit: 200, ...query }));
}

/** Blocks that the one statement of a page reads; unlike its time they do not depend on the machine. */
async function blocksOf(query: Partial<PipelineQuery>): Promise<number> {
  const plans: string[][] = [];
  const explaining: Sql = {
    rows: async (asked, ...params) => {
      const text = `EXPLAIN (ANALYZE, BUFFERS) ${asked.text}`;
      const explain = statement<{ 'QUERY PLAN': string }, unknown[]>(`plan ${newId()}`, text);
      plans.push((await test.database.rows(explain, ...params)).map((line) => line['QUERY PLAN']));
      return test.database.rows(asked, ...params);
    },
  };
  await page(query, explaining);
  expect(plans.length).toBe(1);
  const [first = ''] = plans.flat().filter((line) => line.includes('Buffers:'));
  return [...first.matchAll(/(?:hit|read)=(\d+)/g)].reduce((sum, [, blocks]) => sum + Number(blocks), 0);
}

it.each([
  [{}, 10_000],
  [{ sort: 'oldest' }, 10_000],
  [{ status: 'awaiting_packing' }, 500],
  [{ payment_status: 'pending' }, 1_000],
] as const)('a page of 200 of 10,000 orders (%j) is small and reads little', async (query, total) => {
  const first = await page(query);
  expect([first.data.length, first.total]).toEqual([200, total]);
  expect(gzipSync(JSON.stringify(first)).length).toBeLessThan(25 * 1024);
  expect(await blocksOf(query)).toBeLessThan(4_000);
  expect(await blocksOf({ ...query, cursor: first.next_cursor ?? '' })).toBeLessThan(4_000);
});
