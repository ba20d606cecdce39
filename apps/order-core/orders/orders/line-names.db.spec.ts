import type { Caller } from '@offizin/contracts/calls/caller';
import { upsertOrders } from '@offizin/contracts/orders/order-batches';
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
coreSpec((made) => (core = made), {
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
