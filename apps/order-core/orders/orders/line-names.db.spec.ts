import type { Caller } from '@offizin/contracts/calls/caller';
import { upsertOrders } from '@offizin/contracts/orders/order-batches';
import { statement } from '@offizin/pg/database';
import { coreSpec } from '../../spec/core-spec';
import { type OrderCoreFixture, orderHandlers } from '../../spec/spec-fixture';

/** Lines that are sent by the id of their product alone. */

const facts = { in_inventory: true, category: null, thc: null, cbd: null, available: 9, price: 9.95 };
/** The catalog: what it was asked for, and the name of all its products, null while it does not answer. */
const catalog = { asked: [] as (readonly string[])[], name: null as string | null };
const PRODUCTS = {
  productsOf: (_: Caller, ids: readonly string[]) => {
    catalog.asked.push(ids);
    const { name } = catalog;
    return Promise.resolve(name === null ? null : ids.map((p1_id) => ({ ...facts, p1_id, name })));
  },
};
let core: OrderCoreFixture;
const test = coreSpec((made) => (core = made), {
  further: (database) => [...orderHandlers(database, undefined, PRODUCTS)],
});

beforeEach(() => {
  Object.assign(catalog, { asked: [], name: 'Blüte 22/1' });
});

const line = (p1_id: string | null, name?: string | null) => ({ p1_id, name, qty: 1, price: 2 });
const names = async (id: string) => (await core.order(id)).items.map(({ name }) => name);

const doors: [string, (items: object[]) => Promise<unknown>][] = [
  ['POST', (items) => core.upsert('a', { items })],
  [
    'a batch',
    (items) =>
      core.call(upsertOrders, { body: { orders: [{ shop_id: core.shopId, external_id: 'a', items }] } }),
  ],
  ['PUT', async (items) => core.update((await core.upsert('a')).body.id, { items })],
];

it.each(doors)(
  '%s without a name stores that of the catalog, once, and the same again is not a change',
  async (_, send) => {
    await send([line('p'), line('q', 'Ours'), line(null, null), line('r', ' ')]);
    const { id } = (await core.upsert('a')).body;
    const { updated_at } = await core.order(id);
    expect([await names(id), catalog.asked]).toEqual([
      ['Blüte 22/1', 'Ours', null, 'Blüte 22/1'],
      [['p', 'r']],
    ]);
    catalog.name = 'Renamed';
    await send([line('p', null), line('q'), line(null), line('r')]);
    expect([(await core.order(id)).updated_at, catalog.asked]).toEqual([updated_at, [['p', 'r']]]);
  },
);

describe('a batch that changes one order, each time to another product', () => {
  const written = statement<{ transactions: number; named: number }, [string]>(
    'spec_named_history',
    `SELECT count(DISTINCT xmin::text)::int AS transactions,
       count(*) FILTER (WHERE fields #>> '{items,0,name}' = 'Blüte 22/1')::int AS named
     FROM core.order_history WHERE order_id = $1`,
  );
  const ids = Array.from({ length: 100 }, (_, n) => `p${n}`);
  const send = async () => {
    const orders = ids.map((id) => ({ shop_id: core.shopId, external_id: 'a', items: [line(id)] }));
    const { results } = (await core.call(upsertOrders, { body: { orders } })).body;
    expect(results.map(({ status }) => status)).toEqual(ids.map((_, n) => (n ? 'updated' : 'created')));
    return results[0]?.order_id ?? '';
  };

  it('asks once for each product, outside of the few transactions that its members share', async () => {
    const id = await send();
    expect(catalog.asked).toEqual([ids.slice(0, 64), ids.slice(64)]);
    expect(await test.database.rows(written, id)).toEqual([{ transactions: 2, named: 100 }]);
  });

  it('asks no more after the catalog did not answer', async () => {
    catalog.name = null;
    const id = await send();
    expect(catalog.asked).toHaveLength(1);
    expect(await names(id)).toEqual([null]);
  });
});

it('leaves the name out while the catalog does not answer, and adds it with the next upsert', async () => {
  catalog.name = null;
  const { id } = (await core.upsert('a', { items: [line('p')] })).body;
  expect(await names(id)).toEqual([null]);
  catalog.name = 'Back';
  expect((await core.upsert('a', { items: [line('p')] })).etag).toBe('"2"');
  expect(await names(id)).toEqual(['Back']);
});

it('keeps the names of several lines of one product in their order', async () => {
  const { id } = (await core.upsert('a', { items: [line('p', 'First'), line('p', 'Second')] })).body;
  expect((await core.upsert('a', { items: [line('p'), line('p')] })).etag).toBe('"1"');
  await core.update(id, { items: [line('p'), line('p'), line('p')] });
  expect(await names(id)).toEqual(['First', 'Second', 'Second']);
});
