import { statement } from '@offizin/pg/database';
import { blocksRead } from '@offizin/testkit/blocks-read';
import { inParts } from '@offizin/testkit/in-parts';
import { databaseSpec } from '../../spec/core-spec';
import { OrderCoreFixture } from '../../spec/spec-fixture';
import { listOrdersJson } from '../orders/order-list.store';
import { ordersOfLot } from './recall.store';

/** What the orders of a lot cost among many orders, each of which has a lot: the same as among few. */
const test = databaseSpec();

const OF_LOT = 50;

interface Owner {
  orgId: string;
  shopId: string;
}

/** Orders `from` to `to`; those of a lot lie far from each other. */
const seed = statement<never, Owner & { from: number; to: number; lots: number }>(
  'spec_lots_seed',
  `WITH made AS (
     INSERT INTO core.orders (id, org_id, shop_id, external_id, status, has_lots, total_amount, total_is_given, payment_status,
                              items, created_at, updated_at)
     SELECT (lpad(to_hex(n), 8, '0') || substr($orgId::text, 9))::uuid, $orgId::uuid, $shopId::uuid, n::text, 'completed', true, 1,
            false, 'paid', '[]', now() - make_interval(mins => 100000 - n), now()
     FROM generate_series($from::int, $to::int) n
     RETURNING id, org_id, external_id
   )
   INSERT INTO core.order_lots (order_id, sequence, number, org_id, line, p1_id, lot, quantity)
   SELECT id, 1, 1, org_id, 1, 'P1', 'L' || external_id::int % $lots::int, 1 FROM made`,
);
const analyze = statement<never, []>('spec_lots_analyze', 'ANALYZE core.orders, core.order_lots');

it('is as few blocks of many orders as of few, for the list by lot and for a recall', async () => {
  const { database } = test;
  const [few, many] = [await OrderCoreFixture.make(database), await OrderCoreFixture.make(database)];
  const fill = async ({ orgId, shopId }: Owner, count: number) => {
    const lots = count / OF_LOT;
    await inParts(count, (from, to) => database.rows(seed, { orgId, shopId, from, to, lots }));
    await database.rows(analyze);
  };
  const reads = [
    (orgId: string) => blocksOf((sql) => listOrdersJson({ alone: sql, shared: sql }, orgId, byLot)),
    (orgId: string) =>
      blocksOf((sql) =>
        listOrdersJson({ alone: sql, shared: sql }, orgId, { ...byLot, status: 'completed' }),
      ),
    (orgId: string) => blocksOf((sql) => ordersOfLot(sql, { ...recall, orgId })),
    (orgId: string) => blocksOf((sql) => ordersOfLot(sql, { ...recall, orgId, isTest: false, p1Id: 'P1' })),
  ];
  const usual: number[] = [];
  await fill(few, 2_000);
  for (const read of reads) usual.push(await read(few.orgId));
  await fill(many, 40_000);
  for (const [index, read] of reads.entries()) {
    const [before = NaN, blocks] = [usual[index], await read(many.orgId)];
    expect([index, before > OF_LOT, blocks <= 1.5 * before]).toEqual([index, true, true]);
  }
});

const byLot = { lot: 'L1', limit: 50, sort: '-created_at' } as const;
const recall = { lot: 'L1', p1Id: null, isTest: null, after: null, limit: 51 };

/** Of its largest statement. */
async function blocksOf(read: Parameters<typeof blocksRead>[1]): Promise<number> {
  return Math.max(...(await blocksRead(test.database, read)));
}
